// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Succession of a bridge contract by one of the next edition
/// @notice The admin announces a successor. After the exit window, and a day after beginnings were closed, the admin
/// hands it all funds except credits and fees. Operations that have begun are still delivered here.
/// @dev The window gives notice to users and to the admin's offices. It does not protect against a stolen admin that no
/// office stops. Most function names were chosen for a high selector: each lower one would add 22 gas to the dispatch
/// of other functions.
interface IBridgeSuccession {
    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A successor was announced, and the exit window began.
    /// @param successor The contract that takes over.
    /// @param handOverFrom Unix seconds from which the admin may hand over. Closing beginnings late postpones it.
    event SuccessorAnnounced(address indexed successor, uint256 handOverFrom);
    /// @notice The succession was ended before the first hand-over.
    /// @param successor The contract that does not take over.
    event SuccessionEnded(address indexed successor);
    /// @notice Beginnings were closed permanently.
    /// @param successor The contract that takes over.
    /// @param handOverFrom Unix seconds from which the admin may hand over: at least a day from now.
    event BeginningsClosed(address indexed successor, uint256 handOverFrom);
    /// @notice The successor received funds, or the right to mint a bridged token.
    /// @param successor The contract that takes over.
    /// @param token Token; address(0) is the native coin.
    /// @param amount Atomic units; 0 for the right to mint a bridged token.
    event HandedOver(address indexed successor, address indexed token, uint256 amount);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The deployment forbids successions: its exit window is 0.
    error SuccessionForbidden();
    /// @notice A successor is already announced.
    /// @param successor That successor.
    error SuccessorTaken(address successor);
    /// @notice The successor has no code, so no one could review it during the exit window.
    /// @param successor The account.
    error SuccessorWithoutCode(address successor);
    /// @notice No successor is announced.
    error NoSuccessor();
    /// @notice The succession cannot end, since the hand-over has begun.
    error HandOverHasBegun();
    /// @notice Beginnings are already closed, permanently.
    error BeginningsAreClosed();
    /// @notice Beginnings must be closed first.
    error BeginningsAreOpen();
    /// @notice This step is not allowed yet.
    /// @param earliest Unix seconds from which it is allowed.
    error TooEarly(uint256 earliest);
    /// @notice The amount is above the free balance. Credits and fees are not free.
    /// @param amount Atomic units asked for.
    /// @param free Atomic units that are neither credits nor fees.
    error AboveFree(uint256 amount, uint256 free);

    // ------------------------------------------------------------------------------------------------- Admin

    /// @notice Announces the successor. The exit window begins.
    /// @dev Admin only. Reverts with SuccessionForbidden, SuccessorTaken, SuccessorWithoutCode, ZeroAddress, RoleTaken,
    /// InvalidRecipient.
    /// @param successor The contract that takes over; it holds no role here.
    function announceSuccessor(address successor) external;

    /// @notice Ends the succession, so that another can be announced with a full exit window. Closed beginnings stay
    /// closed.
    /// @dev Admin only, before the first hand-over. Reverts with NoSuccessor, HandOverHasBegun.
    function terminateSuccession() external;

    /// @notice Hands funds that are neither credits nor fees to the successor: coin through its `topUp`, tokens by a
    /// transfer. On the partner chain, with amount 0, makes a bridged token accept the successor beside this contract.
    /// Can be called repeatedly.
    /// @dev Admin only, with beginnings closed. Reverts with NoSuccessor, BeginningsAreOpen, TooEarly, NotListed,
    /// ZeroAmount, AboveFree, Dust, BalanceMismatch, and with the errors of the successor or the token.
    /// @param token Token; address(0) is the native coin.
    /// @param amount Atomic units.
    function handOver(address token, uint256 amount) external;

    // ------------------------------------------------------------------------------------------------- Anyone

    /// @notice Closes beginnings permanently: deposits on Ethereum, burns and native withdrawals on the partner chain.
    /// @dev Anyone, from three days before the end of the exit window. Reverts with NoSuccessor, BeginningsAreClosed,
    /// TooEarly.
    function closeForEver() external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice The exit window and the announced succession.
    /// @return exitWindow Seconds between the announcement of a successor and the first hand-over; 0 forbids both.
    /// @return successor The contract that takes over; zero for none.
    /// @return handOverFrom Unix seconds from which the admin may hand over, once beginnings are closed.
    /// @return hasBegun Whether the hand-over has begun, so that the succession cannot end.
    function successionProgress()
        external
        view
        returns (uint256 exitWindow, address successor, uint256 handOverFrom, bool hasBegun);
}
