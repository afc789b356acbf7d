// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {Offices} from "./Offices.sol";

/// @title AdminTimelock
/// @notice The admin of a bridge contract. The owner announces a call, waits, and executes it, so everyone sees each
/// call before it takes effect, the handover to another admin included. The guardian may cancel an announced call.
/// @dev Without it a stolen admin key could set a new relayer and a new limit and release everything in one block. The
/// owner cannot cancel: a stolen owner key could otherwise cancel its own removal.
contract AdminTimelock is TimelockController, Offices {
    /// @notice Maximum of every delay in seconds.
    uint256 public constant MAXIMUM_DELAY = 30 days;
    /// @dev Seconds during which a ready call can be executed.
    uint256 private constant READY_FOR = 14 days;

    /// @notice Minimum of every delay in seconds.
    uint256 public immutable minimumDelay;

    /// @notice The delay would be below its minimum or above its maximum.
    /// @param delay Seconds asked for.
    /// @param minimum The minimum in seconds.
    /// @param maximum The maximum in seconds.
    error DelayOutOfRange(uint256 delay, uint256 minimum, uint256 maximum);
    /// @notice Roles cannot be renounced: they follow the offices.
    error RolesFollowOffices();
    /// @notice Only a vote by guardian and recovery replaces the owner.
    error OwnerNotReplaceable();

    /// @notice Creates the timelock.
    /// @param delay Seconds between an announcement and its execution, also the minimum of every later delay.
    /// @param owner_ The account that announces and executes.
    /// @param guardian_ The account that cancels.
    /// @param recovery_ The account that only votes.
    constructor(
        uint256 delay,
        address owner_,
        address guardian_,
        address recovery_
    ) TimelockController(delay, new address[](0), new address[](0), address(0)) Offices(owner_, guardian_, recovery_) {
        if (delay > MAXIMUM_DELAY) revert DelayOutOfRange(delay, 0, MAXIMUM_DELAY);
        minimumDelay = delay;
    }

    /// @notice Replaces the guardian or the recovery.
    /// @dev Only the timelock itself, through an announced call, which the guardian may cancel. Reverts with
    /// TimelockUnauthorizedCaller, OwnerNotReplaceable, OfficeRequired, OfficeTaken.
    /// @param office The office.
    /// @param account Its new account, which must not hold an office.
    function replace(Office office, address account) external {
        if (msg.sender != address(this)) revert TimelockUnauthorizedCaller(msg.sender);
        if (office == Office.Owner) revert OwnerNotReplaceable();
        _replace(office, account);
    }

    /// @notice Changes the delay of later calls.
    /// @dev Only the timelock itself, through an announced call. Reverts with DelayOutOfRange.
    /// @param newDelay Seconds.
    function updateDelay(uint256 newDelay) public override {
        if (newDelay < minimumDelay || newDelay > MAXIMUM_DELAY) {
            revert DelayOutOfRange(newDelay, minimumDelay, MAXIMUM_DELAY);
        }
        super.updateDelay(newDelay);
    }

    /// @notice Whether an account has a role through its office: the owner proposes and executes, the guardian cancels.
    /// @param role PROPOSER_ROLE, EXECUTOR_ROLE or CANCELLER_ROLE.
    /// @param account The account.
    /// @return Whether it does.
    function hasRole(bytes32 role, address account) public view override returns (bool) {
        if (role == PROPOSER_ROLE || role == EXECUTOR_ROLE) return account == owner();
        return role == CANCELLER_ROLE && account == guardian();
    }

    /// @notice The state of an announced call. A call that was ready for 14 days has expired: it is Unset, and can be
    /// announced again.
    /// @param id Hash of the call.
    /// @return Unset, Waiting, Ready or Done.
    function getOperationState(bytes32 id) public view override returns (OperationState) {
        OperationState state = super.getOperationState(id);
        bool isExpired = state == OperationState.Ready && block.timestamp > getTimestamp(id) + READY_FOR;
        return isExpired ? OperationState.Unset : state;
    }

    /// @dev No account administers a role, so this is reached only by renouncing.
    function _revokeRole(bytes32, address) internal pure override returns (bool) {
        revert RolesFollowOffices();
    }
}
