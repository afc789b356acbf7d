// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ITestToken} from "../fixtures/Interfaces.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev Actions without a role that bring value in: deposits, top-ups, and transfers to wrong addresses.
abstract contract UserActions is BridgeState {
    bytes32 private constant PERMIT = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,"
        "bytes32 nonce)"
    );

    function _deposit(uint256 seed, uint256 asset, uint256 amount, address recipient) internal {
        address sender = _actor(seed);
        if (!_fund(sender, asset, amount)) return;
        bytes memory call;
        if (asset == 0) call = abi.encodeCall(lock.depositNative, (recipient));
        else {
            vm.prank(sender);
            ITestToken(here[asset]).approve(address(lock), amount);
            call = abi.encodeCall(lock.deposit, (here[asset], amount, recipient));
        }
        _tryDeposit(sender, asset, amount, recipient, call);
    }

    /// @dev Deposits by a permit: a valid one, one that was used already, or an invalid one with or without an
    /// allowance.
    function _depositWithPermit(uint256 seed, uint256 asset, uint256 amount, address recipient) internal {
        if (asset != XCN_ASSET) asset = 1;
        address sender = actors[seed % 2];
        if (!_fund(sender, asset, amount)) return;
        ITestToken token = ITestToken(here[asset]);
        vm.prank(sender);
        token.approve(address(lock), 0);
        uint256 way = (seed >> 8) % 4;
        bytes memory call = _permitCall(token, sender, amount, recipient, way, seed % 2);
        if (way == 2) {
            vm.prank(sender);
            token.approve(address(lock), amount);
        }
        if (way < 3) {
            if (_tryDeposit(sender, asset, amount, recipient, call)) _record("deposit by permit", asset);
        } else if (_callAs(sender, address(lock), 0, call)) unauthorised++;
        else _record("bad permit refused", asset);
    }

    /// @dev Deposits of USDC by an authorization that any account submits: as it was signed, with another recipient or
    /// amount, or signed by another account. Each authorization is submitted twice.
    function _depositWithAuthorization(uint256 seed, uint256 amount, address recipient) internal {
        address sender = actors[seed % 2];
        if (!_fund(sender, 1, amount)) return;
        uint256 way = (seed >> 8) % 6;
        // Campaigns repeat their entropy, but an authorization is used once.
        bytes32 salt = keccak256(abi.encode(seed, turns));
        bytes32 nonce = keccak256(abi.encode(way == 1 ? _treasuries[0] : recipient, salt));
        bytes32 message = keccak256(
            abi.encode(RECEIVE, sender, address(lock), way == 2 ? amount + 1 : amount, 0, type(uint256).max, nonce)
        );
        IBridgeLock.Authorization memory authorization;
        (authorization.from, authorization.validBefore, authorization.salt) = (sender, type(uint256).max, salt);
        (authorization.v, authorization.r, authorization.s) = vm.sign(
            _keys[way == 3 ? 1 - (seed % 2) : seed % 2],
            keccak256(abi.encodePacked(hex"1901", _usdc.DOMAIN_SEPARATOR(), message))
        );
        bytes memory call = abi.encodeCall(lock.depositWithAuthorization, (here[1], amount, recipient, authorization));
        address submitter = _actor(seed >> 16);
        bool isHonest = way == 0 || way > 3;
        if (isHonest && _tryDepositFrom(submitter, sender, 1, amount, recipient, call)) {
            _record("deposit by authorization", 1);
            if (!_fund(sender, 1, amount)) return;
        }
        // A used authorization, or one with other terms, has no effect.
        if (!isHonest || _usdc.authorizationState(sender, nonce)) {
            if (_callAs(submitter, address(lock), 0, call)) unauthorised++;
            else _record("authorization refused", 1);
        }
    }

    /// @dev A transfer that is not a deposit. It has no owner, and never makes the collateral short. A self-destructing
    /// contract can always force coin in.
    function _donate(uint256 asset, uint256 amount) internal {
        if (asset == 0) {
            vm.deal(address(lock), address(lock).balance + amount);
            _ledgers[0].donated += amount;
            return;
        }
        (bool done, ) = here[asset].call(abi.encodeCall(ITestToken.mint, (address(lock), amount)));
        if (done) _ledgers[asset].donated += amount;
    }

    /// @dev Collateral of BridgeLock, or float of BridgeMint. Plain transfers of coin are refused.
    function _topUp(uint256 seed, bool onLock, uint256 amount) internal {
        address sender = actors[seed % 2];
        uint256 value = onLock ? amount : amount / UNIT;
        vm.deal(sender, value + 1);
        if (value == 0) {
            _mustBeRefused(sender, onLock, 0, abi.encodeCall(lock.topUp, ()));
            return;
        }
        _mustBeRefused(sender, onLock, value, "");
        if (!_callAs(sender, _side(onLock), value, abi.encodeCall(lock.topUp, ()))) {
            stoppedWithoutCause++;
            return;
        }
        _record("top-up", onLock ? 0 : XCN_ASSET);
        if (onLock) _ledgers[0].donated += value;
        else _float += value * UNIT;
    }

    /// @dev A sweep of up to three transfers. Refused when the amounts differ from the value, or for other callers.
    function _sweep(uint256 seed, uint256 amount) internal {
        IBridgeMint.SweptTransfer[] memory transfers = new IBridgeMint.SweptTransfer[](seed % 4);
        uint256 value = 0;
        for (uint256 i = 0; i < transfers.length; i++) {
            uint256 part = (amount / UNIT) >> i;
            transfers[i] = IBridgeMint.SweptTransfer(keccak256(abi.encode(seed, i)), part * UNIT);
            value += part;
        }
        bytes memory call = abi.encodeCall(bridgeMint.sweep, (transfers));
        vm.deal(actors[0], value);
        _mustBeRefused(actors[0], false, value, call);
        vm.deal(_relayer, _relayer.balance + value + 1);
        _mustBeRefused(_relayer, false, value + 1, call);
        if (!_callAs(_relayer, _side(false), value, call)) {
            stoppedWithoutCause++;
            return;
        }
        _record("sweep", XCN_ASSET);
        _float += value * UNIT;
    }

    /// @dev Coin that reaches BridgeMint by force is float, too.
    function _forceFloat(uint256 amount) internal {
        uint256 value = amount / UNIT;
        vm.deal(address(bridgeMint), address(bridgeMint).balance + value);
        _float += value * UNIT;
    }

    function _mustBeRefused(address from, bool onLock, uint256 value, bytes memory call) internal {
        if (_callAs(from, _side(onLock), value, call)) unauthorised++;
    }

    function _refusesTransfers(uint256 asset, address account) internal view returns (bool) {
        if (asset == 1) return _usdc.blocklisted(account) || _usdc.blocklisted(address(lock));
        return asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest;
    }

    function _fund(address sender, uint256 asset, uint256 amount) internal returns (bool done) {
        if (asset == 0) {
            vm.deal(sender, sender.balance + amount);
            return true;
        }
        (done, ) = here[asset].call(abi.encodeCall(ITestToken.mint, (sender, amount)));
    }

    function _permitCall(
        ITestToken token,
        address sender,
        uint256 amount,
        address recipient,
        uint256 way,
        uint256 which
    ) private returns (bytes memory) {
        bytes32 message = keccak256(
            abi.encode(PERMIT, sender, address(lock), amount, token.nonces(sender), type(uint256).max)
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), message));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_keys[way < 2 ? which : 1 - which], digest);
        if (way == 1) token.permit(sender, address(lock), amount, type(uint256).max, v, r, s);
        uint256 deadline = type(uint256).max;
        return abi.encodeCall(lock.depositWithPermit, (address(token), amount, recipient, deadline, v, r, s));
    }

    function _tryDeposit(
        address sender,
        uint256 asset,
        uint256 amount,
        address recipient,
        bytes memory call
    ) private returns (bool) {
        return _tryDepositFrom(sender, sender, asset, amount, recipient, call);
    }

    function _tryDepositFrom(
        address submitter,
        address sender,
        uint256 asset,
        uint256 amount,
        address recipient,
        bytes memory call
    ) private returns (bool) {
        bool paused = _arePaused(true, true);
        bool forbidden = _forbids(asset, amount, recipient);
        if (asset == CHAOS && !paused && !forbidden) seenModes[chaos.mode()][0]++;
        if (!_callAs(submitter, address(lock), asset == 0 ? amount : 0, call)) {
            if (!paused && !forbidden && !_refusesTransfers(asset, sender)) stoppedWithoutCause++;
            if (paused) _record("deposit paused", asset);
            if (amount > _settings[true][asset].limits.maxAmount) _record("deposit above maximum", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        if (forbidden) wrongEffects++;
        _record("deposit", asset);
        _ledgers[asset].deposited += amount;
        _ledgers[asset].toMint += amount;
        _toMint[asset].push(Operation(false, lock.depositNonce() - 1, recipient, amount, 0));
        return true;
    }

    /// @dev Whether the rules forbid a deposit.
    function _forbids(uint256 asset, uint256 amount, address recipient) private view returns (bool) {
        Settings storage settings = _settings[true][asset];
        if (!settings.mayBegin || amount == 0 || amount > settings.limits.maxAmount) return true;
        if (asset == XCN_ASSET && amount % UNIT != 0) return true;
        return _isRefused(recipient, true);
    }
}
