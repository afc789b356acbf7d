// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Succession of a bridge contract by one of the next edition
/// @notice The admin announces a successor. After the exit window, and a day after beginnings were closed, the admin
/// hands it the funds beside credits and fees. Operations that have begun are still delivered here.
/// @dev The window is notice for users and for the offices of the admin. It does not protect from a stolen admin that
/// no account stops. Most names have a high selector: each lower one would make finding a function 22 gas dearer.
interface IBridgeSuccession {
    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A successor was announced, and the exit window began.
    /// @param successor The contract that takes over.
    /// @param handOverFrom Unix seconds from which the admin may hand over; later when beginnings are closed late.
    event SuccessorAnnounced(address indexed successor, uint256 handOverFrom);
    /// @notice The succession was ended before anything was handed over.
    /// @param successor The contract that does not take over.
    event SuccessionEnded(address indexed successor);
    /// @notice No operation begins here any more.
    /// @param successor The contract that takes over.
    /// @param handOverFrom Unix seconds from which the admin may hand over: at least a day from now.
    event BeginningsClosed(address indexed successor, uint256 handOverFrom);
    /// @notice Funds, or the right to mint a bridged token, went to the successor.
    /// @param successor The contract that takes over.
    /// @param token Token; address(0) is the native coin.
    /// @param amount Atomic units; 0 for the right to mint a bridged token.
    event HandedOver(address indexed successor, address indexed token, uint256 amount);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The deployment forbids successions: its exit window is 0.
    error SuccessionForbidden();
    /// @notice A successor is announced already.
    /// @param successor That successor.
    error SuccessorTaken(address successor);
    /// @notice The successor has no code that could be read during the exit window.
    /// @param successor The account.
    error SuccessorWithoutCode(address successor);
    /// @notice No successor is announced.
    error NoSuccessor();
    /// @notice Something was handed over, so the succession does not end.
    error HandOverHasBegun();
    /// @notice Beginnings were closed before, which has no way back.
    error BeginningsAreClosed();
    /// @notice Beginnings must be closed first.
    error BeginningsAreOpen();
    /// @notice The time of this step has not come.
    /// @param earliest Unix seconds from which it may be taken.
    error TooEarly(uint256 earliest);
    /// @notice More than is free: the rest are credits and fees.
    /// @param amount Atomic units asked for.
    /// @param free Atomic units that are neither credits nor fees.
    error AboveFree(uint256 amount, uint256 free);

    // ------------------------------------------------------------------------------------------------- Admin

    /// @notice Announces the successor. The exit window begins.
    /// @dev Admin only. Reverts with SuccessionForbidden, SuccessorTaken, SuccessorWithoutCode, ZeroAddress, RoleTaken,
    /// InvalidRecipient.
    /// @param successor The contract that takes over; it holds no role here.
    function announceSuccessor(address successor) external;

    /// @notice Ends the succession, so that another may be announced with the whole window. Beginnings that were closed
    /// stay closed.
    /// @dev Admin only, until something was handed over. Reverts with NoSuccessor, HandOverHasBegun.
    function terminateSuccession() external;

    /// @notice Hands funds that are neither credits nor fees to the successor: coin by its `topUp`, tokens by a
    /// transfer. On the partner chain a bridged token, with amount 0, accepts the successor beside this contract.
    /// May be called again.
    /// @dev Admin only, with beginnings closed. Reverts with NoSuccessor, BeginningsAreOpen, TooEarly, NotListed,
    /// ZeroAmount, AboveFree, Dust, BalanceMismatch, and as the successor or the token does.
    /// @param token Token; address(0) is the native coin.
    /// @param amount Atomic units.
    function handOver(address token, uint256 amount) external;

    // ---------------------------------------------------------------------------------------------- Everybody

    /// @notice Closes beginnings for ever: deposits here, burns and native withdrawals on the partner chain.
    /// @dev Anyone, from three days before the end of the exit window. Reverts with NoSuccessor, BeginningsAreClosed,
    /// TooEarly.
    function closeForEver() external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice The exit window and the announced succession.
    /// @return exitWindow Seconds between the announcement of a successor and the first hand-over; 0 forbids both.
    /// @return successor The contract that takes over; zero for none.
    /// @return handOverFrom Unix seconds from which the admin may hand over, once beginnings are closed.
    /// @return hasBegun Whether something was handed over: then nothing ends the succession.
    function successionProgress()
        external
        view
        returns (uint256 exitWindow, address successor, uint256 handOverFrom, bool hasBegun);
}
