// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev Actions of the role holders: pauses, keys, limits, fees and listings. A setting that stops others is undone
/// after some turns; otherwise soon nothing would happen.
abstract contract GovernorActions is BridgeState {
    enum Cause {
        Pause,
        Limit,
        Listing,
        Fees,
        Blocklist,
        Chaos
    }

    struct Fault {
        Cause kind;
        uint256 asset;
        bool onLock;
        uint256 until;
    }

    uint256 private constant FAULT_TURNS = 12;

    uint256 public turns;
    Fault[] private _faults;
    uint256 private _firstFault;

    function _fault(Cause kind, uint256 asset, bool onLock) internal {
        _faults.push(Fault(kind, asset, onLock, turns + FAULT_TURNS));
    }

    /// @dev All faults last equally long, so the oldest ends first.
    function _undoOldFaults() internal {
        turns++;
        while (_firstFault < _faults.length && _faults[_firstFault].until <= turns) {
            Fault memory past = _faults[_firstFault++];
            (BridgeEnd end, ) = _end(past.onLock, past.asset);
            if (past.kind == Cause.Pause) {
                vm.prank(_admin);
                end.setPause(false, false);
            } else if (past.kind == Cause.Limit) _limit(past.asset, past.onLock, CAPACITY, WINDOW);
            else if (past.kind == Cause.Listing) _list(past.asset, past.onLock, true);
            else if (past.kind == Cause.Fees) {
                vm.prank(_policyManager);
                bridgeMint.setFeePolicy(there[past.asset], 25, 1_000, 10_000);
            } else if (past.kind == Cause.Blocklist) {
                _usdc.setBlocklisted(address(lock), false);
                for (uint256 i = 0; i < actors.length; i++) _usdc.setBlocklisted(actors[i], false);
            } else chaos.setMode(ChaoticToken.Mode.Honest);
        }
    }

    function _pause(bool onLock, bool inbound, bool outbound) internal {
        (BridgeEnd end, ) = _end(onLock, 0);
        vm.prank(_guardian);
        end.pause(inbound, outbound);
        _fault(Cause.Pause, 0, onLock);
    }

    /// @dev Between half and three times the next delivery: some deliveries fit, and some do not.
    function _tighten(uint256 asset, bool onLock, uint256 seed) internal {
        Operation[] storage waiting = onLock ? _toRelease[asset] : _toMint[asset];
        uint256 usual = 1e15;
        if (waiting.length > 0) {
            Operation memory next = waiting[seed % waiting.length];
            usual = next.amount + next.fee;
        }
        uint256 capacity = (usual * (50 + ((seed >> 8) % 250))) / 100;
        uint256 scale = 1;
        while (capacity / scale > 1e9) scale *= 10;
        _limit(asset, onLock, uint128((capacity / scale) * scale), uint32(60 + ((seed >> 16) % 7_200)));
        _fault(Cause.Limit, asset, onLock);
    }

    function _setFees(uint256 asset, uint256 seed) internal {
        uint112 minFee = uint112(seed % 1e9);
        vm.prank(_policyManager);
        bridgeMint.setFeePolicy(there[asset], uint16((seed >> 32) % 1_000), minFee, minFee + 1_000);
        _fault(Cause.Fees, asset, false);
    }

    function _delist(uint256 asset, bool onLock) internal {
        _list(asset, onLock, false);
        _fault(Cause.Listing, asset, onLock);
    }

    /// @dev Blocks the next recipient if there is one, or any actor, and sometimes the bridge itself.
    function _blockUsdc(uint256 seed, uint256 next) internal {
        address account = seed % 8 == 0 ? address(lock) : _actor(seed >> 8);
        Operation[] storage waiting = _toRelease[1];
        if (seed % 8 > 1 && waiting.length > 0) account = waiting[next % waiting.length].recipient;
        _usdc.setBlocklisted(account, true);
        _fault(Cause.Blocklist, 0, true);
    }

    function _rotateRelayer(uint256 seed) internal {
        _relayer = _wallets[seed % _wallets.length];
        vm.startPrank(_admin);
        lock.setRelayer(_relayer);
        bridgeMint.setRelayer(_relayer);
        vm.stopPrank();
        _record("rotation", 0);
    }

    function _setTreasury(uint256 seed) internal {
        vm.prank(_admin);
        lock.setTreasury(_treasuries[seed % 2]);
    }

    /// @dev Replaces the guardian and the policy manager. The former ones must have no rights afterwards.
    function _changeRoleHolders(uint256 seed, bool onLock) internal {
        (address guardian, address manager) = (_guardian, _policyManager);
        _guardian = address(uint160(0x6D00 + (seed % 8)));
        _policyManager = address(uint160(0x9000 + ((seed >> 8) % 8)));
        // Both contracts have the same role holders.
        for (uint256 i = 0; i < 2; i++) {
            (BridgeEnd end, address token) = _end(i == 0 ? onLock : !onLock, 1);
            vm.startPrank(_admin);
            if (guardian != _guardian) {
                end.grantRole(end.GUARDIAN_ROLE(), _guardian);
                end.revokeRole(end.GUARDIAN_ROLE(), guardian);
            }
            if (manager != _policyManager) {
                end.grantRole(end.POLICY_MANAGER_ROLE(), _policyManager);
                end.revokeRole(end.POLICY_MANAGER_ROLE(), manager);
            }
            vm.stopPrank();
            if (guardian != _guardian) _mustFail(guardian, address(end), abi.encodeCall(end.pause, (true, true)));
            bytes memory widen = abi.encodeCall(end.setOutflowLimit, (token, 1e24, 1));
            if (manager != _policyManager) _mustFail(manager, address(end), widen);
            _mustFail(_guardian, address(end), widen);
            _mustFail(_policyManager, address(end), abi.encodeCall(end.pause, (true, true)));
        }
        _record("role holders changed", 0);
    }

    /// @dev Begins a transfer of the admin role and accepts it a day later. The former admin must have no rights then.
    function _changeAdmin() internal {
        address former = _admin;
        _admin = former == address(0xAD01) ? address(0xAD02) : address(0xAD01);
        for (uint256 i = 0; i < 2; i++) {
            (BridgeEnd end, ) = _end(i == 0, 0);
            vm.prank(former);
            end.beginDefaultAdminTransfer(_admin);
            _mustFail(_admin, address(end), abi.encodeCall(end.acceptDefaultAdminTransfer, ()));
        }
        _wait(1 days + 1);
        for (uint256 i = 0; i < 2; i++) {
            (BridgeEnd end, ) = _end(i == 0, 0);
            vm.prank(_admin);
            end.acceptDefaultAdminTransfer();
            _mustFail(former, address(end), abi.encodeCall(end.setPause, (false, false)));
        }
        _record("admin changed", 0);
    }

    function _wait(uint256 elapsed) internal {
        _time += elapsed;
        vm.warp(_time);
    }

    function _mustFail(address from, address to, bytes memory call) internal {
        if (_callAs(from, to, 0, call)) unauthorised++;
    }

    function _list(uint256 asset, bool onLock, bool allowed) private {
        (BridgeEnd end, address token) = _end(onLock, asset);
        vm.prank(_admin);
        end.setToken(token, allowed, asset == XCN_ASSET ? 10 : 0);
    }
}
