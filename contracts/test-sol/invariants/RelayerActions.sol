// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {UserActions} from "./UserActions.sol";

/// @dev What an honest relayer does: it delivers what began on the other side, once, and retires what was paid. Now and then
/// it repeats itself.
abstract contract RelayerActions is UserActions {
    function mintNext(uint256 asset, uint256 seed) external {
        asset %= ASSETS;
        if (_toMint[asset].length == 0) return;
        Operation memory operation = _take(_toMint[asset], seed);
        (bool allowed, ) = bridgeMint.tokenSettings(there[asset]);
        bool fits = bridgeMint.outflowRoom(there[asset]) >= operation.amount;
        bool paused = bridgeMint.mintsPaused();
        if (!_mint(asset, operation.nonce, operation.recipient, operation.amount)) {
            if (!paused && allowed && fits) stoppedWithoutCause++;
            _toMint[asset].push(operation);
            return;
        }
        if (paused) ranWhilePaused++;
        _countDelivery(keccak256(abi.encode("mint", operation.nonce)));
        _ledgers[asset].toMint -= operation.amount;
        _ledgers[asset].minted += operation.amount;
    }

    function releaseNext(uint256 asset, uint256 seed) external {
        asset %= ASSETS;
        if (_toRelease[asset].length == 0) return;
        Operation memory operation = _take(_toRelease[asset], seed);
        (bool allowed, ) = lock.tokenSettings(here[asset]);
        bool fits = lock.outflowRoom(here[asset]) >= operation.amount + operation.fee;
        bool paused = lock.releasesPaused();
        if (!_release(asset, operation)) {
            if (!paused && allowed && fits && asset != CHAOS) stoppedWithoutCause++;
            _toRelease[asset].push(operation);
            return;
        }
        if (paused) ranWhilePaused++;
        _countDelivery(keccak256(abi.encode(asset == XCN_ASSET ? "intent" : "release", operation.nonce)));
        _ledgers[asset].toRelease -= operation.amount + operation.fee;
    }

    /// @dev Delivers again what may have been delivered before, whatever it is; that it worked is found by the books.
    function repeat(uint256 asset, uint256 nonce, uint64 amount) external {
        asset %= ASSETS;
        address recipient = actors[0];
        nonce %= lock.depositNonce() + bridgeMint.withdrawNonce() + 1;
        if (bridgeMint.isMinted(nonce) && _mint(asset, nonce, recipient, uint256(amount) * UNIT)) deliveredTwice++;
        Operation memory operation = Operation(nonce, recipient, amount, 0);
        if (asset == XCN_ASSET) {
            bool paid = lock.isIntentReleased(_intentId(nonce));
            if (paid && _release(asset, operation)) deliveredTwice++;
        } else if (lock.isReleased(nonce) && _release(asset, operation)) deliveredTwice++;
    }

    /// @dev Destroys part of what was handed in and paid.
    function retire(uint256 asset, uint256 seed, uint256 amount) external {
        asset %= ASSETS;
        if (asset == XCN_ASSET) return;
        Ledger storage books = _ledgers[asset];
        address wallet = _wallets[seed % _wallets.length];
        uint256 most = books.burnt - books.toRelease - books.retired;
        uint256 balance = BridgedToken(there[asset]).balanceOf(wallet);
        if (most > balance) most = balance;
        if (most == 0) return;
        amount = 1 + (amount % most);
        bytes memory call =
            wallet == _relayer && amount % 2 == 0
                ? abi.encodeCall(bridgeMint.retire, (there[asset], amount))
                : abi.encodeCall(bridgeMint.retireOf, (wallet, there[asset], amount));
        if (_callAs(_relayer, address(bridgeMint), 0, call)) books.retired += amount;
        else stoppedWithoutCause++;
    }

    /// @dev Gives back what came by a plain transfer, or tries to.
    function refund(uint256 asset, uint256 seed, uint256 amount) external {
        asset %= ASSETS;
        if (asset == XCN_ASSET) return;
        Ledger storage books = _ledgers[asset];
        uint256 held = 0;
        for (uint256 i = 0; i < _wallets.length; i++) held += BridgedToken(there[asset]).balanceOf(_wallets[i]);
        uint256 most = held - (books.burnt - books.retired);
        uint256 balance = BridgedToken(there[asset]).balanceOf(_relayer);
        if (most > balance) most = balance;
        if (most == 0) return;
        amount = 1 + (amount % most);
        bytes memory call = abi.encodeCall(bridgeMint.refund, (there[asset], _actor(seed), amount));
        if (!_callAs(_relayer, address(bridgeMint), 0, call)) return;
        if (bridgeMint.mintsPaused()) ranWhilePaused++;
        refunded[asset] += amount;
        _recordOutflow(false, asset, amount);
    }

    function _mint(uint256 asset, uint256 nonce, address recipient, uint256 amount) internal returns (bool done) {
        uint256 value = asset == XCN_ASSET ? amount / UNIT : 0;
        vm.deal(_relayer, value);
        bytes memory call = abi.encodeCall(bridgeMint.mint, (nonce, there[asset], recipient, amount));
        done = _callAs(_relayer, address(bridgeMint), value, call);
        if (done) _recordOutflow(false, asset, amount);
    }

    function _release(uint256 asset, Operation memory operation) internal returns (bool done) {
        (address recipient, uint256 amount, uint256 fee) = (operation.recipient, operation.amount, operation.fee);
        uint256 before = lock.totalClaimable(here[asset]);
        bytes memory call;
        if (asset == 0) call = abi.encodeCall(lock.releaseNative, (operation.nonce, recipient, amount, fee));
        else if (asset == XCN_ASSET) {
            call = abi.encodeCall(lock.releaseIntent, (_intentId(operation.nonce), recipient, amount, fee));
        } else call = abi.encodeCall(lock.release, (operation.nonce, here[asset], recipient, amount, fee));
        done = _callAs(_relayer, address(lock), 0, call);
        if (!done) return false;
        _recordOutflow(true, asset, amount + fee);
        _ledgers[asset].feesKept += fee;
        if (lock.totalClaimable(here[asset]) > before) _ledgers[asset].credited += amount;
        else _ledgers[asset].released += amount;
    }

    function _intentId(uint256 number) internal pure returns (bytes32) {
        return keccak256(abi.encode("intent", number));
    }
}
