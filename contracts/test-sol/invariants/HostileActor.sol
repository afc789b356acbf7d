// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A recipient that takes coins, refuses them, eats gas or calls the bridge back, as it is told.
contract HostileActor {
    enum Mood {
        Takes,
        Refuses,
        EatsGas,
        CallsBack
    }

    Mood public mood;
    address public target;
    bytes public attack;
    /// @dev A call back that the bridge must refuse has worked.
    bool public reentered;

    error No();

    receive() external payable {
        if (mood == Mood.Refuses) revert No();
        if (mood == Mood.EatsGas) while (true) {}
        // The other end is on another chain: only who pays can be called back.
        if (mood != Mood.CallsBack || msg.sender != target) return;
        (bool worked, ) = target.call(attack);
        if (worked) reentered = true;
    }

    function setMood(Mood mood_, address target_, bytes calldata attack_) external {
        mood = mood_;
        target = target_;
        attack = attack_;
    }
}
