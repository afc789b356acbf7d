// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {Offices} from "./Offices.sol";

/// @title AdminTimelock
/// @notice The admin of a bridge contract. The owner announces a call, waits, and executes it, so everybody sees a call
/// before it takes effect. That holds for the handover to another admin too. The guardian may cancel an announced call.
/// @dev Without it a stolen admin key could set a new relayer and a new limit and release everything in one block.
/// Who proposes cannot cancel: a stolen owner could otherwise cancel its own removal.
contract AdminTimelock is TimelockController, Offices {
    /// @notice Seconds that no delay of this timelock is ever above.
    uint256 public constant MAXIMUM_DELAY = 30 days;
    /// @dev Seconds after which a call that was ready can no longer be executed.
    uint256 private constant READY_FOR = 14 days;

    /// @notice Seconds that no delay of this timelock is ever below.
    uint256 public immutable minimumDelay;

    /// @notice The delay would be below its minimum or above its maximum.
    /// @param delay Seconds asked for.
    /// @param minimum Seconds that it must be at least.
    /// @param maximum Seconds that it may be at most.
    error DelayOutOfRange(uint256 delay, uint256 minimum, uint256 maximum);
    /// @notice A role cannot be renounced: the offices hold it.
    error RolesFollowOffices();
    /// @notice Only a vote of guardian and recovery replaces the owner.
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
    /// @param account Its new account, which holds no office.
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

    /// @notice Whether an account's office brings a role: the owner's to propose and execute, the guardian's to cancel.
    /// @param role PROPOSER_ROLE, EXECUTOR_ROLE or CANCELLER_ROLE.
    /// @param account The account.
    /// @return Whether it does.
    function hasRole(bytes32 role, address account) public view override returns (bool) {
        if (role == PROPOSER_ROLE || role == EXECUTOR_ROLE) return account == owner();
        return role == CANCELLER_ROLE && account == guardian();
    }

    /// @notice The state of an announced call. One that was ready for 14 days has expired, and may be announced again.
    /// @param id Hash of the call.
    /// @return Unset, Waiting, Ready or Done.
    function getOperationState(bytes32 id) public view override returns (OperationState) {
        OperationState state = super.getOperationState(id);
        bool isExpired = state == OperationState.Ready && block.timestamp > getTimestamp(id) + READY_FOR;
        return isExpired ? OperationState.Unset : state;
    }

    /// @dev No account is the admin of a role, so none is granted or revoked. This leaves renouncing.
    function _revokeRole(bytes32, address) internal pure override returns (bool) {
        revert RolesFollowOffices();
    }
}
