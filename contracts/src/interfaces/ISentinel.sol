// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The guardian of a bridge contract
/// @notice Pausers on online machines can only pause. The guardian's office of the admin's timelock, a cold key,
/// chooses them and activates the standby.
interface ISentinel {
    // ------------------------------------------------------------------------------------------------ Events

    /// @notice An account may pause while the current guardian is in office.
    /// @param pauser The account.
    /// @param round The round in which the guardian took office.
    event PauserAdded(address indexed pauser, uint256 round);
    /// @notice The guardian revoked an account's right to pause.
    /// @param pauser The account.
    event PauserRemoved(address indexed pauser);
    /// @notice The bridge contract was paused. The bridge contract's own event names the Sentinel.
    /// @param by The pauser, or the guardian.
    event PausedBy(address indexed by);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The account is not the guardian of the admin's timelock.
    /// @param account The account.
    error NotGuardianOffice(address account);
    /// @notice The account may not pause: it is neither the guardian nor a pauser that this guardian added.
    /// @param account The account.
    error NotPauser(address account);
    /// @notice The account is already a pauser.
    /// @param account The account.
    error AlreadyPauser(address account);
    /// @notice The pauser is the zero address.
    error PauserRequired();

    // ------------------------------------------------------------------------------------------------- Calls

    /// @notice Stops one or both directions of the bridge contract, as its `pause` does for its guardian.
    /// @dev Pausers and the guardian only. Reverts with NotPauser.
    /// @param beginnings Stop operations that begin there, for 7 days.
    /// @param deliveries Stop deliveries there.
    function pause(bool beginnings, bool deliveries) external;

    /// @notice Makes the standby of the bridge contract its relayer, once.
    /// @dev Guardian only. Reverts with NotGuardianOffice, NoStandby.
    function activateStandby() external;

    /// @notice Lets an account pause.
    /// @dev Guardian only. Reverts with NotGuardianOffice, PauserRequired, AlreadyPauser.
    /// @param pauser The account. Its key may be on an online machine.
    function addPauser(address pauser) external;

    /// @notice Revokes an account's right to pause.
    /// @dev Guardian only. Reverts with NotGuardianOffice, NotPauser.
    /// @param pauser The account.
    function removePauser(address pauser) external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice Whether an account is a pauser that the current guardian added. The constructor adds for the first
    /// guardian.
    /// @param account The account.
    /// @return Whether it may.
    function isPauser(address account) external view returns (bool);

    /// @notice The timelock whose guardian's office this contract obeys.
    /// @return Its address.
    function timelock() external view returns (address);

    /// @notice The bridge contract whose guardian this contract is.
    /// @return Its address.
    function bridge() external view returns (address);
}
