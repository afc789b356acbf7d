// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestUSDC} from "../../src/mocks/TestUSDC.sol";
import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {HostileActor} from "./HostileActor.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev Actions that need no role: deposits, withdrawals, claims, collecting fees, and transfers to wrong places.
abstract contract UserActions is BridgeState {
    bytes32 private constant PERMIT = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );

    function _deposit(uint256 seed, uint256 asset, uint256 amount, address recipient) internal {
        address sender = _actor(seed);
        if (!_fund(sender, asset, amount)) return;
        bytes memory call;
        if (asset == 0) call = abi.encodeCall(lock.depositNative, (recipient));
        else {
            vm.prank(sender);
            TestUSDC(here[asset]).approve(address(lock), amount);
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
        TestUSDC token = TestUSDC(here[asset]);
        vm.prank(sender);
        token.approve(address(lock), 0);
        bytes32 message = keccak256(
            abi.encode(PERMIT, sender, address(lock), amount, token.nonces(sender), type(uint256).max)
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), message));
        uint256 way = (seed >> 8) % 4;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_keys[way < 2 ? seed % 2 : 1 - (seed % 2)], digest);
        if (way == 1) token.permit(sender, address(lock), amount, type(uint256).max, v, r, s);
        if (way == 2) {
            vm.prank(sender);
            token.approve(address(lock), amount);
        }
        bytes memory call = abi.encodeCall(
            lock.depositWithPermit,
            (address(token), amount, recipient, type(uint256).max, v, r, s)
        );
        if (way < 3) {
            if (_tryDeposit(sender, asset, amount, recipient, call)) _record("deposit by permit", asset);
        } else if (_callAs(sender, address(lock), 0, call)) unauthorised++;
        else _record("bad permit refused", asset);
    }

    function _burn(uint256 seed, uint256 asset, uint256 amount, address destination) internal {
        if (asset == XCN_ASSET) return _sendXcn(amount, destination);
        (address sender, uint256 balance) = _holder(seed, asset);
        if (balance == 0) return;
        if (amount > balance) amount = balance;
        (bool allowed, ) = bridgeMint.tokenSettings(there[asset]);
        (, , uint256 minAmount) = bridgeMint.feePolicy(there[asset]);
        bool paused = bridgeMint.burnsPaused();
        bytes memory call = abi.encodeCall(bridgeMint.burn, (there[asset], amount, destination, type(uint256).max));
        if (!_callAs(sender, address(bridgeMint), 0, call)) {
            if (!paused && allowed && amount >= minAmount) stoppedWithoutCause++;
            if (paused) _record("burn paused", asset);
            return;
        }
        if (paused) ranWhilePaused++;
        _record("burn", asset);
        uint256 fee = bridgeMint.quoteFee(there[asset], amount);
        _ledgers[asset].burnt += amount;
        _ledgers[asset].toRelease += amount;
        _toRelease[asset].push(Operation(bridgeMint.withdrawNonce() - 1, destination, amount - fee, fee));
    }

    /// @dev Claims are never paused, and pay credits only. An account with a credit is chosen if there is one.
    function _claim(uint256 seed, uint256 asset, address to, bool forOther) internal {
        address account = _creditor(seed, asset);
        if (forOther) to = account;
        uint256 credit = lock.claimable(here[asset], account);
        bool cause = _creditsHere[asset][account] == 0 || _refuses(asset, to);
        bytes memory call =
            forOther
                ? abi.encodeCall(lock.claimFor, (here[asset], account))
                : abi.encodeCall(lock.claim, (here[asset], to));
        if (!_callAs(forOther ? actors[0] : account, address(lock), 0, call)) {
            if (!cause) exitsStopped++;
            return;
        }
        _record("claim", asset);
        if (credit != _creditsHere[asset][account]) wrongEffects++;
        _ledgers[asset].claimed += credit;
        _creditsHere[asset][account] = 0;
    }

    /// @dev Credits of native XCN on the partner chain.
    function _claimXcn(uint256 seed, address to, bool forOther) internal {
        address account = _actor(seed);
        for (uint256 i = 0; i < actors.length && _creditsThere[account] == 0; i++) account = _actor(seed + i);
        if (forOther) to = account;
        bool cause = _creditsThere[account] == 0 || _refuses(0, to);
        bytes memory call =
            forOther
                ? abi.encodeCall(bridgeMint.claimFor, (address(0), account))
                : abi.encodeCall(bridgeMint.claim, (address(0), to));
        if (!_callAs(forOther ? actors[0] : account, address(bridgeMint), 0, call)) {
            if (!cause) exitsStopped++;
            return;
        }
        _record("claim there", XCN_ASSET);
        _creditsThere[account] = 0;
    }

    /// @dev Collecting fees is never paused.
    function _collect(uint256 asset) internal {
        uint256 fees = lock.feesAccrued(here[asset]);
        bool cause = fees == 0 || _refusesTransfers(asset, lock.treasury());
        bool done = _callAs(actors[1], address(lock), 0, abi.encodeCall(lock.collectFees, (here[asset])));
        if (!done && !cause) exitsStopped++;
        if (!done) return;
        _ledgers[asset].collected += fees;
        _record("collect", asset);
    }

    /// @dev A transfer that is not a deposit. Nobody owns it, but it never makes a gap. Coins can always be forced in,
    /// by a contract that destroys itself.
    function _donate(uint256 asset, uint256 amount) internal {
        if (asset == 0) {
            vm.deal(address(lock), address(lock).balance + amount);
            _ledgers[0].donated += amount;
            return;
        }
        (bool done, ) = here[asset].call(abi.encodeCall(TestUSDC.mint, (address(lock), amount)));
        if (done) _ledgers[asset].donated += amount;
    }

    /// @dev A transfer that is not a burn. The relayer may refund it.
    function _sendToRelayer(uint256 seed, uint256 asset, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        (address sender, uint256 balance) = _holder(seed, asset);
        if (balance == 0) return;
        amount = 1 + (amount % balance);
        vm.prank(sender);
        BridgedToken(there[asset]).transfer(_relayer, amount);
        _ledgers[asset].sent += amount;
    }

    function _tryDeposit(
        address sender,
        uint256 asset,
        uint256 amount,
        address recipient,
        bytes memory call
    ) private returns (bool) {
        (bool allowed, ) = lock.tokenSettings(here[asset]);
        bool paused = lock.depositsPaused();
        bool cause = paused || !allowed || amount == 0 || (asset == XCN_ASSET && amount % UNIT != 0);
        if (asset == CHAOS && !cause) seenModes[chaos.mode()][0]++;
        if (!_callAs(sender, address(lock), asset == 0 ? amount : 0, call)) {
            if (!cause && !_refusesTransfers(asset, sender)) stoppedWithoutCause++;
            if (paused) _record("deposit paused", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        _record("deposit", asset);
        _ledgers[asset].deposited += amount;
        _ledgers[asset].toMint += amount;
        _toMint[asset].push(Operation(lock.depositNonce() - 1, recipient, amount, 0));
        return true;
    }

    function _fund(address sender, uint256 asset, uint256 amount) private returns (bool done) {
        if (asset == 0) {
            vm.deal(sender, sender.balance + amount);
            return true;
        }
        (done, ) = here[asset].call(abi.encodeCall(TestUSDC.mint, (sender, amount)));
    }

    /// @dev An intent: native XCN goes to the relayer wallet, and BridgeLock owes XCN on Ethereum.
    function _sendXcn(uint256 amount, address destination) private {
        uint256 out = _ledgers[XCN_ASSET].minted - _ledgers[XCN_ASSET].burnt;
        uint256 held = out - bridgeMint.totalClaimable(address(0));
        if (held < 100_000) return;
        if (amount > held) amount = held;
        if (amount < 100_000) amount = 100_000;
        uint256 fee = amount / 400;
        _record("burn", XCN_ASSET);
        _ledgers[XCN_ASSET].burnt += amount;
        _ledgers[XCN_ASSET].toRelease += amount;
        _toRelease[XCN_ASSET].push(Operation(++_intents, destination, amount - fee, fee));
    }

    /// @dev An account with bridged tokens, if there is one.
    function _holder(uint256 seed, uint256 asset) private view returns (address account, uint256 balance) {
        for (uint256 i = 0; i < actors.length && balance == 0; i++) {
            account = _actor(seed + i);
            balance = BridgedToken(there[asset]).balanceOf(account);
        }
    }

    /// @dev An account with a credit, if there is one.
    function _creditor(uint256 seed, uint256 asset) internal view returns (address account) {
        for (uint256 i = 0; i < actors.length; i++) {
            account = _actor(seed + i);
            if (_creditsHere[asset][account] > 0) return account;
        }
    }

    /// @dev Whether an account has a reason to refuse a payment of this asset.
    function _refuses(uint256 asset, address to) internal view returns (bool) {
        if (asset != 0) return _refusesTransfers(asset, to);
        if (to.code.length == 0) return false;
        HostileActor.Behaviour behaviour = HostileActor(payable(to)).behaviour();
        return behaviour == HostileActor.Behaviour.Refuses || behaviour == HostileActor.Behaviour.EatsGas;
    }

    function _refusesTransfers(uint256 asset, address account) internal view returns (bool) {
        if (asset == 1) return _usdc.blocklisted(account) || _usdc.blocklisted(address(lock));
        return asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest;
    }
}
