// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/// @title AdminTimelock
/// @notice Holds the admin role of an end of the bridge. The owner announces a call, waits, and executes it, so
/// everybody sees a call before it takes effect. The guardian may cancel an announced call.
/// @dev Without it a stolen admin key could set a new relayer and a new limit and release everything in one block.
/// Only the timelock administers itself, through announced calls.
contract AdminTimelock is TimelockController {
    /// @notice Creates the timelock.
    /// @param delay Seconds between an announcement and its execution.
    /// @param owner Who announces and executes.
    /// @param guardian Who may cancel, beside the owner.
    constructor(
        uint256 delay,
        address owner,
        address guardian
    ) TimelockController(delay, _only(owner), _only(owner), address(0)) {
        _grantRole(CANCELLER_ROLE, guardian);
    }

    function _only(address account) private pure returns (address[] memory accounts) {
        accounts = new address[](1);
        accounts[0] = account;
    }
}
