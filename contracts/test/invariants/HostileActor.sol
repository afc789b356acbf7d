// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";

/// @dev A recipient that takes coins, refuses them, eats gas or calls the bridge back, as it is told.
contract HostileActor is ReentrantAttacker {
    enum Behaviour {
        Takes,
        Refuses,
        EatsGas,
        CallsBack
    }

    Behaviour public behaviour;

    error No();

    receive() external payable {
        if (behaviour == Behaviour.Refuses) revert No();
        if (behaviour == Behaviour.EatsGas) while (true) {}
        // The other end is on another chain: only who pays can be called back.
        if (behaviour == Behaviour.CallsBack && msg.sender == target) _attack();
    }

    function setBehaviour(Behaviour behaviour_) external {
        behaviour = behaviour_;
    }
}
