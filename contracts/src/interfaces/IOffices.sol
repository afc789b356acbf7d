// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The offices of a bridge contract's admin
/// @notice Three accounts. Any two of them can vote to replace the third, lift pauses and end successions.
interface IOffices {
    /// @notice Owner: announces and executes calls. Guardian: cancels them. Recovery: only votes.
    enum Office {
        Owner,
        Guardian,
        Recovery
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice An office voted. The same vote by a second office executes it.
    /// @param subject Hash of the vote's call data.
    /// @param voter The office's account.
    /// @param until The last second in which the vote counts.
    event Voted(bytes32 indexed subject, address indexed voter, uint256 until);
    /// @notice An office took back its vote.
    /// @param subject Hash of the vote's call data.
    /// @param voter The office's account.
    event VoteWithdrawn(bytes32 indexed subject, address indexed voter);
    /// @notice A second office gave the same vote, which executed it.
    /// @param subject Hash of the vote's call data.
    /// @param first The account that voted first.
    /// @param second The account whose vote executed it.
    event VoteCarried(bytes32 indexed subject, address indexed first, address indexed second);
    /// @notice An office passed to another account, and a new round began.
    /// @param office The office.
    /// @param former The previous account.
    /// @param account The new account.
    /// @param round The new round.
    event OfficeReplaced(Office indexed office, address indexed former, address indexed account, uint256 round);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The caller holds no office.
    /// @param caller The caller.
    error NotAnOffice(address caller);
    /// @notice The account already holds an office.
    /// @param account The account.
    error OfficeTaken(address account);
    /// @notice The account of an office is zero.
    error OfficeRequired();
    /// @notice The vote is for another round.
    /// @param round The round of the vote.
    /// @param current The current round.
    error RoundMismatch(uint256 round, uint256 current);
    /// @notice The caller already gave this vote, and it still counts.
    /// @param subject Hash of the vote's call data.
    /// @param until The last second in which it counts.
    error AlreadyVoted(bytes32 subject, uint256 until);
    /// @notice The caller has no vote that counts on this subject.
    /// @param subject Hash of the vote's call data.
    error NoVote(bytes32 subject);
    /// @notice This timelock is not the admin of the bridge contract.
    /// @param bridge The contract.
    error NotAdministered(address bridge);
    /// @notice The bridge contract has announced another successor, or none.
    /// @param successor The successor of the vote.
    /// @param current The announced one; zero for none.
    error SuccessorMismatch(address successor, address current);

    // ------------------------------------------------------------------------------------------------- Votes

    /// @notice Votes to replace the account of an office. The replacement begins a new round.
    /// @dev Offices only. Reverts with NotAnOffice, RoundMismatch, OfficeRequired, OfficeTaken, AlreadyVoted.
    /// @param inRound The current round.
    /// @param office The office.
    /// @param account Its new account, which must not hold an office.
    function voteReplace(uint256 inRound, Office office, address account) external;

    /// @notice Votes to lift pauses of a bridge contract immediately.
    /// @dev Offices only. Reverts with NotAnOffice, RoundMismatch, NotAdministered, AlreadyVoted, and as `unpause` of
    /// the bridge contract does.
    /// @param inRound The current round.
    /// @param bridge The bridge contract.
    /// @param count Its current pause count, so that a later pause is not lifted.
    /// @param beginnings Whether beginnings resume.
    /// @param deliveries Whether deliveries resume.
    function voteUnpause(uint256 inRound, address bridge, uint256 count, bool beginnings, bool deliveries) external;

    /// @notice Votes to end the succession of a bridge contract immediately.
    /// @dev Offices only. Reverts with NotAnOffice, RoundMismatch, NotAdministered, SuccessorMismatch, AlreadyVoted,
    /// and as `terminateSuccession` of the bridge contract does.
    /// @param inRound The current round.
    /// @param bridge The bridge contract.
    /// @param successor Its announced successor, so that no other succession ends.
    function voteEnd(uint256 inRound, address bridge, address successor) external;

    /// @notice Takes back the caller's vote.
    /// @dev Only the account that voted. Reverts with NoVote.
    /// @param subject Hash of the vote's call data.
    function withdrawVote(bytes32 subject) external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice The account that announces and executes calls.
    /// @return The account.
    function owner() external view returns (address);

    /// @notice The account that cancels announced calls.
    /// @return The account.
    function guardian() external view returns (address);

    /// @notice The account that only votes.
    /// @return The account.
    function recovery() external view returns (address);

    /// @notice One more than the number of replacements so far.
    /// @return The round.
    function round() external view returns (uint256);

    /// @notice The round in which the guardian took office.
    /// @return The round.
    function guardianRound() external view returns (uint256);

    /// @notice Until when a vote counts.
    /// @param subject Hash of the vote's call data.
    /// @param voter The account that may have voted.
    /// @return Unix seconds; 0 without a vote.
    function votedUntil(bytes32 subject, address voter) external view returns (uint256);
}
