// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IBridgeGovernance} from "../interfaces/IBridgeGovernance.sol";
import {IBridgeSuccession} from "../interfaces/IBridgeSuccession.sol";
import {IOffices} from "../interfaces/IOffices.sol";

/// @title Offices
/// @notice Owner, guardian and recovery, and their votes. One stolen key cannot freeze the admin: the other two offices
/// replace it immediately, and no pause, cancellation or delay can stop them.
/// @dev The hash of its call data identifies a vote. The call data has the round, so a replacement voids all votes.
abstract contract Offices is IOffices {
    uint256 private constant VOTE_LIFETIME = 3 days;

    /// @inheritdoc IOffices
    uint256 public round = 1;
    /// @inheritdoc IOffices
    uint256 public guardianRound = 1;
    /// @inheritdoc IOffices
    mapping(bytes32 subject => mapping(address voter => uint256)) public votedUntil;
    /// @dev Indexed by office.
    address[3] private _accounts;

    constructor(address owner_, address guardian_, address recovery_) {
        _fill(Office.Owner, owner_);
        _fill(Office.Guardian, guardian_);
        _fill(Office.Recovery, recovery_);
    }

    // ------------------------------------------------------------------------------------------------- Votes

    /// @inheritdoc IOffices
    function voteReplace(uint256 inRound, Office office, address account) external {
        _requireNew(account);
        if (_vote(inRound)) _replace(office, account);
    }

    /// @inheritdoc IOffices
    function voteUnpause(uint256 inRound, address bridge, uint256 count, bool beginnings, bool deliveries) external {
        _requireAdministered(bridge);
        if (_vote(inRound)) IBridgeGovernance(bridge).unpause(count, beginnings, deliveries);
    }

    /// @inheritdoc IOffices
    function voteEnd(uint256 inRound, address bridge, address successor) external {
        _requireAdministered(bridge);
        (, address current, , ) = IBridgeSuccession(bridge).successionProgress();
        if (successor != current) revert SuccessorMismatch(successor, current);
        if (_vote(inRound)) IBridgeSuccession(bridge).terminateSuccession();
    }

    /// @inheritdoc IOffices
    function withdrawVote(bytes32 subject) external {
        if (!_counts(subject, msg.sender)) revert NoVote(subject);
        delete votedUntil[subject][msg.sender];
        emit VoteWithdrawn(subject, msg.sender);
    }

    /// @inheritdoc IOffices
    function owner() public view returns (address) {
        return _accounts[uint256(Office.Owner)];
    }

    /// @inheritdoc IOffices
    function guardian() public view returns (address) {
        return _accounts[uint256(Office.Guardian)];
    }

    /// @inheritdoc IOffices
    function recovery() public view returns (address) {
        return _accounts[uint256(Office.Recovery)];
    }

    // --------------------------------------------------------------------------------------------- Internals

    /// @dev Passes an office to another account, which must not hold one.
    function _replace(Office office, address account) internal {
        address former = _accounts[uint256(office)];
        _fill(office, account);
        uint256 next = ++round;
        if (office == Office.Guardian) guardianRound = next;
        emit OfficeReplaced(office, former, account, next);
    }

    /// @dev Records the caller's vote for this call data. If another office already gave the same vote, consumes both
    /// and returns true.
    function _vote(uint256 inRound) private returns (bool isCarried) {
        if (!_isOffice(msg.sender)) revert NotAnOffice(msg.sender);
        if (inRound != round) revert RoundMismatch(inRound, round);
        bytes32 subject = keccak256(msg.data);
        if (_counts(subject, msg.sender)) revert AlreadyVoted(subject, votedUntil[subject][msg.sender]);
        for (uint256 i = 0; i < _accounts.length; ++i) {
            address other = _accounts[i];
            if (!_counts(subject, other)) continue;
            delete votedUntil[subject][other];
            emit VoteCarried(subject, other, msg.sender);
            return true;
        }
        uint256 until = block.timestamp + VOTE_LIFETIME;
        votedUntil[subject][msg.sender] = until;
        emit Voted(subject, msg.sender, until);
    }

    function _fill(Office office, address account) private {
        _requireNew(account);
        _accounts[uint256(office)] = account;
    }

    function _counts(bytes32 subject, address voter) private view returns (bool) {
        return block.timestamp <= votedUntil[subject][voter];
    }

    function _isOffice(address account) private view returns (bool) {
        return account == _accounts[0] || account == _accounts[1] || account == _accounts[2];
    }

    function _requireNew(address account) private view {
        if (account == address(0)) revert OfficeRequired();
        if (_isOffice(account)) revert OfficeTaken(account);
    }

    function _requireAdministered(address bridge) private view {
        if (Ownable(bridge).owner() != address(this)) revert NotAdministered(bridge);
    }
}
