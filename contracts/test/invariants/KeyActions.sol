// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridge} from "../fixtures/Interfaces.sol";
import {GovernorActions} from "./GovernorActions.sol";

/// @dev Actions of the admin and the guardian on keys. Both contracts have the same role holders. A former holder must
/// have no rights, and no account may get a second role.
abstract contract KeyActions is GovernorActions {
    /// @dev The campaign's highest threshold.
    function _thresholdTop() internal pure virtual returns (uint256) {
        return 3;
    }

    function _rotateRelayer(uint256 seed) internal {
        // The last wallet first becomes the relayer as standby, which a former relayer cannot be.
        address next = _wallets[seed % (_wasRelayer[_wallets[2]] ? 3 : 2)];
        bool isTaken = next == _relayer || next == _standby;
        for (uint256 i = 0; i < 2; i++) {
            bytes memory call = abi.encodeCall(lock.setRelayer, (next));
            if (_callAs(_admin, _side(i == 0), 0, call) == isTaken) wrongEffects++;
        }
        if (isTaken) return;
        (_relayer, _wasRelayer[next]) = (next, true);
        _record("rotation", 0);
    }

    /// @dev The admin announces or withdraws a wallet; only the guardian activates it, once.
    function _useStandby(uint256 seed) internal {
        bytes memory activation = abi.encodeCall(lock.activateStandby, ());
        address next = _wallets[(seed >> 8) % _wallets.length];
        if (next == _relayer || seed % 8 == 0) next = address(0);
        if (_wasRelayer[next]) {
            bytes memory announcement = abi.encodeCall(lock.setStandby, (next));
            for (uint256 i = 0; i < 2; i++) _mustFail(_admin, _side(i == 0), announcement);
            next = _standby;
        }
        for (uint256 i = 0; i < 2 && next != _standby; i++) {
            vm.prank(_admin);
            _governed(i == 0).setStandby(next);
        }
        _standby = next;
        if (seed % 2 == 0) return;
        for (uint256 i = 0; i < 2; i++) {
            address side = _side(i == 0);
            _mustFail(_admin, side, activation);
            _mustFail(_relayer, side, activation);
            if (_callAs(_guardian, side, 0, activation) == (next == address(0))) wrongEffects++;
            _mustFail(_guardian, side, activation);
        }
        if (next == address(0)) return;
        (_relayer, _standby, _wasRelayer[next]) = (next, address(0), true);
        _record("standby activated", 0);
    }

    /// @dev A new set with another number, and thresholds that are refused.
    function _rotateAttesters(uint256 seed) internal {
        (uint256 floor, uint256 top) = (_thresholdFloor(), _thresholdTop());
        _choose(seed, floor + ((seed >> 8) % (top - floor + 1)));
        _setNumber++;
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = _governed(i == 0);
            bytes memory call = abi.encodeCall(bridge.setAttesters, (_members, _members.length + 1));
            _mustFail(_admin, address(bridge), call);
            if (floor > 0) {
                _mustFail(_admin, address(bridge), abi.encodeCall(bridge.setAttesters, (_members, floor - 1)));
            }
            vm.prank(_admin);
            bridge.setAttesters(_members, _threshold);
        }
        _record("attesters changed", 0);
    }

    /// @dev Replaces the guardian and the policy manager.
    function _changeRoleHolders(uint256 seed) internal {
        (address guardian, address manager) = (_guardian, _policyManager);
        _guardian = address(uint160(0x6D00 + (seed % 8)));
        _policyManager = address(uint160(0x9000 + ((seed >> 8) % 8)));
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = _governed(i == 0);
            vm.startPrank(_admin);
            if (guardian != _guardian) bridge.setGuardian(_guardian);
            if (manager != _policyManager) bridge.setPolicyManager(_policyManager);
            vm.stopPrank();
            if (guardian != _guardian) _mustFail(guardian, address(bridge), abi.encodeCall(bridge.pause, (true, true)));
            bytes memory limit = abi.encodeCall(bridge.setOutflowLimit, (_token(i == 0, 1), CAPACITY, WINDOW));
            if (manager != _policyManager) _mustFail(manager, address(bridge), limit);
            _mustFail(_guardian, address(bridge), limit);
            _mustFail(_policyManager, address(bridge), abi.encodeCall(bridge.pause, (true, true)));
        }
        _record("role holders changed", 0);
    }

    /// @dev Begins a transfer of the admin role and accepts it. The former admin must then have no rights.
    function _changeAdmin() internal {
        address former = _admin;
        _admin = former == address(0xAD01) ? address(0xAD02) : address(0xAD01);
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = _governed(i == 0);
            _mustFail(_admin, address(bridge), abi.encodeCall(bridge.acceptOwnership, ()));
            vm.prank(former);
            bridge.transferOwnership(_admin);
            // The next admin holds a role already.
            _mustFail(former, address(bridge), abi.encodeCall(bridge.setRelayer, (_admin)));
            vm.prank(_admin);
            bridge.acceptOwnership();
            _mustFail(former, address(bridge), abi.encodeCall(bridge.setStandby, (address(0))));
            _mustFail(_admin, address(bridge), abi.encodeCall(bridge.renounceOwnership, ()));
        }
        _record("admin changed", 0);
    }

    /// @dev No account gets a second role.
    function _doubleRole(uint256 seed, bool onLock) internal {
        address holder = _roleHolder(seed, onLock);
        if (holder == address(0)) return;
        IBridge bridge = _governed(onLock);
        uint256 which = (seed >> 8) % (onLock ? 7 : 6);
        bytes memory call;
        if (which == 0) call = abi.encodeCall(bridge.setRelayer, (holder));
        else if (which == 1) call = abi.encodeCall(bridge.setStandby, (holder));
        else if (which == 2) call = abi.encodeCall(bridge.setGuardian, (holder));
        else if (which == 3) call = abi.encodeCall(bridge.setPolicyManager, (holder));
        else if (which == 4) call = abi.encodeCall(bridge.transferOwnership, (holder));
        else if (which == 6) call = abi.encodeCall(lock.setTreasury, (holder));
        else {
            for (uint256 i = 0; i < _members.length; i++) if (_members[i] == holder) return;
            address[] memory one = new address[](1);
            one[0] = holder;
            call = abi.encodeCall(bridge.setAttesters, (one, _thresholdFloor()));
        }
        _mustFail(_admin, address(bridge), call);
        _record("second role refused", which % ASSETS);
    }

    function _roleHolder(uint256 seed, bool onLock) private view returns (address) {
        uint256 which = seed % 7;
        if (which == 0) return _admin;
        if (which == 1) return _guardian;
        if (which == 2) return _policyManager;
        if (which == 3) return _relayer;
        if (which == 4) return _standby;
        if (which == 5 && onLock) return lock.treasury();
        return _members.length == 0 ? address(0) : _members[(seed >> 16) % _members.length];
    }
}
