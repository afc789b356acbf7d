// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IBridgeGovernance} from "../interfaces/IBridgeGovernance.sol";
import {Attestations} from "../libraries/Attestations.sol";

/// @title Keys and pauses of both bridge contracts
/// @notice The admin (owner, two-step) changes keys and ceilings and lifts pauses. The guardian pauses. The policy
/// manager moves limits and fees below their ceilings. The relayer delivers. No account holds two roles.
/// @dev Not upgradeable: a new version is a new deployment and a succession. The timelock that owns the contract delays
/// every admin call, the handover to another admin included.
abstract contract BridgeRoles is IBridgeGovernance, Ownable2Step {
    // ------------------------------------------------------------------------------------------------- State

    /// @dev One slot, which every call reads and every beginning writes.
    struct State {
        address relayer;
        uint56 nonce;
        uint32 beginningsPausedUntil;
        uint8 flags;
    }

    /// @dev Seconds after which a guardian's pause of beginnings ends.
    uint256 private constant GUARDIAN_PAUSE = 7 days;
    /// @dev In State.flags: the threshold, in the lower 4 bits.
    uint8 internal constant THRESHOLD = 0x0f;
    /// @dev In State.flags: deliveries are paused.
    uint8 internal constant DELIVERIES_PAUSED = 0x10;
    /// @dev In State.flags: beginnings are closed permanently.
    uint8 private constant BEGINNINGS_CLOSED = 0x40;
    uint32 private constant WITHOUT_END = type(uint32).max;

    /// @inheritdoc IBridgeGovernance
    uint256 public immutable minimumThreshold;
    State internal _state;
    /// @dev Hash of the number and members of the attester set.
    bytes32 internal _attesterSet;

    /// @inheritdoc IBridgeGovernance
    address public guardian;
    /// @inheritdoc IBridgeGovernance
    address public policyManager;
    /// @inheritdoc IBridgeGovernance
    address public standby;
    /// @inheritdoc IBridgeGovernance
    mapping(address account => bool) public isRelayerWallet;

    uint256 private _setNumber;
    address[] private _attesters;
    /// @dev 256 bits never wrap: a call that names an old count must not lift a later pause.
    uint256 private _pauseCount;

    /// @dev Sets every role, so the deployer never needs one.
    constructor(Setup memory setup) Ownable(setup.admin) {
        minimumThreshold = setup.minimumThreshold;
        _setGuardian(setup.guardian);
        _setPolicyManager(setup.policyManager);
        _setRelayer(setup.relayer);
        if (setup.standby != address(0)) _setStandby(setup.standby);
        _setAttesters(setup.attesters, setup.threshold);
    }

    // ------------------------------------------------------------------------------------------------ Pauses

    /// @inheritdoc IBridgeGovernance
    function pause(bool beginnings, bool deliveries) external {
        bool byAdmin = msg.sender == owner();
        if (!byAdmin && msg.sender != guardian) revert NotGuardian(msg.sender);
        State memory state = _state;
        if (beginnings) {
            uint256 until = byAdmin ? WITHOUT_END : block.timestamp + GUARDIAN_PAUSE;
            // Fits until 2106. The guardian never shortens the admin's pause.
            if (until > state.beginningsPausedUntil) state.beginningsPausedUntil = uint32(until);
        }
        if (deliveries) state.flags |= DELIVERIES_PAUSED;
        ++_pauseCount;
        _setPauses(state);
    }

    /// @inheritdoc IBridgeGovernance
    function unpause(uint256 count, bool beginnings, bool deliveries) external onlyOwner {
        uint256 current = _pauseCount;
        if (count != current) revert PauseCountMismatch(count, current);
        State memory state = _state;
        if (beginnings && !_areBeginningsClosed()) state.beginningsPausedUntil = 0;
        if (deliveries) state.flags &= ~DELIVERIES_PAUSED;
        _setPauses(state);
    }

    /// @inheritdoc IBridgeGovernance
    function pauses() external view returns (uint256 beginningsPausedUntil, bool deliveriesPaused, uint256 count) {
        return (_state.beginningsPausedUntil, _areDeliveriesPaused(), _pauseCount);
    }

    // -------------------------------------------------------------------------------------------------- Keys

    /// @inheritdoc IBridgeGovernance
    function activateStandby() external {
        if (msg.sender != guardian) revert NotGuardian(msg.sender);
        address activated = standby;
        if (activated == address(0)) revert NoStandby();
        standby = address(0);
        emit StandbyChanged(address(0));
        _setRelayer(activated);
    }

    /// @inheritdoc IBridgeGovernance
    function setRelayer(address newRelayer) external onlyOwner {
        _setRelayer(newRelayer);
    }

    /// @inheritdoc IBridgeGovernance
    function setStandby(address newStandby) external onlyOwner {
        _setStandby(newStandby);
    }

    /// @inheritdoc IBridgeGovernance
    function setGuardian(address newGuardian) external onlyOwner {
        _setGuardian(newGuardian);
    }

    /// @inheritdoc IBridgeGovernance
    function setPolicyManager(address newPolicyManager) external onlyOwner {
        _setPolicyManager(newPolicyManager);
    }

    /// @inheritdoc IBridgeGovernance
    function setAttesters(address[] calldata newAttesters, uint256 newThreshold) external onlyOwner {
        _setAttesters(newAttesters, newThreshold);
    }

    /// @notice Proposes the next admin, who must accept.
    /// @dev Admin only, by Ownable2Step. Reverts with RoleTaken, FormerRelayer.
    /// @param newOwner The next admin; zero withdraws the offer.
    function transferOwnership(address newOwner) public override {
        if (newOwner != address(0)) _requireUnused(newOwner);
        super.transferOwnership(newOwner);
    }

    /// @notice Always reverts.
    /// @dev Reverts with AdminRequired.
    function renounceOwnership() public pure override {
        revert AdminRequired();
    }

    /// @inheritdoc IBridgeGovernance
    function relayer() external view returns (address) {
        return _state.relayer;
    }

    /// @inheritdoc IBridgeGovernance
    function attesters() external view returns (uint256 setNumber, address[] memory members, uint256 threshold) {
        return (_setNumber, _attesters, _state.flags & THRESHOLD);
    }

    // --------------------------------------------------------------------------------------------- Internals

    /// @dev Reverts when the account is zero or holds a role.
    function _requireFree(address account) internal view {
        if (account == address(0)) revert ZeroAddress();
        if (_holdsRole(account)) revert RoleTaken(account);
    }

    /// @dev As _requireFree, and reverts for a former relayer wallet: its key may have been stolen.
    function _requireUnused(address account) internal view {
        _requireFree(account);
        if (isRelayerWallet[account]) revert FormerRelayer(account);
    }

    /// @dev Whether the account holds a role other than attester.
    function _holdsRoleButAttester(address account) internal view virtual returns (bool) {
        return
            account == owner() ||
            account == pendingOwner() ||
            account == guardian ||
            account == policyManager ||
            account == _state.relayer ||
            account == standby;
    }

    function _areBeginningsPaused() internal view returns (bool) {
        return block.timestamp < _state.beginningsPausedUntil;
    }

    /// @dev Closes beginnings permanently.
    function _closeBeginnings() internal {
        State memory state = _state;
        state.beginningsPausedUntil = WITHOUT_END;
        state.flags |= BEGINNINGS_CLOSED;
        _setPauses(state);
    }

    function _areBeginningsClosed() internal view returns (bool) {
        return _state.flags & BEGINNINGS_CLOSED != 0;
    }

    function _areDeliveriesPaused() internal view returns (bool) {
        return _state.flags & DELIVERIES_PAUSED != 0;
    }

    function _holdsRole(address account) private view returns (bool) {
        if (_holdsRoleButAttester(account)) return true;
        for (uint256 i = 0; i < _attesters.length; ++i) if (_attesters[i] == account) return true;
        return false;
    }

    function _setPauses(State memory state) private {
        _state = state;
        bool deliveriesPaused = state.flags & DELIVERIES_PAUSED != 0;
        emit PauseSet(state.beginningsPausedUntil, deliveriesPaused, _pauseCount, msg.sender);
    }

    function _setRelayer(address newRelayer) private {
        _requireFree(newRelayer);
        emit RelayerChanged(_state.relayer, newRelayer);
        _state.relayer = newRelayer;
        isRelayerWallet[newRelayer] = true;
    }

    function _setStandby(address newStandby) private {
        if (newStandby != address(0)) _requireUnused(newStandby);
        standby = newStandby;
        emit StandbyChanged(newStandby);
    }

    function _setGuardian(address newGuardian) private {
        _requireUnused(newGuardian);
        emit GuardianChanged(guardian, newGuardian);
        guardian = newGuardian;
    }

    function _setPolicyManager(address newPolicyManager) private {
        _requireUnused(newPolicyManager);
        emit PolicyManagerChanged(policyManager, newPolicyManager);
        policyManager = newPolicyManager;
    }

    function _setAttesters(address[] memory members, uint256 threshold) private {
        uint256 count = members.length;
        if (count > Attestations.MAX_ATTESTERS) revert TooManyAttesters(count);
        if (threshold < minimumThreshold || threshold > count) {
            revert ThresholdOutOfRange(threshold, minimumThreshold, count);
        }
        address previous = address(0);
        for (uint256 i = 0; i < count; ++i) {
            if (members[i] <= previous) revert AttestersNotSorted(members[i]);
            if (_holdsRoleButAttester(members[i])) revert RoleTaken(members[i]);
            previous = members[i];
        }
        uint256 setNumber = ++_setNumber;
        _attesters = members;
        _attesterSet = Attestations.hashOf(setNumber, members);
        // Fits: at most 9.
        _state.flags = (_state.flags & ~THRESHOLD) | uint8(threshold);
        emit AttestersSet(setNumber, members, threshold);
    }
}
