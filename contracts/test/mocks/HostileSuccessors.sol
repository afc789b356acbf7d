// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrantAttacker} from "./ReentrantAttacker.sol";

/// @dev A successor that re-enters the contract that hands over to it.
contract ReentrantSuccessor is ReentrantAttacker {
    function topUp() external payable {
        _attack();
    }
}

/// @dev A successor that keeps coin, for an account of its own.
contract ThievingSuccessor {
    address private immutable _thief;

    constructor(address thief) {
        _thief = thief;
    }

    function topUp() external payable {
        (bool sent, ) = _thief.call{value: msg.value}("");
        assert(sent);
    }
}
