// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {ReentrantAttacker} from "./ReentrantAttacker.sol";

/// @dev Refuses coins until it is set to accept them, and can claim.
contract RejectingReceiver {
    bool public accepts;

    error No();

    receive() external payable {
        if (!accepts) revert No();
    }

    function claim(IBridgeBase end, address token, address to) external returns (uint256) {
        return end.claim(token, to);
    }

    function setAccepts(bool value) external {
        accepts = value;
    }
}

/// @dev Uses all the gas it gets.
contract GasEater {
    receive() external payable {
        while (true) {}
    }
}

/// @dev Refuses with as much data as its gas pays for: copying it would cost the payer.
contract DataBomber {
    receive() external payable {
        assembly ("memory-safe") {
            revert(0, 60000)
        }
    }
}

/// @dev Accepts coins, but needs most of the gas that a recipient gets.
contract GasHungryReceiver {
    uint256 public taken;
    uint256 public last;

    receive() external payable {
        taken += msg.value;
        last = block.number;
    }
}

/// @dev Refuses coins until it is set to accept them, and then re-enters the bridge on every payment.
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
