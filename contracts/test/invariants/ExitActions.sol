// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {HostileActor} from "./HostileActor.sol";
import {UserActions} from "./UserActions.sol";

/// @dev Actions without a role that take value out: withdrawals, claims, and collecting fees.
abstract contract ExitActions is UserActions {
    function _burn(uint256 seed, uint256 asset, uint256 amount, address destination) internal {
        if (asset == XCN_ASSET) {
            if (seed % 2 == 0) _sendXcn(amount, destination);
            else _withdrawNative(seed, amount, destination);
            return;
        }
        (address sender, uint256 balance) = _holder(seed, asset);
        if (balance == 0) return;
        if (amount > balance) amount = balance;
        bytes memory call = abi.encodeCall(bridgeMint.burn, (there[asset], amount, destination, type(uint256).max));
        _tryWithdrawal(sender, asset, amount, destination, call);
    }

    /// @dev A numbered withdrawal of native XCN. The coin becomes float.
    function _withdrawNative(uint256 seed, uint256 amount, address destination) internal {
        uint256 held = _xcnInCirculation();
        if (amount > held) amount = held;
        amount -= amount % UNIT;
        if (amount == 0) return;
        address sender = actors[seed % 2];
        vm.deal(sender, amount / UNIT);
        bytes memory call = abi.encodeCall(bridgeMint.withdrawNative, (destination, type(uint256).max));
        if (!_tryWithdrawal(sender, XCN_ASSET, amount, destination, call)) return;
        _float += amount;
        _record("native withdrawal", XCN_ASSET);
    }

    /// @dev An account with a credit is chosen if there is one.
    function _claim(bool onLock, uint256 seed, uint256 asset, address to, bool forOther) internal {
        address account = _creditor(onLock, seed, asset);
        _claimOf(onLock, asset, account, forOther ? account : to, forOther);
    }

    /// @dev Claims are never paused, and pay credits only. An account that can never receive cannot claim.
    function _claimOf(bool onLock, uint256 asset, address account, address to, bool forOther) internal {
        uint256 credit = _credits[onLock][asset][account];
        bool isOdd = _cannotReceive(onLock, account);
        bool cause = credit == 0 || isOdd || _refuses(onLock, asset, to);
        address token = _token(onLock, asset);
        bytes memory call =
            forOther
                ? abi.encodeCall(IBridgeBase.claimFor, (token, account))
                : abi.encodeCall(IBridgeBase.claim, (token, to));
        if (!_callAs(forOther ? actors[0] : account, _side(onLock), 0, call)) {
            if (!cause) exitsStopped++;
            if (isOdd && credit > 0) _record("claim refused", asset);
            return;
        }
        if (isOdd) unauthorised++;
        _record(onLock ? bytes32("claim") : bytes32("claim there"), asset);
        _credits[onLock][asset][account] = 0;
        if (onLock) _ledgers[asset].claimed += credit;
        else _ledgers[asset].claimedThere += credit;
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

    /// @dev A transfer that is not a burn. The relayer may refund it.
    function _sendToWallet(uint256 seed, uint256 asset, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        (address sender, uint256 balance) = _holder(seed, asset);
        if (balance == 0) return;
        amount = 1 + (amount % balance);
        vm.prank(sender);
        IERC20(there[asset]).transfer(seed % 4 == 0 ? _wallets[(seed >> 8) % 3] : _relayer, amount);
        _ledgers[asset].sent += amount;
    }

    /// @dev An account with a credit, if there is one.
    function _creditor(bool onLock, uint256 seed, uint256 asset) internal view returns (address account) {
        for (uint256 i = 0; i < PARTIES; i++) {
            account = _party((seed + i) % PARTIES);
            if (_credits[onLock][asset][account] > 0) return account;
        }
    }

    /// @dev Whether a claim by, for or to an account is refused.
    function _cannotReceive(bool onLock, address account) internal view returns (bool) {
        return _isWallet(account) ? _wasRelayer[account] : _isRefused(account, onLock);
    }

    /// @dev Whether an account has a reason to refuse a payment of this asset.
    function _refuses(bool onLock, uint256 asset, address to) internal view returns (bool) {
        if (asset != (onLock ? 0 : XCN_ASSET)) return onLock && _refusesTransfers(asset, to);
        // Tokens accept no coin.
        if (to == here[1] || to == here[XCN_ASSET]) return true;
        if (to == there[0] || to == there[1] || to == there[CHAOS]) return true;
        if (to.code.length == 0 || to == address(chaos)) return false;
        if (to == address(lock) || to == address(bridgeMint)) return true;
        HostileActor.Behaviour behaviour = HostileActor(payable(to)).behaviour();
        return behaviour == HostileActor.Behaviour.Refuses || behaviour == HostileActor.Behaviour.EatsGas;
    }

    /// @dev Native XCN that users hold on the partner chain.
    function _xcnInCirculation() internal view returns (uint256) {
        Ledger storage books = _ledgers[XCN_ASSET];
        (uint256 outside, uint256 credits) = (books.minted - books.burnt, books.creditedThere - books.claimedThere);
        // Refunds that were refused are credits, too.
        return outside > credits ? outside - credits : 0;
    }

    /// @dev An account with bridged tokens, if there is one.
    function _holder(uint256 seed, uint256 asset) internal view returns (address account, uint256 balance) {
        for (uint256 i = 0; i < actors.length && balance == 0; i++) {
            account = _actor(seed + i);
            balance = IERC20(there[asset]).balanceOf(account);
        }
    }

    function _tryWithdrawal(
        address sender,
        uint256 asset,
        uint256 amount,
        address destination,
        bytes memory call
    ) private returns (bool) {
        bool paused = _arePaused(false, true);
        bool forbidden = _forbidsWithdrawal(asset, amount, destination);
        uint256 fee = _feeOf(asset, amount);
        if (!_callAs(sender, address(bridgeMint), asset == XCN_ASSET ? amount / UNIT : 0, call)) {
            if (!paused && !forbidden) stoppedWithoutCause++;
            if (paused) _record("burn paused", asset);
            if (amount > _settings[false][asset].limits.maxAmount) _record("burn above maximum", asset);
            return false;
        }
        if (paused) ranWhilePaused++;
        if (forbidden) wrongEffects++;
        _record("burn", asset);
        _ledgers[asset].burnt += amount;
        _ledgers[asset].toRelease += amount;
        _toRelease[asset].push(Operation(false, bridgeMint.withdrawNonce() - 1, destination, amount - fee, fee));
        return true;
    }

    /// @dev An intent: native XCN goes to the relayer wallet, and BridgeLock owes XCN on Ethereum.
    function _sendXcn(uint256 amount, address destination) private {
        uint256 held = _xcnInCirculation();
        if (amount > held) amount = held;
        // Coin has 8 decimals on the partner chain.
        amount -= amount % UNIT;
        if (amount == 0) return;
        uint256 fee = amount / 400;
        _record("burn", XCN_ASSET);
        _ledgers[XCN_ASSET].burnt += amount;
        _ledgers[XCN_ASSET].toRelease += amount;
        _toRelease[XCN_ASSET].push(Operation(true, ++_intents, destination, amount - fee, fee));
    }

    function _forbidsWithdrawal(uint256 asset, uint256 amount, address destination) private view returns (bool) {
        Settings storage settings = _settings[false][asset];
        (, , uint256 minAmount) = bridgeMint.feePolicy(there[asset]);
        if (!settings.mayBegin || amount < minAmount || amount > settings.limits.maxAmount) return true;
        return _isRefused(destination, false);
    }

    /// @dev The higher of rate and minimum.
    function _feeOf(uint256 asset, uint256 amount) private view returns (uint256) {
        (uint256 bps, uint256 minFee, ) = bridgeMint.feePolicy(there[asset]);
        uint256 fee = (amount * bps) / 10_000;
        return fee > minFee ? fee : minFee;
    }
}
