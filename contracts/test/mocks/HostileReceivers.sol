// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {ReentrantAttacker} from "./ReentrantAttacker.sol";

/// @dev Refuses coins until it is told otherwise, and can claim.
contract RejectingReceiver {
    bool public accepts;

    error No();

    receive() external payable {
        if (!accepts) revert No();
    }

    function claim(BridgeEnd end, address token, address to) external returns (uint256) {
        return end.claim(token, to);
    }

    function setAccepts(bool value) external {
        accepts = value;
    }
}

/// @dev Burns all the gas it is given.
contract GasEater {
    receive() external payable {
        while (true) {}
    }
}

/// @dev Takes coins, but needs most of the gas that a recipient gets.
contract GasHungryReceiver {
    uint256 public taken;
    uint256 public last;

    receive() external payable {
        taken += msg.value;
        last = block.number;
    }
}

/// @dev Refuses coins until it accepts them, and answers a payment by calling the bridge again.
contract ReentrantReceiver is ReentrantAttacker {
    bool public accepts;

    error NotYet();

    receive() external payable {
        if (!accepts) revert NotYet();
        _attack();
    }

    function setAccepts(bool value) external {
        accepts = value;
    }
}
