// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {RelayerActions} from "./RelayerActions.sol";

/// @dev Random batches of an honest relayer, with repeated items and in any order. Each batch is first delivered item
/// by item in a call that reverts. The batch must have the same effect, and must fail if an item fails.
abstract contract BatchActions is RelayerActions {
    struct Item {
        uint256 asset;
        Operation operation;
    }

    /// @dev The result of a batch, item by item. Bitmaps have the items' order.
    struct Result {
        bool failed;
        bool wrong;
        uint256 paid;
        uint256 credited;
        uint256 reasons;
        bytes32 state;
    }

    uint256 private constant MOST_ITEMS = 5;

    error ItemByItem(Result result);

    function _deliverBatch(uint256 seed, bool onLock) internal {
        Item[] memory items = _chooseItems(seed, onLock);
        if (items.length == 0) return;
        bool fromFloat = (seed >> 8) % 2 == 0;
        vm.deal(_relayer, 1 ether);
        Result memory apart = _tryItemByItem(items, onLock, fromFloat);
        bytes32 before = _stateOf(items, onLock);
        (bool done, bytes memory answer) = _callBatch(items, onLock, fromFloat);
        if (apart.wrong || done == apart.failed) wrongEffects++;
        if (!done) {
            if (_stateOf(items, onLock) != before) wrongEffects++;
            _record("batch failed", onLock ? 0 : 1);
            return;
        }
        if (abi.decode(answer, (uint256)) != apart.paid || _stateOf(items, onLock) != apart.state) wrongEffects++;
        if (_arePaused(onLock, false)) ranWhilePaused++;
        for (uint256 i = 0; i < items.length; i++)
            if ((apart.paid >> i) & 1 == 1) _book(items[i], apart, i, onLock, fromFloat);
        _record(
            onLock ? bytes32("batch of releases") : bytes32("batch of mints"),
            items.length - 1 < 4 ? items.length - 1 : 3
        );
        for (uint256 i = 1; i < 5; i++) if ((apart.reasons >> i) & 1 == 1) _record("skipped", i - 1);
    }

    /// @dev Delivers the items one after the other as batches of one, and reverts with the result.
    function itemByItem(Item[] calldata items, bool onLock, bool fromFloat) external {
        Result memory result;
        for (uint256 i = 0; i < items.length; i++) {
            Item[] memory one = new Item[](1);
            one[0] = items[i];
            uint256 held = _balance(_token(onLock, one[0].asset), _side(onLock));
            bytes32 before = _stateOf(items, onLock);
            IBridgeBase.SkipReason expected = _expect(one[0], onLock, fromFloat);
            (bool done, bytes memory answer) = _callBatch(one, onLock, fromFloat);
            if (!done) {
                result.failed = true;
                break;
            }
            bool isPaid = abi.decode(answer, (uint256)) == 1;
            if (isPaid != (expected == IBridgeBase.SkipReason.None)) result.wrong = true;
            if (isPaid) {
                result.paid |= 1 << i;
                if (_isCredited(one[0], onLock, fromFloat, held)) result.credited |= 1 << i;
            } else {
                result.reasons |= 1 << uint256(expected);
                // A skipped item changes nothing.
                if (_stateOf(items, onLock) != before) result.wrong = true;
            }
        }
        result.state = _stateOf(items, onLock);
        revert ItemByItem(result);
    }

    /// @dev Pending operations of any asset, sometimes with one that is already delivered or that the batch repeats.
    function _chooseItems(uint256 seed, bool onLock) private view returns (Item[] memory items) {
        items = new Item[](1 + (seed % MOST_ITEMS));
        uint256 count = 0;
        for (uint256 i = 0; i < items.length; i++) {
            uint256 pick = uint256(keccak256(abi.encode(seed, i)));
            Item memory item = pick % 6 == 0 ? _deliveredItem(pick >> 8, onLock) : _waitingItem(pick >> 8, onLock);
            bool isUsable = item.operation.amount > 0 && !item.operation.isIntent;
            // A single delivery gets less gas than a batch.
            if (item.asset == CHAOS && chaos.mode() == ChaoticToken.Mode.EatsGas) isUsable = false;
            if (isUsable) items[count++] = item;
        }
        assembly ("memory-safe") {
            mstore(items, count)
        }
    }

    function _waitingItem(uint256 pick, bool onLock) private view returns (Item memory item) {
        Operation[][ASSETS] storage lists = onLock ? _toRelease : _toMint;
        item.asset = _assetIn(lists, pick);
        Operation[] storage list = lists[item.asset];
        if (list.length > 0) item.operation = list[(pick >> 8) % list.length];
    }

    function _deliveredItem(uint256 pick, bool onLock) private view returns (Item memory item) {
        if (_delivered.length == 0) return item;
        Delivery storage delivery = _delivered[pick % _delivered.length];
        if (delivery.kind != (onLock ? Kind.Release : Kind.Mint)) return item;
        (item.asset, item.operation) = (delivery.asset, delivery.operation);
    }

    function _tryItemByItem(Item[] memory items, bool onLock, bool fromFloat) private returns (Result memory result) {
        try this.itemByItem(items, onLock, fromFloat) {} catch (bytes memory answer) {
            // After the selector.
            assembly ("memory-safe") {
                let length := mload(answer)
                answer := add(answer, 4)
                mstore(answer, sub(length, 4))
            }
            result = abi.decode(answer, (Result));
        }
    }

    /// @dev The expected result of an item, from the ledger and the contracts' state before it.
    function _expect(Item memory item, bool onLock, bool fromFloat) private view returns (IBridgeBase.SkipReason) {
        Operation memory operation = item.operation;
        uint256 outflow = operation.amount + (onLock ? operation.fee : 0);
        address token = _token(onLock, item.asset);
        if (onLock ? lock.isReleased(operation.nonce) : bridgeMint.isMinted(operation.nonce)) {
            return IBridgeBase.SkipReason.AlreadyDelivered;
        }
        if (!_settings[onLock][item.asset].mayDeliver) return IBridgeBase.SkipReason.NotDeliverable;
        if (_governed(onLock).outflowRoom(token) < outflow) return IBridgeBase.SkipReason.OverLimit;
        bool isShort =
            onLock
                ? lock.locked(token) < outflow
                : item.asset == XCN_ASSET && fromFloat && bridgeMint.float() < outflow;
        return isShort ? IBridgeBase.SkipReason.FundsShort : IBridgeBase.SkipReason.None;
    }

    function _isCredited(Item memory item, bool onLock, bool fromFloat, uint256 held) private view returns (bool) {
        uint256 found = _balance(_token(onLock, item.asset), _side(onLock));
        if (onLock) return found == held;
        if (item.asset != XCN_ASSET) return found != held;
        return found == held + (fromFloat ? 0 : item.operation.amount / UNIT);
    }

    function _callBatch(Item[] memory items, bool onLock, bool fromFloat) private returns (bool, bytes memory) {
        return onLock ? _callReleases(items) : _callMints(items, fromFloat);
    }

    function _callReleases(Item[] memory items) private returns (bool, bytes memory) {
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](items.length);
        for (uint256 i = 0; i < items.length; i++) payments[i] = _paymentHere(items[i].asset, items[i].operation)[0];
        IBridgeBase.Attestation memory consent = _attest(address(lock), _releaseHead(payments));
        bytes memory call = abi.encodeCall(lock.releaseMany, (payments, consent));
        return _callFor(_relayer, address(lock), 0, call, GAS * items.length);
    }

    function _callMints(Item[] memory items, bool fromFloat) private returns (bool, bytes memory) {
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](items.length);
        uint256 value = 0;
        for (uint256 i = 0; i < items.length; i++) {
            payments[i] = _paymentThere(items[i].asset, items[i].operation)[0];
            if (items[i].asset == XCN_ASSET && !fromFloat) value += items[i].operation.amount / UNIT;
        }
        IBridgeBase.Attestation memory consent = _attest(address(bridgeMint), _mintHead(payments));
        bytes memory call = abi.encodeCall(bridgeMint.mintMany, (payments, consent));
        return _callFor(_relayer, address(bridgeMint), value, call, GAS * items.length);
    }

    function _book(Item memory item, Result memory apart, uint256 index, bool onLock, bool fromFloat) private {
        bool isCredited = (apart.credited >> index) & 1 == 1;
        Operation memory operation = item.operation;
        if (onLock) _bookRelease(item.asset, operation, isCredited);
        else _bookMint(item.asset, operation, fromFloat, isCredited);
        Operation[] storage list = onLock ? _toRelease[item.asset] : _toMint[item.asset];
        for (uint256 i = 0; i < list.length; i++) {
            if (list[i].nonce == operation.nonce && !list[i].isIntent) {
                Operation memory waiting = _take(list, i);
                if (onLock) _ledgers[item.asset].toRelease -= waiting.amount + waiting.fee;
                else _ledgers[item.asset].toMint -= waiting.amount;
                return;
            }
        }
    }

    /// @dev All that a batch may change: numbers, credits, fees, limits and balances, and the caller's coin.
    function _stateOf(Item[] memory items, bool onLock) private view returns (bytes32 state) {
        for (uint256 i = 0; i < items.length; i++) {
            (address token, Operation memory operation) = (_token(onLock, items[i].asset), items[i].operation);
            bool isDelivered = onLock ? lock.isReleased(operation.nonce) : bridgeMint.isMinted(operation.nonce);
            state = keccak256(abi.encode(state, isDelivered, _holdings(token, operation.recipient, onLock)));
        }
        return keccak256(abi.encode(state, _relayer.balance));
    }

    function _holdings(address token, address recipient, bool onLock) private view returns (bytes memory) {
        return
            abi.encode(
                _balance(token, _side(onLock)),
                _balance(token, recipient),
                _governed(onLock).claimable(token, recipient),
                _governed(onLock).totalClaimable(token),
                _governed(onLock).outflowRoom(token),
                onLock ? lock.feesAccrued(token) : 0
            );
    }
}
