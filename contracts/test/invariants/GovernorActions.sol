// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridge} from "../fixtures/Interfaces.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev Actions of the role holders on settings: pauses, limits, ceilings, fees and listings. A setting that stops
/// operations is undone after some turns; otherwise the campaign would soon stall.
abstract contract GovernorActions is BridgeState {
    enum Cause {
        Pause,
        Limits,
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
    uint256 private constant GUARDIAN_PAUSE = 7 days;

    Fault[] private _faults;
    uint256 private _firstFault;

    function _fault(Cause kind, uint256 asset, bool onLock) internal {
        _faults.push(Fault(kind, asset, onLock, turns + FAULT_TURNS));
    }

    /// @dev All faults last equally long, so the oldest one ends first.
    function _undoOldFaults() internal {
        turns++;
        while (_firstFault < _faults.length && _faults[_firstFault].until <= turns) _undo(_faults[_firstFault++]);
    }

    /// @dev Undoes every setting that stops an account.
    function _undoAllFaults() internal {
        while (_firstFault < _faults.length) _undo(_faults[_firstFault++]);
    }

    function _pause(bool onLock, bool beginnings, bool deliveries, bool byAdmin) internal {
        vm.prank(byAdmin ? _admin : _guardian);
        _governed(onLock).pause(beginnings, deliveries);
        PauseState storage pauses = _pauses[onLock];
        uint256 until = byAdmin ? WITHOUT_END : _time + GUARDIAN_PAUSE;
        if (beginnings && until > pauses.beginningsUntil) pauses.beginningsUntil = until;
        if (deliveries) pauses.deliveries = true;
        pauses.count++;
        _fault(Cause.Pause, 0, onLock);
    }

    /// @dev Lifts pauses, which needs the current count.
    function _unpause(bool onLock, bool beginnings, bool deliveries) internal {
        PauseState storage pauses = _pauses[onLock];
        IBridge bridge = _governed(onLock);
        uint256 count = pauses.count;
        unchecked {
            bytes memory old = abi.encodeCall(bridge.unpause, (count - 1, beginnings, deliveries));
            _mustFail(_admin, address(bridge), old);
        }
        vm.prank(_admin);
        bridge.unpause(count, beginnings, deliveries);
        if (beginnings && !_closed[onLock]) pauses.beginningsUntil = 0;
        if (deliveries) pauses.deliveries = false;
    }

    /// @dev The guardian pauses both directions, and the admin does nothing or extends the pause. Beginnings resume
    /// after seven days unless extended; deliveries never do.
    function _outwait(bool onLock, bool confirmed) internal {
        _pause(onLock, true, true, false);
        if (confirmed) _pause(onLock, true, false, true);
        _wait(GUARDIAN_PAUSE);
        if (_areBeginningsStopped(onLock) != _arePaused(onLock, true)) wrongEffects++;
        if (!confirmed && !_arePaused(onLock, true)) _record("pause ended by time", onLock ? 0 : 1);
        if (!_areDeliveriesStopped(onLock)) wrongEffects++;
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
        uint256 window = 60 * (1 + ((seed >> 16) % 120));
        IBridgeGovernance.Limits storage ceiling = _settings[onLock][asset].ceiling;
        if (capacity > ceiling.capacity) capacity = ceiling.capacity;
        if (window < ceiling.window) window = ceiling.window;
        _setLimit(asset, onLock, (capacity / LIMIT_UNIT) * LIMIT_UNIT, window);
        _fault(Cause.Limits, asset, onLock);
    }

    /// @dev The maximum of an operation that begins, from nothing to the ceiling.
    function _lowerMaximum(uint256 asset, bool onLock, uint256 seed) internal {
        uint256 most = _settings[onLock][asset].ceiling.maxAmount / LIMIT_UNIT;
        _setMaximum(asset, onLock, ((seed % (most + 1)) / 10 ** ((seed >> 32) % 6)) * LIMIT_UNIT);
        _fault(Cause.Limits, asset, onLock);
    }

    /// @dev A new ceiling lowers the limits. The policy manager cannot exceed it.
    function _setCeiling(uint256 asset, bool onLock, uint256 seed) internal {
        uint256 capacity = ((seed % (2 * CAPACITY)) / LIMIT_UNIT / 10 ** ((seed >> 96) % 5)) * LIMIT_UNIT;
        uint256 maxAmount = (((seed >> 128) % (2 * MAX_AMOUNT)) / LIMIT_UNIT) * LIMIT_UNIT;
        uint256 window = 60 * (1 + ((seed >> 104) % 120));
        _putCeiling(asset, onLock, IBridgeGovernance.Limits(capacity, window, maxAmount));
        IBridge bridge = _governed(onLock);
        address token = _token(onLock, asset);
        bytes memory call = abi.encodeCall(bridge.setOutflowLimit, (token, capacity + LIMIT_UNIT, window));
        _mustFail(_policyManager, address(bridge), call);
        call = abi.encodeCall(bridge.setOutflowLimit, (token, capacity, window - 60));
        _mustFail(_policyManager, address(bridge), call);
        call = abi.encodeCall(bridge.setMaxAmount, (token, maxAmount + LIMIT_UNIT));
        _mustFail(_policyManager, address(bridge), call);
        _record("ceiling set", asset);
        _fault(Cause.Limits, asset, onLock);
    }

    /// @dev Fees below a ceiling that may be lower than usual.
    function _setFees(uint256 asset, uint256 seed) internal {
        uint96 minFee = uint96(seed % 1e9);
        uint16 bps = uint16((seed >> 32) % 1_000);
        IBridgeMint.FeePolicy memory ceiling = IBridgeMint.FeePolicy(bps, minFee, minFee + 1_000);
        address token = there[asset];
        if (seed % 2 == 0) {
            vm.prank(_admin);
            bridgeMint.setFeeCeiling(token, ceiling);
            (uint16 newBps, uint96 newMinFee, uint96 newMinAmount) = bridgeMint.feePolicy(token);
            if (newBps > bps || newMinFee > minFee || newMinAmount > minFee + 1_000) wrongEffects++;
            IBridgeMint.FeePolicy memory above = IBridgeMint.FeePolicy(bps + 1, minFee, minFee + 1_000);
            _mustFail(_policyManager, address(bridgeMint), abi.encodeCall(bridgeMint.setFeePolicy, (token, above)));
            _record("fee ceiling set", asset);
        }
        // An earlier call may have left a lower ceiling.
        (uint16 maxBps, uint96 maxMinFee, uint96 maxMinAmount) = bridgeMint.feeCeiling(token);
        if (ceiling.bps > maxBps) ceiling.bps = maxBps;
        if (ceiling.minFee > maxMinFee) ceiling.minFee = maxMinFee;
        if (ceiling.minAmount > maxMinAmount) ceiling.minAmount = maxMinAmount;
        vm.prank(_policyManager);
        bridgeMint.setFeePolicy(token, ceiling);
        _fault(Cause.Fees, asset, false);
    }

    function _delist(uint256 asset, bool onLock, bool mayBegin, bool mayDeliver) internal {
        _list(asset, onLock, mayBegin, mayDeliver);
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

    function _setTreasury(uint256 seed) internal {
        address next = _treasuries[seed % 2];
        bool isCurrent = next == lock.treasury();
        bool done = _callAs(_admin, address(lock), 0, abi.encodeCall(lock.setTreasury, (next)));
        if (done == isCurrent) wrongEffects++;
    }

    function _wait(uint256 elapsed) internal {
        _time += elapsed;
        vm.warp(_time);
    }

    function _mustFail(address from, address to, bytes memory call) internal {
        if (_callAs(from, to, 0, call)) unauthorised++;
    }

    function _list(uint256 asset, bool onLock, bool mayBegin, bool mayDeliver) internal {
        vm.prank(_admin);
        _governed(onLock).setListing(_token(onLock, asset), mayBegin, mayDeliver);
        Settings storage settings = _settings[onLock][asset];
        (settings.mayBegin, settings.mayDeliver) = (mayBegin, mayDeliver);
    }

    function _setLimit(uint256 asset, bool onLock, uint256 capacity, uint256 window) internal {
        vm.prank(_policyManager);
        _governed(onLock).setOutflowLimit(_token(onLock, asset), capacity, window);
        _noteLimit(asset, onLock, capacity, window);
    }

    function _areBeginningsStopped(bool onLock) internal view returns (bool) {
        return onLock ? lock.depositsPaused() : bridgeMint.burnsPaused();
    }

    function _areDeliveriesStopped(bool onLock) internal view returns (bool) {
        return onLock ? lock.releasesPaused() : bridgeMint.mintsPaused();
    }

    function _undo(Fault memory past) private {
        if (past.kind == Cause.Pause) _unpause(past.onLock, true, true);
        else if (past.kind == Cause.Limits) {
            _putCeiling(past.asset, past.onLock, _usualCeiling());
            _setLimit(past.asset, past.onLock, CAPACITY, WINDOW);
            _setMaximum(past.asset, past.onLock, MAX_AMOUNT);
        } else if (past.kind == Cause.Listing) _list(past.asset, past.onLock, true, true);
        else if (past.kind == Cause.Fees) {
            vm.prank(_admin);
            bridgeMint.setFeeCeiling(there[past.asset], IBridgeMint.FeePolicy(1_000, 1e10, 1e11));
            _usualFees(past.asset);
        } else if (past.kind == Cause.Blocklist) {
            _usdc.setBlocklisted(address(lock), false);
            for (uint256 i = 0; i < PARTIES; i++) _usdc.setBlocklisted(_party(i), false);
        } else chaos.setMode(ChaoticToken.Mode.Honest);
    }

    function _setMaximum(uint256 asset, bool onLock, uint256 maxAmount) private {
        vm.prank(_policyManager);
        _governed(onLock).setMaxAmount(_token(onLock, asset), maxAmount);
        _settings[onLock][asset].limits.maxAmount = maxAmount;
    }

    function _putCeiling(uint256 asset, bool onLock, IBridgeGovernance.Limits memory ceiling) private {
        vm.prank(_admin);
        _governed(onLock).setLimitCeiling(_token(onLock, asset), ceiling);
        Settings storage settings = _settings[onLock][asset];
        settings.ceiling = ceiling;
        IBridgeGovernance.Limits storage limits = settings.limits;
        uint256 capacity = limits.capacity < ceiling.capacity ? limits.capacity : ceiling.capacity;
        _noteLimit(asset, onLock, capacity, limits.window > ceiling.window ? limits.window : ceiling.window);
        if (limits.maxAmount > ceiling.maxAmount) limits.maxAmount = ceiling.maxAmount;
    }
}
