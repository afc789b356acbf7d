// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Re-enters its caller, and records the outcome. A recipient of coin has 50,000 gas, so everything except the
/// attack is in one slot that is never zero, and some gas is kept to record the outcome.
abstract contract ReentrantAttacker {
    enum Outcome {
        NotReached,
        Failed,
        Guarded,
        Worked
    }

    bytes4 private constant GUARD = bytes4(keccak256("ReentrancyGuardReentrantCall()"));
    uint256 private constant KEPT_BACK = 5_000;

    bool private transient _attacking;
    bytes public attack;
    address public target;
    uint64 public attackValue;
    Outcome public outcome;

    function setAttack(address target_, uint64 attackValue_, bytes calldata attack_) external {
        (target, attackValue, outcome, attack) = (target_, attackValue_, Outcome.NotReached, attack_);
    }

    /// @dev Once per payment: a payment by the attack itself does not start another attack.
    function _attack() internal {
        if (_attacking) return;
        _attacking = true;
        (bool worked, bytes memory answer) = target.call{gas: gasleft() - KEPT_BACK, value: attackValue}(attack);
        if (worked) outcome = Outcome.Worked;
        else outcome = answer.length == 4 && bytes4(answer) == GUARD ? Outcome.Guarded : Outcome.Failed;
        _attacking = false;
    }
}
