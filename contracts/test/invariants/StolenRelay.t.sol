// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge whose relayer key is stolen: it delivers anything to any account, besides the honest deliveries.
contract StolenRelay is InvariantHandler {
    /// @dev Numbers that nothing else in the campaign uses.
    uint256 private _forged = 1_000_000_000;

    function _steal(uint256 asset, uint256 seed) internal override {
        uint256 what = seed % 8;
        seed >>= 8;
        if (what < 2) _drain(asset, seed, what == 0);
        else if (what < 4) _forgeMint(asset, seed, _amount(seed >> 64, asset));
        else if (what < 7) _forgeRelease(asset, seed, _amount(seed >> 64, asset));
        else _refund(asset, seed, _amount(seed >> 64, asset), _actor(seed));
        _record("theft", what % ASSETS);
    }

    /// @dev Without attesters, the relayer's key alone delivers.
    function _thresholdTop() internal pure override returns (uint256) {
        return 0;
    }

    /// @dev Takes the whole room of a limit, to the last unit, and later everything that has refilled. Only a limit
    /// that was just used up shows whether it lets too much through.
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

    /// @dev A number that is used, will be used, or never is.
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

    /// @dev A limit that no account reaches would hold in any case.
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
}
