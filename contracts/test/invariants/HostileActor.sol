// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";

/// @dev A recipient that accepts coins, refuses them, uses all gas, or re-enters the bridge.
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
        // In reality the other contract is on another chain, so only the paying contract is re-entered.
        if (behaviour == Behaviour.CallsBack && msg.sender == target) _attack();
    }

    function setBehaviour(Behaviour behaviour_) external {
        behaviour = behaviour_;
    }
}
