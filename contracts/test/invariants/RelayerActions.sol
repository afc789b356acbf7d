// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {UserActions} from "./UserActions.sol";

/// @dev Actions of an honest relayer: it delivers each operation once, and retires tokens of paid withdrawals.
/// Sometimes it repeats a delivery.
abstract contract RelayerActions is UserActions {
    function _mintNext(uint256 asset, uint256 seed) internal {
        if (_toMint[asset].length == 0) return;
        Operation memory operation = _take(_toMint[asset], seed);
        (bool allowed, ) = bridgeMint.tokenSettings(there[asset]);
        bool fits = bridgeMint.outflowRoom(there[asset]) >= operation.amount;
        bool paused = bridgeMint.mintsPaused();
        bool isNew = !bridgeMint.isMinted(operation.nonce);
        if (!_mint(asset, operation.nonce, operation.recipient, operation.amount)) {
            if (!paused && allowed && fits && isNew) stoppedWithoutCause++;
            _toMint[asset].push(operation);
            return;
        }
        _ledgers[asset].toMint -= operation.amount;
    }

    function _releaseNext(uint256 asset, uint256 seed) internal {
        if (_toRelease[asset].length == 0) return;
        Operation memory operation = _take(_toRelease[asset], seed);
        uint256 outflow = operation.amount + operation.fee;
        (bool allowed, ) = lock.tokenSettings(here[asset]);
        bool cause = lock.releasesPaused() || !allowed || lock.outflowRoom(here[asset]) < outflow;
        cause = cause || lock.locked(here[asset]) < outflow;
        if (asset != XCN_ASSET) cause = cause || lock.isReleased(operation.nonce);
        else cause = cause || lock.isIntentReleased(_intentId(operation.nonce));
        if (asset == CHAOS && !cause) seenModes[chaos.mode()][1]++;
        if (!_release(asset, operation)) {
            if (!cause && !(asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest)) stoppedWithoutCause++;
            _toRelease[asset].push(operation);
            return;
        }
        _ledgers[asset].toRelease -= outflow;
    }

    /// @dev Repeats a delivery that the ledger has, independent of the contracts' own marks.
    function _repeat(uint256 seed, address recipient) internal {
        if (_delivered.length == 0) return;
        Delivery memory before = _delivered[seed % _delivered.length];
        _record("repeat", uint256(before.kind));
        if (before.kind == Kind.Mint) _mint(before.asset, before.nonce, recipient, UNIT);
        else _release(before.asset, Operation(before.nonce, recipient, 1, 0));
    }

    /// @dev Destroys part of the tokens of paid withdrawals.
    function _retire(uint256 asset, uint256 seed, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        Ledger storage books = _ledgers[asset];
        BridgedToken token = BridgedToken(there[asset]);
        address wallet = _wallets[seed % _wallets.length];
        for (uint256 i = 0; i < 3 && token.balanceOf(wallet) == 0; i++) wallet = _wallets[(seed + i) % 3];
        uint256 most = books.burnt - books.toRelease - books.retired;
        uint256 balance = token.balanceOf(wallet);
        if (most > balance) most = balance;
        if (most == 0) return;
        amount = 1 + (amount % most);
        bytes memory call =
            wallet == _relayer && amount % 2 == 0
                ? abi.encodeCall(bridgeMint.retire, (there[asset], amount))
                : abi.encodeCall(bridgeMint.retireOf, (wallet, there[asset], amount));
        if (!_callAs(_relayer, address(bridgeMint), 0, call)) {
            stoppedWithoutCause++;
            return;
        }
        _record("retire", asset);
        books.retired += amount;
        if (token.balanceOf(wallet) + amount != balance) wrongEffects++;
    }

    /// @dev Refunds tokens that came by a plain transfer.
    function _refundSent(uint256 asset, uint256 seed, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        Ledger storage books = _ledgers[asset];
        if (books.sent <= books.refunded) return;
        _refund(asset, _actor(seed), 1 + (amount % (books.sent - books.refunded)));
    }

    function _refund(uint256 asset, address recipient, uint256 amount) internal {
        BridgedToken token = BridgedToken(there[asset]);
        uint256 held = token.balanceOf(_relayer);
        if (amount > held) amount = held;
        if (amount == 0) return;
        uint256 before = token.balanceOf(recipient);
        (bool allowed, ) = bridgeMint.tokenSettings(there[asset]);
        bool cause = bridgeMint.mintsPaused() || !allowed || bridgeMint.outflowRoom(there[asset]) < amount;
        bytes memory call = abi.encodeCall(bridgeMint.refund, (there[asset], recipient, amount));
        if (!_callAs(_relayer, address(bridgeMint), 0, call)) {
            if (!cause) stoppedWithoutCause++;
            else _record("refund stopped", asset);
            return;
        }
        if (bridgeMint.mintsPaused()) ranWhilePaused++;
        _record("refund", asset);
        _ledgers[asset].refunded += amount;
        _recordOutflow(false, asset, amount);
        if (token.balanceOf(recipient) != before + amount || token.balanceOf(_relayer) + amount != held) wrongEffects++;
    }

    function _mint(uint256 asset, uint256 nonce, address recipient, uint256 amount) internal returns (bool) {
        uint256 value = asset == XCN_ASSET ? amount / UNIT : 0;
        vm.deal(_relayer, value);
        uint256 before = address(bridgeMint).balance;
        bool paused = bridgeMint.mintsPaused();
        bool fits = bridgeMint.outflowRoom(there[asset]) >= amount;
        bytes memory call = abi.encodeCall(bridgeMint.mint, (nonce, there[asset], recipient, amount));
        if (!_callAs(_relayer, address(bridgeMint), value, call)) {
            if (paused) _record("mint paused", asset);
            else if (!fits) _record("mint limited", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        _recordOutflow(false, asset, amount);
        _countDelivery(Kind.Mint, asset, nonce);
        _record("mint", asset);
        _ledgers[asset].minted += amount;
        if (asset != XCN_ASSET || address(bridgeMint).balance == before) return true;
        _creditsThere[recipient] += amount;
        _record("credit there", asset);
        return true;
    }

    function _release(uint256 asset, Operation memory operation) internal returns (bool) {
        (address recipient, uint256 amount, uint256 fee) = (operation.recipient, operation.amount, operation.fee);
        uint256 before = _balance(here[asset], address(lock));
        bool paused = lock.releasesPaused();
        bool fits = lock.outflowRoom(here[asset]) >= amount + fee;
        if (!_callAs(_relayer, address(lock), 0, _releaseCall(asset, operation))) {
            if (paused) _record("release paused", asset);
            else if (!fits) _record("release limited", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        _recordOutflow(true, asset, amount + fee);
        _countDelivery(asset == XCN_ASSET ? Kind.Intent : Kind.Release, asset, operation.nonce);
        _record("release", asset);
        _ledgers[asset].feesKept += fee;
        if (_balance(here[asset], address(lock)) < before) {
            _ledgers[asset].released += amount;
            if (recipient.code.length > 0) _record("release to a contract", asset);
            return true;
        }
        _ledgers[asset].credited += amount;
        _creditsHere[asset][recipient] += amount;
        _record("credit", asset);
        return true;
    }

    function _releaseCall(uint256 asset, Operation memory operation) private view returns (bytes memory) {
        (address recipient, uint256 amount, uint256 fee) = (operation.recipient, operation.amount, operation.fee);
        if (asset == 0) return abi.encodeCall(lock.releaseNative, (operation.nonce, recipient, amount, fee));
        if (asset == XCN_ASSET) {
            return abi.encodeCall(lock.releaseIntent, (_intentId(operation.nonce), recipient, amount, fee));
        }
        return abi.encodeCall(lock.release, (operation.nonce, here[asset], recipient, amount, fee));
    }

    function _intentId(uint256 number) internal pure returns (bytes32) {
        return keccak256(abi.encode("intent", number));
    }
}
