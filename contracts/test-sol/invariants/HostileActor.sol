// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Striker} from "../mocks/Striker.sol";

/// @dev A recipient that takes coins, refuses them, eats gas or calls the bridge back, as it is told.
contract HostileActor is Striker {
    enum Mood {
        Takes,
        Refuses,
        EatsGas,
        CallsBack
    }

    Mood public mood;

    error No();

    receive() external payable {
        if (mood == Mood.Refuses) revert No();
        if (mood == Mood.EatsGas) while (true) {}
        // The other end is on another chain: only who pays can be called back.
        if (mood == Mood.CallsBack && msg.sender == target) _strike();
    }

    function setMood(Mood mood_) external {
        mood = mood_;
    }
}
