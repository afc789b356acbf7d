// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridge} from "../fixtures/Interfaces.sol";
import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge whose relayer key is stolen: it delivers anything to any account, in addition to the honest
/// deliveries.
contract StolenRelay is InvariantHandler {
    /// @dev Numbers that are not used elsewhere in the campaign.
    uint256 private _forged = 1_000_000_000;
    /// @dev How often the numbers of a slot, or an id, were reopened.
    mapping(bool onLock => mapping(bytes32 key => uint256)) private _openings;

    function _steal(uint256 asset, uint256 seed) internal override {
        uint256 what = seed % 9;
        seed >>= 8;
        if (what < 2) _drain(asset, seed, what == 0);
        else if (what < 4) _forgeMint(asset, seed, _amount(seed >> 64, asset));
        else if (what < 7) _forgeRelease(asset, seed, _amount(seed >> 64, asset));
        else if (what == 7) _refund(asset, seed, _amount(seed >> 64, asset), _actor(seed));
        else return _open(seed);
        _record("theft", what % ASSETS);
    }

    /// @dev Without attesters, the relayer's key is enough to deliver.
    function _thresholdTop() internal pure override returns (uint256) {
        return 0;
    }

    /// @dev Takes the whole room of a limit, to the last unit, and later everything that has refilled. Only a limit
    /// that is just used up shows whether it lets too much out.
    function _drain(uint256 asset, uint256 seed, bool onLock) private {
        uint256 emptied;
        for (uint256 i = 0; i < 3; i++) {
            if (onLock ? _takeFromLock(asset, seed) : _takeFromMint(asset, seed)) emptied++;
            _wait((seed >> (32 + 16 * i)) % 600);
        }
        if (emptied > 1) _record(onLock ? bytes32("lock drained") : bytes32("mint drained"), asset);
    }

    function _takeFromLock(uint256 asset, uint256 seed) private returns (bool) {
        uint256 room = lock.outflowRoom(here[asset]);
        // The collateral suffices: only the limit stops the thief.
        _donate(asset, room);
        if (room == 0) return false;
        uint256 fee = (seed >> 80) % 2 == 0 ? room - 1 : 0;
        return _release(asset, Operation(asset == XCN_ASSET, ++_forged, _party(seed % PARTIES), room - fee, fee));
    }

    function _takeFromMint(uint256 asset, uint256 seed) private returns (bool) {
        uint256 room = bridgeMint.outflowRoom(there[asset]);
        if (asset == XCN_ASSET) room -= room % UNIT;
        return _mint(asset, Operation(false, ++_forged, _actor(seed), room, 0), false);
    }

    /// @dev The admin reopens a number or id, used up or not, with the right or a stale count. The thief may use it up
    /// again.
    function _open(uint256 seed) private {
        if (_delivered.length == 0) return;
        Delivery memory before = _delivered[seed % _delivered.length];
        bool onLock = before.kind == Kind.Release || before.kind == Kind.Intent;
        bool isNumber = before.kind == Kind.Release || before.kind == Kind.Mint;
        if (!_arePaused(onLock, false)) _pause(onLock, false, true, true);
        uint256 number = before.operation.nonce;
        bytes32 key =
            isNumber
                ? bytes32(number >> 8)
                : before.kind == Kind.Intent
                    ? _intentId(_intentOf(before.operation), address(bridgeMint))
                    : bytes32(number);
        uint256 count = _openings[onLock][key];
        bool isStale = (seed >> 64) % 4 == 0;
        if (isStale) count++;
        IBridge bridge = _governed(onLock);
        bytes memory call =
            isNumber
                ? abi.encodeCall(bridge.reopen, (number >> 8, 1 << (number & 255), count))
                : abi.encodeCall(bridge.reopenIds, (_toList(key), _toList(count)));
        bytes32 delivery = _deliveryKey(before.kind, before.operation);
        bool may = !isStale && _deliveries[delivery] > 0;
        if (_callAs(_admin, address(bridge), 0, call) != may) wrongEffects++;
        if (!may) return;
        _openings[onLock][key]++;
        _deliveries[delivery]--;
        _record("opening", uint256(before.kind));
    }

    function _toList(bytes32 one) private pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = one;
    }

    function _toList(uint256 one) private pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = one;
    }

    /// @dev A number that is used, will be used, or is never used.
    function _forgeMint(uint256 asset, uint256 seed, uint256 amount) private {
        uint256 number = (seed >> 8) % (lock.depositNonce() + 16);
        _mint(asset, Operation(false, number, _actor(seed), amount, 0), seed % 2 == 0);
    }

    function _forgeRelease(uint256 asset, uint256 seed, uint256 amount) private {
        uint256 next = asset == XCN_ASSET ? _intents + 1 : bridgeMint.withdrawNonce();
        uint256 fee = (seed >> 32) % 2 == 0 ? 0 : amount / 10;
        bool isIntent = asset == XCN_ASSET && seed % 2 == 0;
        _release(asset, Operation(isIntent, (seed >> 8) % (next + 16), _actor(seed), amount, fee));
    }
}

/// @dev Invariants that hold even with a stolen relayer key.
contract StolenRelayTest is CoverageGoals {
    function setUp() external {
        handler = new StolenRelay();
    }

    /// @dev One function checks all of them after every call. Forged deliveries are not backed, so backing is not
    /// checked.
    function invariant_WithAStolenRelayer() external view {
        _check();
    }

    /// @dev A limit that is never reached would prove nothing.
    function test_TheThiefEmptiesEveryBucket() external {
        for (uint256 i = 0; i < 4_000; i++) handler.act(i);
        for (uint256 asset = 0; asset < 4; asset++) {
            _requireOf("lock drained", asset);
            _requireOf("mint drained", asset);
        }
    }

    function _check() internal view override {
        handler.checkAll();
    }

    function _requireMore() internal view override {
        for (uint256 kind = 0; kind < 4; kind++) _requireOf("opening", kind);
    }
}
