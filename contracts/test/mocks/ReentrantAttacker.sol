// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Calls back whoever calls it, and remembers how that ended. A recipient of coins has 50,000 gas: so all but the call
/// itself is one slot, which is never empty, and what it takes to write down the end is kept back.
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

    /// @dev Once per payment: what the attack itself is paid is no reason for another.
    function _attack() internal {
        if (_attacking) return;
        _attacking = true;
        (bool worked, bytes memory answer) = target.call{gas: gasleft() - KEPT_BACK, value: attackValue}(attack);
        if (worked) outcome = Outcome.Worked;
        else outcome = answer.length == 4 && bytes4(answer) == GUARD ? Outcome.Guarded : Outcome.Failed;
        _attacking = false;
    }
}
