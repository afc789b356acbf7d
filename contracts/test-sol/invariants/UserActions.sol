// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestUSDC} from "../../src/testing/TestUSDC.sol";
import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {BridgeWorld} from "./BridgeWorld.sol";

/// @dev What anybody does: deposits, withdrawals, claims, collecting, and sending tokens where they do not belong.
abstract contract UserActions is BridgeWorld {
    function deposit(uint256 seed, uint256 asset, uint80 amount, uint256 recipientSeed) external {
        asset %= ASSETS;
        address sender = _actor(seed);
        uint256 value = asset == XCN_ASSET ? uint256(amount) - (amount % UNIT) : amount;
        (bool allowed, ) = lock.tokenSettings(here[asset]);
        bool cause = lock.depositsPaused() || !allowed || value == 0 || _refusesTransfers(asset, sender);
        bool done = _deposit(sender, asset, value, _actor(recipientSeed));
        if (done && lock.depositsPaused()) ranWhilePaused++;
        if (!done && !cause) stoppedWithoutCause++;
        if (!done) return;
        _ledgers[asset].deposited += value;
        _ledgers[asset].toMint += value;
        _toMint[asset].push(Operation(lock.depositNonce() - 1, _actor(recipientSeed), value, 0));
    }

    function burn(uint256 seed, uint256 asset, uint256 amount, uint256 destinationSeed) external {
        asset %= ASSETS;
        if (asset == XCN_ASSET) return _sendXcn(amount, destinationSeed);
        address sender = _actor(seed);
        uint256 balance = BridgedToken(there[asset]).balanceOf(sender);
        if (balance == 0) return;
        amount = 1 + (amount % balance);
        (bool allowed, ) = bridgeMint.tokenSettings(there[asset]);
        (, , uint256 minAmount) = bridgeMint.feePolicy(there[asset]);
        bool cause = bridgeMint.burnsPaused() || !allowed || amount < minAmount;
        bytes memory call = abi.encodeCall(
            bridgeMint.burn,
            (there[asset], amount, _actor(destinationSeed), type(uint256).max)
        );
        bool done = _callAs(sender, address(bridgeMint), 0, call);
        if (done && bridgeMint.burnsPaused()) ranWhilePaused++;
        if (!done && !cause) stoppedWithoutCause++;
        if (!done) return;
        uint256 fee = bridgeMint.quoteFee(there[asset], amount);
        _ledgers[asset].burnt += amount;
        _ledgers[asset].toRelease += amount;
        _toRelease[asset].push(Operation(bridgeMint.withdrawNonce() - 1, _actor(destinationSeed), amount - fee, fee));
    }

    /// @dev Claims are never paused, and what is claimed comes from the credits.
    function claim(uint256 seed, uint256 asset, uint256 toSeed, bool forOther) external {
        asset %= ASSETS;
        (address account, address to) = (_actor(seed), forOther ? _actor(seed) : _actor(toSeed));
        uint256 credit = lock.claimable(here[asset], account);
        bool cause = credit == 0 || _refuses(asset, to);
        bytes memory call =
            forOther
                ? abi.encodeCall(lock.claimFor, (here[asset], account))
                : abi.encodeCall(lock.claim, (here[asset], to));
        bool done = _callAs(account, address(lock), 0, call);
        if (!done && !cause) exitsStopped++;
        if (done) _ledgers[asset].claimed += credit;
    }

    /// @dev Credits of native XCN on the partner chain.
    function claimXcn(uint256 seed, uint256 toSeed) external {
        uint256 credit = bridgeMint.claimable(address(0), _actor(seed));
        bool cause = credit == 0 || _refuses(0, _actor(toSeed));
        bytes memory call = abi.encodeCall(bridgeMint.claim, (address(0), _actor(toSeed)));
        bool done = _callAs(_actor(seed), address(bridgeMint), 0, call);
        if (done) xcnClaimed += credit;
        if (!done && !cause) exitsStopped++;
    }

    /// @dev Never paused either.
    function collect(uint256 asset) external {
        asset %= ASSETS;
        uint256 fees = lock.feesAccrued(here[asset]);
        bool cause = fees == 0 || _refusesTransfers(asset, lock.treasury());
        bool done = _callAs(actors[1], address(lock), 0, abi.encodeCall(lock.collectFees, (here[asset])));
        if (!done && !cause) exitsStopped++;
        if (done) _ledgers[asset].collected += fees;
    }

    /// @dev A transfer that is no deposit: nobody's, but never a gap.
    function donate(uint256 asset, uint64 amount) external {
        asset %= ASSETS;
        if (asset == 0) return;
        (bool done, ) = here[asset].call(abi.encodeCall(TestUSDC.mint, (address(lock), amount)));
        if (done) _ledgers[asset].donated += amount;
    }

    /// @dev A transfer that is no burn: given back by the relayer, or never.
    function sendToRelayer(uint256 seed, uint256 asset, uint256 amount) external {
        asset %= ASSETS;
        if (asset == XCN_ASSET) return;
        BridgedToken token = BridgedToken(there[asset]);
        uint256 balance = token.balanceOf(_actor(seed));
        if (balance == 0) return;
        vm.prank(_actor(seed));
        token.transfer(_relayer, 1 + (amount % balance));
    }

    function _deposit(address sender, uint256 asset, uint256 value, address recipient) private returns (bool) {
        if (asset == 0) {
            vm.deal(sender, sender.balance + value);
            return _callAs(sender, address(lock), value, abi.encodeCall(lock.depositNative, (recipient)));
        }
        (bool minted, ) = here[asset].call(abi.encodeCall(TestUSDC.mint, (sender, value)));
        if (!minted) return false;
        vm.prank(sender);
        TestUSDC(here[asset]).approve(address(lock), value);
        return _callAs(sender, address(lock), 0, abi.encodeCall(lock.deposit, (here[asset], value, recipient)));
    }

    /// @dev An intent: native XCN goes to the relayer wallet, and is owed on Ethereum.
    function _sendXcn(uint256 amount, uint256 destinationSeed) private {
        uint256 out = _ledgers[XCN_ASSET].minted - _ledgers[XCN_ASSET].burnt;
        uint256 held = out - bridgeMint.totalClaimable(address(0));
        if (held < 100_000) return;
        amount = 100_000 + (amount % (held - 99_999));
        uint256 fee = amount / 400;
        _ledgers[XCN_ASSET].burnt += amount;
        _ledgers[XCN_ASSET].toRelease += amount;
        _toRelease[XCN_ASSET].push(Operation(++_intents, _actor(destinationSeed), amount - fee, fee));
    }

    /// @dev Whether an account has reason not to take a payment of this asset.
    function _refuses(uint256 asset, address to) internal view returns (bool) {
        // The last three actors are contracts in some mood.
        if (asset == 0) return uint160(to) > 0xFFFF;
        return _refusesTransfers(asset, to);
    }

    function _refusesTransfers(uint256 asset, address account) internal view returns (bool) {
        if (asset == 1) return _usdc.blocklisted(account) || _usdc.blocklisted(address(lock));
        return asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest;
    }
}
