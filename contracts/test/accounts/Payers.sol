// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @dev Forwards what it receives, like a router or a forwarding address.
contract Forwarder {
    address payable private immutable TARGET;

    constructor(address payable target) {
        TARGET = target;
    }

    receive() external payable {
        Address.sendValue(TARGET, msg.value);
    }
}

/// @dev Pays one address many times in one transaction, as exchanges do.
contract Payout {
    function pay(address payable target, uint256 amount, uint256 times) external payable {
        for (uint256 paid = 0; paid < times; paid++) Address.sendValue(target, amount);
    }
}
