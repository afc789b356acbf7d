// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {HostileActor} from "./HostileActor.sol";
import {Intrusions} from "./Intrusions.sol";

/// @dev The end of an asset: no deposit begins, everything that began is delivered, every holder leaves.
abstract contract WindDown is Intrusions {
    error StillThere(string what, uint256 asset, uint256 amount);

    /// @dev Winds an asset down until no unit is left on the partner chain and no backing is left here.
    function windDown(uint256 asset) external {
        _undoAllFaults();
        chaos.setMode(ChaoticToken.Mode.Honest);
        for (uint256 i = 0; i < 5; i++) chaos.setBlocked(actors[i], false);
        for (uint256 i = 2; i < 5; i++) HostileActor(payable(actors[i])).setBehaviour(HostileActor.Behaviour.Takes);
        _list(asset, true, false, true);
        vm.prank(_policyManager);
        bridgeMint.setFeePolicy(there[asset], IBridgeMint.FeePolicy(0, 0, 1));
        _deposit(0, asset, UNIT, actors[0]);
        // Earlier deposits still arrive, and all refused payments are claimed.
        while (_toMint[asset].length > 0) _deliverOne(asset, false);
        _payCredits(asset, false);
        _emptyWallets(asset);
        _handInAll(asset);
        while (_toRelease[asset].length > 0) _deliverOne(asset, true);
        _payCredits(asset, true);
        for (uint256 i = 0; i < 3; i++) _retire(asset, 2 * i, type(uint256).max);
        if (asset != XCN_ASSET) {
            uint256 supply = IBridgedToken(there[asset]).totalSupply();
            if (supply != 0) revert StillThere("supply", asset, supply);
        }
        uint256 locked = lock.locked(here[asset]);
        if (locked != _ledgers[asset].donated) revert StillThere("collateral", asset, locked);
        if (lock.totalClaimable(here[asset]) != 0) revert StillThere("credit", asset, 0);
    }

    /// @dev One delivery with a full limit. It must work.
    function _deliverOne(uint256 asset, bool onLock) private {
        uint256 waiting = onLock ? _toRelease[asset].length : _toMint[asset].length;
        _wait(WINDOW);
        if (onLock)
            _releaseNext(asset, 0);
            // With the relayer's own coin: the float may be short.
        else _mintNext(asset, 1 << 32);
        uint256 left = onLock ? _toRelease[asset].length : _toMint[asset].length;
        if (left == waiting) revert StillThere("an operation", asset, left);
    }

    /// @dev The admin redirects credits that their accounts can never receive.
    function _payCredits(uint256 asset, bool onLock) private {
        for (uint256 i = 0; i < 2 * PARTIES; i++) {
            address account = _party(i % PARTIES);
            if (_credits[onLock][asset][account] == 0) continue;
            if (_cannotReceive(onLock, account)) _redirect(i, asset, onLock);
            else _claimOf(onLock, asset, account, actors[0], false);
        }
    }

    /// @dev Units that came to the relayer wallets by plain transfers go back to an actor.
    function _emptyWallets(uint256 asset) private {
        for (uint256 i = 0; i < 3 && asset != XCN_ASSET; i++) {
            uint256 amount = _refundable(asset, _wallets[i]);
            if (amount == 0) continue;
            _wait(WINDOW);
            if (!_wasRelayer[_wallets[i]]) {
                vm.prank(_wallets[i]);
                IBridgedToken(there[asset]).transfer(actors[0], amount);
                _ledgers[asset].sent -= amount;
            } else if (!_pay(asset, Operation(false, ++_refunds, actors[0], amount, 0), _wallets[i])) {
                revert StillThere("a wallet", asset, amount);
            }
        }
    }

    /// @dev Every holder hands in everything, in steps of the maximum.
    function _handInAll(uint256 asset) private {
        for (uint256 i = 0; asset != XCN_ASSET; i++) {
            (address holder, uint256 balance) = _holder(i, asset);
            if (balance == 0) return;
            _burn(i, asset, balance < MAX_AMOUNT ? balance : MAX_AMOUNT, holder);
        }
        while (_xcnInCirculation() > 0) _withdrawNative(0, MAX_AMOUNT, actors[0]);
    }
}
