// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge whose relayer key is stolen, with honest attesters: at least one signature is always needed. The thief
/// has every signature but one, or signatures for something else.
contract AttestedRelay is InvariantHandler {
    uint256 private _forged = 1_000_000_000;

    function _steal(uint256 asset, uint256 seed) internal override {
        if (seed % 2 == 0) return _forgeAttestation(seed >> 8);
        // Without an attestation.
        address thief = _actor(seed >> 16);
        Operation memory operation = Operation(asset == XCN_ASSET, ++_forged, thief, UNIT, 0);
        (uint256 number, uint256 threshold) = (operation.nonce, _threshold);
        _mustFail(_relayer, address(lock), abi.encodeCall(lock.release, (number, here[1], thief, 1, 0)));
        _mustFail(_relayer, address(lock), abi.encodeCall(lock.releaseNative, (number, thief, 1, 0)));
        _mustFail(_relayer, address(bridgeMint), abi.encodeCall(bridgeMint.mint, (number, there[asset], thief, UNIT)));
        // At a threshold of 0 attesters sign nothing.
        _threshold = 0;
        if (_release(asset, operation) || _mint(asset, operation, true)) unauthorised++;
        if (_pay(asset, operation, _relayer)) unauthorised++;
        _threshold = threshold;
        _record("theft", asset);
    }

    function _thresholdFloor() internal pure override returns (uint256) {
        return 1;
    }

    function _thresholdTop() internal pure override returns (uint256) {
        return 4;
    }
}

/// @dev With attesters, a stolen relayer key breaks no invariant, not even the backing.
contract AttestedRelayTest is CoverageGoals {
    function setUp() external {
        handler = new AttestedRelay();
    }

    function invariant_WithAStolenRelayerAndAttesters() external view {
        _check();
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
    }

    function _requireMore() internal view override {
        _requireForgeries();
        for (uint256 asset = 0; asset < 4; asset++) _requireOf("theft", asset);
    }
}
