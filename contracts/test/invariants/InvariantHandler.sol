// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeChecks} from "./BridgeChecks.sol";
import {WindDown} from "./WindDown.sol";

/// @dev The invariant handler: every call is one weighted random turn, mostly by users. A turn that sets a pause, a
/// limit or a listing also tries an operation that it affects.
abstract contract InvariantHandler is WindDown, BridgeChecks {
    function act(uint256 entropy) external {
        uint256 seed = uint256(keccak256(abi.encode(entropy)));
        _undoOldFaults();
        (uint256 what, uint256 asset) = (seed % 80, (seed >> 8) % ASSETS);
        if (what < 46) _use(what, asset, seed >> 16);
        else if (what < 64) _harm(what, asset, seed >> 16);
        else if (what < 67) _wait((seed >> 16) % 3_600);
        else _govern(what, asset, seed >> 16);
    }

    /// @dev Extra actions of a thief with the relayer's key; none by default.
    function _steal(uint256 asset, uint256 seed) internal virtual {}

    function _use(uint256 what, uint256 asset, uint256 seed) private {
        uint256 amount = _amount(seed >> 64, asset);
        if (what < 8) _deposit(seed, asset, amount, _recipient(seed >> 8, true));
        else if (what < 10) {
            asset = 1 + (asset % 2);
            _depositWithPermit(seed, asset, _amount(seed >> 64, asset), _recipient(seed >> 16, true));
        } else if (what < 12) _depositWithAuthorization(seed, _amount(seed >> 64, 1), _recipient(seed >> 32, true));
        else if (what < 16) _mintNext(_assetIn(_toMint, asset), seed);
        else if (what < 22) _burn(seed, asset, amount, _recipient(seed >> 8, false));
        else if (what < 26) _releaseNext(_assetIn(_toRelease, asset), seed);
        else if (what < 30) _deliverBatch(seed, what < 28);
        else if (what < 32) _claim(true, seed, asset, _actor(seed >> 8), seed % 2 == 0);
        else if (what < 34) _claim(false, seed, asset, _actor(seed >> 8), seed % 2 == 0);
        else if (what < 36) _collect(asset);
        else if (what == 36) _retire(asset, seed, amount);
        else if (what < 39) _sendToWallet(seed, asset, amount);
        else if (what < 41) _refund(asset, seed, amount, _recipient(seed >> 8, true));
        else if (what == 41) _donate(asset, amount);
        else if (what == 42) _topUp(seed, seed % 4 == 0, _amount(seed >> 64, XCN_ASSET));
        else if (what == 43 && seed % 2 == 0) _forceFloat(_amount(seed >> 64, XCN_ASSET));
        else if (what == 43) _sweep(seed >> 1, _amount(seed >> 64, XCN_ASSET));
        else if (what == 44) _redirect(seed, asset, (seed >> 32) % 2 == 0);
        else _mintNext(XCN_ASSET, seed);
    }

    function _harm(uint256 what, uint256 asset, uint256 seed) private {
        if (what < 50) return _steal(asset, seed);
        if (what == 50) _misbehave(seed, true, _amount(seed >> 64, CHAOS));
        else if (what < 53) _misbehave(seed, false, _amount(seed >> 64, CHAOS));
        else if (what < 55) _callBack(seed, what == 53);
        else if (what == 55) _callBackFromClaim(seed);
        else if (what == 56) _changeBehaviour(seed);
        else if (what == 57) _repeat(seed, _actor(seed >> 16));
        else if (what == 58) _spendHandedIn(seed, asset, _amount(seed >> 64, asset));
        else if (what == 59) _retire(asset, seed, seed >> 64);
        else if (what < 62) _forgeAttestation(seed);
        else _intrude(seed, asset);
    }

    function _govern(uint256 what, uint256 asset, uint256 seed) private {
        bool onLock = seed % 2 == 0;
        if (what < 69) {
            _pause(onLock, (seed >> 8) % 4 != 0, (seed >> 16) % 4 != 0, (seed >> 24) % 4 == 0);
            _runInto(asset, onLock, seed);
        } else if (what == 69) _outwait(onLock, (seed >> 8) % 2 == 0);
        else if (what == 70) {
            _tighten(asset, onLock, seed >> 8);
            // Some operations fit, and others would only fit alone.
            for (uint256 i = 0; i < 4; i++) {
                if (onLock) _releaseNext(asset, seed >> (16 * i));
                else _mintNext(asset, seed >> (16 * i));
            }
            _deliverBatch(seed >> 64, onLock);
        } else if (what == 71) {
            _delist(asset, onLock, (seed >> 48) % 2 == 0, (seed >> 49) % 2 == 0);
            _runInto(asset, onLock, seed);
            _deliverBatch(seed >> 64, onLock);
        } else if (what == 72) {
            _lowerMaximum(asset, onLock, seed >> 8);
            if (onLock) _deposit(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
            else _burn(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
        } else if (what == 73) _setCeiling(asset, onLock, seed >> 8);
        else if (what == 74) _setFees(asset, seed);
        else if (what == 75) {
            _blockUsdc(seed, seed >> 16);
            _releaseNext(1, seed >> 16);
        } else _changeKeys(what, onLock, seed >> 8);
    }

    function _changeKeys(uint256 what, bool onLock, uint256 seed) private {
        if (what == 76) _rotateRelayer(seed);
        else if (what == 77) _useStandby(seed);
        else if (what == 78) _rotateAttesters(seed);
        else if (seed % 4 == 0) _setTreasury(seed >> 8);
        else if (seed % 4 == 1) _changeRoleHolders(seed >> 8);
        else if (seed % 4 == 2) _changeAdmin();
        else _doubleRole(seed >> 8, onLock);
    }

    /// @dev An operation that the new fault affects.
    function _runInto(uint256 asset, bool onLock, uint256 seed) private {
        bool begins = (seed >> 40) % 3 == 0;
        if (onLock && begins) _deposit(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
        else if (onLock) _releaseNext(asset, seed >> 8);
        else if (begins) _burn(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
        else if ((seed >> 44) % 2 == 0) _refund(asset, seed, seed >> 64, _actor(seed >> 8));
        else _mintNext(asset, seed >> 8);
    }
}
