// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeChecks} from "./BridgeChecks.sol";
import {HostileActions} from "./HostileActions.sol";

/// @dev The invariant handler: every call is one weighted random turn, mostly of users. A turn that sets a pause, a
/// limit or a listing also lets an operation run into it immediately.
abstract contract InvariantHandler is HostileActions, BridgeChecks {
    function act(uint256 entropy) external {
        uint256 seed = uint256(keccak256(abi.encode(entropy)));
        _undoOldFaults();
        (uint256 what, uint256 asset) = (seed % 64, (seed >> 8) % ASSETS);
        if (what < 38) _use(what, asset, seed >> 16);
        else if (what < 54) _harm(what, asset, seed >> 16);
        else if (what < 57) _wait((seed >> 16) % 3_600);
        else _govern(what, asset, seed >> 16);
    }

    /// @dev Extra actions of a thief with the relayer's key; none by default.
    function _steal(uint256 asset, uint256 seed) internal virtual {}

    function _use(uint256 what, uint256 asset, uint256 seed) private {
        (uint256 amount, address recipient) = (_amount(seed >> 64, asset), _actor(seed >> 8));
        if (what < 8) _deposit(seed, asset, amount, recipient);
        else if (what < 10) {
            asset = 1 + (asset % 2);
            _depositWithPermit(seed, asset, _amount(seed >> 64, asset), recipient);
        } else if (what < 17) _mintNext(_assetIn(_toMint, asset), seed);
        else if (what < 23) _burn(seed, asset, amount, recipient);
        else if (what < 29) _releaseNext(_assetIn(_toRelease, asset), seed);
        else if (what < 31) _claim(seed, asset, recipient, seed % 2 == 0);
        else if (what == 31) _claimXcn(seed, recipient, (seed >> 16) % 2 == 0);
        else if (what < 34) _collect(asset);
        else if (what == 34) _retire(asset, seed, amount);
        else if (what == 35) _sendToRelayer(seed, asset, amount);
        else if (what == 36) _refundSent(asset, seed, amount);
        else _donate(asset, amount);
    }

    function _harm(uint256 what, uint256 asset, uint256 seed) private {
        if (what < 42) return _steal(asset, seed);
        if (what == 42) _misbehave(seed, true, _amount(seed >> 64, CHAOS));
        else if (what < 45) _misbehave(seed, false, _amount(seed >> 64, CHAOS));
        else if (what < 47) _callBack(seed, what == 45);
        else if (what == 47) _callBackFromClaim(seed);
        else if (what == 48) _changeBehaviour(seed);
        else if (what == 49) _repeat(seed, _actor(seed >> 16));
        else if (what == 50) _spendHandedIn(seed, asset, _amount(seed >> 64, asset));
        else if (what == 51) _retire(asset, seed, seed >> 64);
        else _intrude(seed, asset);
    }

    function _govern(uint256 what, uint256 asset, uint256 seed) private {
        bool onLock = seed % 2 == 0;
        if (what == 57) {
            _pause(onLock, (seed >> 8) % 4 != 0, (seed >> 16) % 4 != 0);
            _runInto(asset, onLock, seed);
        } else if (what == 58) {
            _tighten(asset, onLock, seed >> 8);
            // Some fit, and some that would fit alone no longer do.
            for (uint256 i = 0; i < 4; i++) {
                if (onLock) _releaseNext(asset, seed >> (16 * i));
                else _mintNext(asset, seed >> (16 * i));
            }
        } else if (what == 59) {
            _delist(asset, onLock);
            _runInto(asset, onLock, seed);
        } else if (what == 60) _setFees(asset, seed);
        else if (what == 61) {
            _blockUsdc(seed, seed >> 16);
            _releaseNext(1, seed >> 16);
        } else if (what == 62) _rotateRelayer(seed);
        else if (seed % 3 == 0) _setTreasury(seed >> 8);
        else if (seed % 3 == 1) _changeRoleHolders(seed >> 8, onLock);
        else _changeAdmin();
    }

    /// @dev An operation that the new fault concerns.
    function _runInto(uint256 asset, bool onLock, uint256 seed) private {
        bool inbound = (seed >> 40) % 3 == 0;
        if (onLock && inbound) _deposit(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
        else if (onLock) _releaseNext(asset, seed >> 8);
        else if (inbound) _burn(seed, asset, _amount(seed >> 64, asset), _actor(seed >> 8));
        else if ((seed >> 44) % 2 == 0) _refundSent(asset, seed, seed >> 64);
        else _mintNext(asset, seed >> 8);
    }
}
