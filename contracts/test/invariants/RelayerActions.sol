// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ExitActions} from "./ExitActions.sol";

/// @dev Actions of an honest relayer: it delivers each operation once, alone or as a batch of one, and retires tokens
/// of paid withdrawals. Sometimes it repeats a delivery.
abstract contract RelayerActions is ExitActions {
    function _mintNext(uint256 asset, uint256 seed) internal {
        if (_toMint[asset].length == 0) return;
        Operation memory operation = _take(_toMint[asset], seed);
        bool fromFloat = asset == XCN_ASSET && (seed >> 32) % 2 == 0;
        bool cause = _arePaused(false, false) || !_settings[false][asset].mayDeliver;
        cause = cause || bridgeMint.outflowRoom(there[asset]) < operation.amount;
        cause = cause || bridgeMint.isMinted(operation.nonce) || (fromFloat && _float < operation.amount);
        if (!_mint(asset, operation, fromFloat)) {
            if (!cause) stoppedWithoutCause++;
            _toMint[asset].push(operation);
            return;
        }
        _ledgers[asset].toMint -= operation.amount;
    }

    function _releaseNext(uint256 asset, uint256 seed) internal {
        if (_toRelease[asset].length == 0) return;
        Operation memory operation = _take(_toRelease[asset], seed);
        uint256 outflow = operation.amount + operation.fee;
        bool cause = _arePaused(true, false) || !_settings[true][asset].mayDeliver;
        cause = cause || lock.outflowRoom(here[asset]) < outflow || lock.locked(here[asset]) < outflow;
        cause = cause || _isReleased(operation);
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
        Operation memory operation = before.operation;
        _record("repeat", uint256(before.kind));
        if (before.kind == Kind.Refund) {
            uint256 amount = before.asset == XCN_ASSET ? UNIT : 1;
            _pay(before.asset, Operation(false, operation.nonce, recipient, amount, 0), _relayer);
            return;
        }
        // The id of an intent fixes its terms. A number can repeat with other terms.
        if (before.kind != Kind.Intent) (operation.recipient, operation.amount) = (recipient, UNIT);
        if (before.kind == Kind.Mint) _mint(before.asset, operation, seed % 2 == 0);
        else _release(before.asset, operation);
    }

    /// @dev Destroys part of the tokens of paid withdrawals.
    function _retire(uint256 asset, uint256 seed, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        Ledger storage books = _ledgers[asset];
        IBridgedToken token = IBridgedToken(there[asset]);
        address wallet = _wallets[seed % _wallets.length];
        for (uint256 i = 0; i < 3 && token.handedIn(wallet) == 0; i++) wallet = _wallets[(seed + i) % 3];
        uint256 most = books.burnt - books.toRelease - books.retired;
        uint256 handedIn = token.handedIn(wallet);
        if (most > handedIn) most = handedIn;
        if (most == 0) return;
        if (amount >= most) amount = seed % 2 == 0 ? most : 1 + (amount % most);
        if (amount == 0) return;
        uint256 balance = token.balanceOf(wallet);
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

    /// @dev Refunds tokens that came by a plain transfer, or refunds coin.
    function _refund(uint256 asset, uint256 seed, uint256 amount, address recipient) internal {
        if (asset == XCN_ASSET) {
            amount -= amount % UNIT;
            if (amount > 0) _pay(asset, Operation(false, ++_refunds, recipient, amount, 0), _relayer);
            return;
        }
        address wallet = _wallets[seed % _wallets.length];
        for (uint256 i = 0; i < 3 && _refundable(asset, wallet) == 0; i++) wallet = _wallets[(seed + i) % 3];
        uint256 most = _refundable(asset, wallet);
        if (most == 0) return;
        amount = 1 + (amount % most);
        bool cause = _arePaused(false, false) || !_settings[false][asset].mayDeliver || !_wasRelayer[wallet];
        cause = cause || bridgeMint.outflowRoom(there[asset]) < amount;
        if (_pay(asset, Operation(false, ++_refunds, recipient, amount, 0), wallet)) return;
        if (!cause) stoppedWithoutCause++;
        else _record("refund stopped", asset);
    }

    /// @dev Units of a wallet that no burn handed in.
    function _refundable(uint256 asset, address wallet) internal view returns (uint256) {
        IBridgedToken token = IBridgedToken(there[asset]);
        return token.balanceOf(wallet) - token.handedIn(wallet);
    }

    function _mint(uint256 asset, Operation memory operation, bool fromFloat) internal returns (bool) {
        uint256 value = asset == XCN_ASSET && !fromFloat ? operation.amount / UNIT : 0;
        vm.deal(_relayer, value);
        uint256 before = _balance(there[asset], address(bridgeMint));
        bool paused = _arePaused(false, false);
        bool fits = bridgeMint.outflowRoom(there[asset]) >= operation.amount;
        if (!_tryMint(asset, operation, value)) {
            if (paused) _record("mint paused", asset);
            else if (!fits) _record("mint limited", asset);
            else if (fromFloat && _float < operation.amount) _record("float short", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        uint256 found = _balance(there[asset], address(bridgeMint));
        bool isCredited = asset == XCN_ASSET ? found == before + value : found != before;
        _bookMint(asset, operation, fromFloat, isCredited);
        return true;
    }

    function _bookMint(uint256 asset, Operation memory operation, bool fromFloat, bool isCredited) internal {
        uint256 amount = operation.amount;
        _recordOutflow(false, asset, amount);
        _countDelivery(Kind.Mint, asset, operation);
        _record("mint", asset);
        _ledgers[asset].minted += amount;
        if (asset == XCN_ASSET && fromFloat) {
            _float -= amount;
            _record("mint from the float", asset);
        }
        if (isCredited) _creditThere(asset, operation.recipient, amount);
        else if (asset != XCN_ASSET && _isWallet(operation.recipient)) _ledgers[asset].sent += amount;
    }

    function _release(uint256 asset, Operation memory operation) internal returns (bool) {
        uint256 before = _balance(here[asset], address(lock));
        bool paused = _arePaused(true, false);
        bool fits = lock.outflowRoom(here[asset]) >= operation.amount + operation.fee;
        if (!_tryRelease(asset, operation)) {
            if (paused) _record("release paused", asset);
            else if (!fits) _record("release limited", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        _bookRelease(asset, operation, _balance(here[asset], address(lock)) == before);
        return true;
    }

    function _bookRelease(uint256 asset, Operation memory operation, bool isCredited) internal {
        (address recipient, uint256 amount) = (operation.recipient, operation.amount);
        _recordOutflow(true, asset, amount + operation.fee);
        _countDelivery(operation.isIntent ? Kind.Intent : Kind.Release, asset, operation);
        _record("release", asset);
        _ledgers[asset].feesKept += operation.fee;
        if (!isCredited) {
            _ledgers[asset].released += amount;
            if (recipient.code.length > 0) _record("release to a contract", asset);
            return;
        }
        _ledgers[asset].credited += amount;
        _credits[true][asset][recipient] += amount;
        _record("credit", asset);
        if (_cannotReceive(true, recipient)) _record("credit of the unreceivable", 0);
    }

    function _paymentHere(
        uint256 asset,
        Operation memory operation
    ) internal view returns (IBridgeLock.Payment[] memory payments) {
        payments = new IBridgeLock.Payment[](1);
        address token = here[asset];
        payments[0] = IBridgeLock.Payment(operation.nonce, token, operation.recipient, operation.amount, operation.fee);
    }

    function _paymentThere(
        uint256 asset,
        Operation memory operation
    ) internal view returns (IBridgeMint.Payment[] memory payments) {
        payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(operation.nonce, there[asset], operation.recipient, operation.amount);
    }

    function _isReleased(Operation memory operation) internal view returns (bool) {
        return
            operation.isIntent
                ? lock.isIntentReleased(_intentId(_intentOf(operation), address(bridgeMint)))
                : lock.isReleased(operation.nonce);
    }

    function _intentCall(Operation memory operation) internal view returns (bytes memory) {
        IBridgeLock.Intent memory intent = _intentOf(operation);
        bytes32 id = _intentId(intent, address(bridgeMint));
        bytes memory head = _intentHead(id, _transferOf(operation), operation.fee, intent.signature);
        IBridgeBase.Attestation memory consent = _attest(address(lock), head);
        return abi.encodeCall(lock.releaseIntent, (intent, _transferOf(operation), operation.fee, consent));
    }

    /// @dev The transfer that pays an intent: one of its own.
    function _transferOf(Operation memory operation) internal view returns (bytes32) {
        return keccak256(abi.encode(_intentId(_intentOf(operation), address(bridgeMint))));
    }

    /// @dev Half the time by the single-delivery function, which accepts only threshold 0.
    function _tryMint(uint256 asset, Operation memory operation, uint256 value) private returns (bool) {
        (address to, uint256 amount) = (operation.recipient, operation.amount);
        if ((operation.nonce + turns) % 2 == 0) {
            bytes memory single = abi.encodeCall(bridgeMint.mint, (operation.nonce, there[asset], to, amount));
            bool done = _callAs(_relayer, address(bridgeMint), value, single);
            if (_threshold == 0) return done;
            if (done) unauthorised++;
            _record("single call refused", 1);
        }
        IBridgeMint.Payment[] memory payments = _paymentThere(asset, operation);
        IBridgeBase.Attestation memory consent = _attest(address(bridgeMint), _mintHead(payments));
        return _callOne(address(bridgeMint), value, abi.encodeCall(bridgeMint.mintMany, (payments, consent)));
    }

    function _tryRelease(uint256 asset, Operation memory operation) private returns (bool) {
        if (operation.isIntent) return _callAs(_relayer, address(lock), 0, _intentCall(operation));
        (address to, uint256 amount, uint256 fee) = (operation.recipient, operation.amount, operation.fee);
        if ((operation.nonce + turns) % 2 == 0) {
            bytes memory single =
                asset == 0
                    ? abi.encodeCall(lock.releaseNative, (operation.nonce, to, amount, fee))
                    : abi.encodeCall(lock.release, (operation.nonce, here[asset], to, amount, fee));
            bool done = _callAs(_relayer, address(lock), 0, single);
            if (_threshold == 0) return done;
            if (done) unauthorised++;
            _record("single call refused", 0);
        }
        IBridgeLock.Payment[] memory payments = _paymentHere(asset, operation);
        IBridgeBase.Attestation memory consent = _attest(address(lock), _releaseHead(payments));
        return _callOne(address(lock), 0, abi.encodeCall(lock.releaseMany, (payments, consent)));
    }

    /// @dev A batch of one, and whether its item was paid.
    function _callOne(address to, uint256 value, bytes memory batch) private returns (bool) {
        (bool done, bytes memory answer) = _callFor(_relayer, to, value, batch, GAS);
        return done && abi.decode(answer, (uint256)) == 1;
    }

    /// @dev Makes one refund, records it, and returns whether it was paid.
    function _pay(uint256 asset, Operation memory operation, address wallet) internal returns (bool) {
        (address recipient, uint256 amount) = (operation.recipient, operation.amount);
        uint256 value = asset == XCN_ASSET ? amount / UNIT : 0;
        if (asset == XCN_ASSET) vm.deal(_relayer, value);
        uint256 before = _balance(there[asset], address(bridgeMint));
        if (!_callAs(_relayer, address(bridgeMint), value, _refundCall(asset, operation, wallet))) return false;
        if (_arePaused(false, false)) ranWhilePaused++;
        _countDelivery(Kind.Refund, asset, operation);
        _record("refund", asset);
        bool isCredited = _balance(there[asset], address(bridgeMint)) != before;
        if (isCredited) _creditThere(asset, recipient, amount);
        if (asset == XCN_ASSET) return true;
        _recordOutflow(false, asset, amount);
        _ledgers[asset].refunded += amount;
        if (!isCredited && _isWallet(recipient)) _ledgers[asset].sent += amount;
        return true;
    }

    function _refundCall(
        uint256 asset,
        Operation memory operation,
        address wallet
    ) internal view returns (bytes memory) {
        (address recipient, uint256 amount) = (operation.recipient, operation.amount);
        bytes32 id = bytes32(operation.nonce);
        address token = there[asset];
        bytes memory head = _refundHead(id, wallet, token, recipient, amount);
        IBridgeBase.Attestation memory consent = _attest(address(bridgeMint), head);
        if (asset == XCN_ASSET) return abi.encodeCall(bridgeMint.refundNative, (id, recipient, consent));
        if (wallet == _relayer && turns % 2 == 0) {
            return abi.encodeCall(bridgeMint.refund, (id, token, recipient, amount, consent));
        }
        return abi.encodeCall(bridgeMint.refundOf, (id, wallet, token, recipient, amount, consent));
    }

    function _creditThere(uint256 asset, address recipient, uint256 amount) private {
        _ledgers[asset].creditedThere += amount;
        _credits[false][asset][recipient] += amount;
        _record("credit there", asset);
        if (_cannotReceive(false, recipient)) _record("credit of the unreceivable", 1);
    }
}
