// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../interfaces/IBridgeGovernance.sol";
import {IOffices} from "../interfaces/IOffices.sol";
import {ISentinel} from "../interfaces/ISentinel.sol";

/// @title Sentinel
/// @notice The guardian of one bridge contract: hot keys pause through it, and the guardian's office, a cold key, does
/// the rest.
/// @dev Reads the office from the timelock, so replacing the guardian is one write and revokes all pausers of the
/// previous one.
contract Sentinel is ISentinel {
    /// @dev The first guardian of a timelock takes office in this round.
    uint256 private constant FIRST_ROUND = 1;

    /// @inheritdoc ISentinel
    address public immutable timelock;
    /// @inheritdoc ISentinel
    address public immutable bridge;
    /// @dev The round in which the guardian who added the pauser took office; 0 for none.
    mapping(address pauser => uint256 round) private _addedIn;

    modifier onlyGuardian() {
        if (!_isGuardian(msg.sender)) revert NotGuardianOffice(msg.sender);
        _;
    }

    /// @notice Creates the guardian of a bridge contract.
    /// @param timelock_ The AdminTimelock that is the admin of the bridge contract.
    /// @param bridge_ The bridge contract.
    /// @param pausers The accounts that may pause while the first guardian is in office.
    constructor(address timelock_, address bridge_, address[] memory pausers) {
        timelock = timelock_;
        bridge = bridge_;
        for (uint256 i = 0; i < pausers.length; ++i) _add(pausers[i], FIRST_ROUND);
    }

    /// @inheritdoc ISentinel
    function pause(bool beginnings, bool deliveries) external {
        if (!isPauser(msg.sender) && !_isGuardian(msg.sender)) revert NotPauser(msg.sender);
        emit PausedBy(msg.sender);
        IBridgeGovernance(bridge).pause(beginnings, deliveries);
    }

    /// @inheritdoc ISentinel
    function activateStandby() external onlyGuardian {
        IBridgeGovernance(bridge).activateStandby();
    }

    /// @inheritdoc ISentinel
    function addPauser(address pauser) external onlyGuardian {
        if (isPauser(pauser)) revert AlreadyPauser(pauser);
        _add(pauser, IOffices(timelock).guardianRound());
    }

    /// @inheritdoc ISentinel
    function removePauser(address pauser) external onlyGuardian {
        if (!isPauser(pauser)) revert NotPauser(pauser);
        delete _addedIn[pauser];
        emit PauserRemoved(pauser);
    }

    /// @inheritdoc ISentinel
    function isPauser(address account) public view returns (bool) {
        uint256 addedIn = _addedIn[account];
        return addedIn != 0 && addedIn == IOffices(timelock).guardianRound();
    }

    function _add(address pauser, uint256 round) private {
        if (pauser == address(0)) revert PauserRequired();
        _addedIn[pauser] = round;
        emit PauserAdded(pauser, round);
    }

    function _isGuardian(address account) private view returns (bool) {
        return account == IOffices(timelock).guardian();
    }
}
