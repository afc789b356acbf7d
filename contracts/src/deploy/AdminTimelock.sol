// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/// @title AdminTimelock
/// @notice The admin of a bridge contract. The owner announces a call, waits, and executes it, so everybody sees a call
/// before it takes effect. That holds for the handover to another admin too. The guardian may cancel an announced call.
/// @dev Without it a stolen admin key could set a new relayer and a new limit and release everything in one block.
/// Only the timelock administers itself, through announced calls.
contract AdminTimelock is TimelockController {
    /// @notice Seconds that no delay of this timelock is ever below.
    uint256 public immutable minimumDelay;

    /// @notice The delay would be below its minimum.
    /// @param delay Seconds asked for.
    /// @param minimum Seconds that it must be at least.
    error DelayBelowMinimum(uint256 delay, uint256 minimum);

    /// @notice Creates the timelock.
    /// @param delay Seconds between an announcement and its execution, also the minimum of every later delay.
    /// @param owner The account that announces and executes.
    /// @param guardian The account that may cancel, beside the owner.
    constructor(
        uint256 delay,
        address owner,
        address guardian
    ) TimelockController(delay, _only(owner), _only(owner), address(0)) {
        minimumDelay = delay;
        _grantRole(CANCELLER_ROLE, guardian);
    }

    /// @notice Changes the delay of later calls.
    /// @dev Only the timelock itself, through an announced call. Reverts with DelayBelowMinimum.
    /// @param newDelay Seconds.
    function updateDelay(uint256 newDelay) public override {
        if (newDelay < minimumDelay) revert DelayBelowMinimum(newDelay, minimumDelay);
        super.updateDelay(newDelay);
    }

    function _only(address account) private pure returns (address[] memory accounts) {
        accounts = new address[](1);
        accounts[0] = account;
    }
}
