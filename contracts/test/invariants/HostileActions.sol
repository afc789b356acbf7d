// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {BatchActions} from "./BatchActions.sol";
import {HostileActor} from "./HostileActor.sol";
import {KeyActions} from "./KeyActions.sol";

/// @dev Actions of attackers: malicious tokens, recipients that re-enter, tokens that were handed in, and credits of
/// accounts that can never receive.
abstract contract HostileActions is BatchActions, KeyActions {
    /// @dev The token misbehaves in one mode, is used immediately, and keeps the mode for some turns.
    function _misbehave(uint256 seed, bool deposits, uint256 amount) internal {
        chaos.setMode(ChaoticToken.Mode((seed >> 8) % (uint256(type(ChaoticToken.Mode).max) + 1)));
        _fault(Cause.Chaos, CHAOS, true);
        address recipient = _actor(seed >> 16);
        chaos.setBlocked(recipient, seed % 2 == 0);
        bool ready = chaos.mode() == ChaoticToken.Mode.Reenters && _arm(chaos, true, seed >> 24);
        if (deposits) _deposit(seed >> 16, CHAOS, amount, _actor(seed >> 32));
        else _releaseNext(CHAOS, seed >> 32);
        if (ready && chaos.outcome() == ReentrantAttacker.Outcome.Guarded)
            _record("token called back", deposits ? 0 : 1);
    }

    /// @dev A recipient of coins that has everything its attack needs re-enters when it is paid.
    function _callBack(uint256 seed, bool onLock) internal {
        uint256 asset = onLock ? 0 : XCN_ASSET;
        Operation[] storage list = onLock ? _toRelease[asset] : _toMint[asset];
        for (uint256 i = 0; i < list.length && i < 16; i++) {
            uint256 index = (seed + i) % list.length;
            address payable recipient = payable(list[index].recipient);
            if (!_isHostile(recipient)) continue;
            HostileActor(recipient).setBehaviour(HostileActor.Behaviour.CallsBack);
            bool ready = _arm(HostileActor(recipient), onLock, seed >> 24);
            // The recipient refuses now, so it has a credit for the next attack.
            if (!ready) HostileActor(recipient).setBehaviour(HostileActor.Behaviour.Refuses);
            if (onLock) _releaseNext(asset, index);
            else _mintNext(asset, index);
            bool guarded = HostileActor(recipient).outcome() == ReentrantAttacker.Outcome.Guarded;
            if (ready && guarded) _record("recipient called back", asset);
            return;
        }
    }

    /// @dev The same attack from within the payment of a claim.
    function _callBackFromClaim(uint256 seed) internal {
        address account = actors[2 + (seed % 3)];
        for (uint256 i = 0; i < 3 && _credits[true][0][account] == 0; i++) account = actors[2 + ((seed + i) % 3)];
        if (_credits[true][0][account] == 0) return;
        HostileActor actor = HostileActor(payable(account));
        actor.setBehaviour(HostileActor.Behaviour.CallsBack);
        bool ready = _arm(actor, true, seed >> 24);
        _claimOf(true, 0, account, account, true);
        if (ready && actor.outcome() == ReentrantAttacker.Outcome.Guarded) _record("claimant called back", 0);
    }

    function _changeBehaviour(uint256 seed) internal {
        HostileActor(payable(actors[2 + (seed % 3)])).setBehaviour(HostileActor.Behaviour((seed >> 8) % 4));
    }

    /// @dev The current and former relayer wallets try to spend tokens that were handed in, or have them refunded.
    function _spendHandedIn(uint256 seed, uint256 asset, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        address wallet = _wallets[seed % _wallets.length];
        IERC20 token = IERC20(there[asset]);
        uint256 balance = token.balanceOf(wallet);
        uint256 refundable = _refundable(asset, wallet);
        if (balance == refundable || amount == 0) return;
        // More than the units that did not come by burns: a refund would pay twice.
        if (_pay(asset, Operation(false, ++_refunds, actors[0], refundable + 1, 0), wallet)) spentHandedIn++;
        if (amount > balance) amount = balance;
        if (_callAs(wallet, address(token), 0, abi.encodeCall(token.transfer, (actors[0], amount)))) spentHandedIn++;
        vm.prank(wallet);
        token.approve(actors[0], amount);
        bytes memory call = abi.encodeCall(token.transferFrom, (wallet, actors[0], amount));
        if (_callAs(actors[0], address(token), 0, call)) spentHandedIn++;
        call = abi.encodeCall(bridgeMint.burn, (address(token), amount, actors[0], type(uint256).max));
        if (_callAs(wallet, address(bridgeMint), 0, call)) spentHandedIn++;
        _record("spending what was handed in", asset);
    }

    /// @dev The admin can move the credit only of an account that can never receive.
    function _redirect(uint256 seed, uint256 asset, bool onLock) internal {
        address account = _creditor(onLock, seed, asset);
        uint256 credit = _credits[onLock][asset][account];
        if (credit == 0) return;
        bool isOdd = _cannotReceive(onLock, account);
        address to = _actor(seed >> 8);
        if (to == account) to = _actor((seed >> 8) + 1);
        bytes memory call = abi.encodeCall(IBridgeBase.redirectCredit, (_token(onLock, asset), account, to));
        bool done = _callAs(_admin, _side(onLock), 0, call);
        if (done != isOdd) wrongEffects++;
        if (!done) return;
        _credits[onLock][asset][account] = 0;
        _credits[onLock][asset][to] += credit;
        _record("credit redirected", onLock ? 0 : 1);
    }

    /// @dev Chooses an attack that would succeed outside a payment, if there is one.
    function _arm(ReentrantAttacker attacker, bool onLock, uint256 seed) private returns (bool ready) {
        vm.deal(address(attacker), address(attacker).balance + 1);
        if (!_usdc.blocklisted(address(attacker))) _usdc.mint(address(attacker), 1);
        vm.prank(address(attacker));
        _usdc.approve(address(lock), 1);
        address target = _side(onLock);
        for (uint256 i = 0; i < 5 && !ready; i++) {
            (uint64 value, bytes memory attack) = onLock
                ? _attackOnLock((seed + i) % 5, seed >> 8, address(attacker))
                : _attackOnMint((seed + i) % 2, address(attacker));
            ready = _dryRun.works(address(attacker), target, value, attack);
            attacker.setAttack(target, value, attack);
        }
    }

    function _attackOnLock(uint256 which, uint256 seed, address own) private view returns (uint64, bytes memory) {
        uint256 asset = seed % ASSETS;
        if (which == 0) return (0, abi.encodeCall(lock.claimFor, (here[asset], _creditor(true, seed, asset))));
        if (which == 1) {
            for (uint256 i = 0; i < ASSETS && _credits[true][asset][own] == 0; i++) asset = (seed + i) % ASSETS;
            return (0, abi.encodeCall(lock.claim, (here[asset], actors[0])));
        }
        if (which == 2) return (0, abi.encodeCall(lock.collectFees, (here[asset])));
        if (which == 3) return (1, abi.encodeCall(lock.depositNative, (actors[0])));
        return (0, abi.encodeCall(lock.deposit, (here[1], 1, actors[0])));
    }

    function _attackOnMint(uint256 which, address own) private view returns (uint64, bytes memory) {
        if (which == 0) return (0, abi.encodeCall(bridgeMint.claim, (address(0), actors[0])));
        address account = own;
        for (uint256 i = 0; i < actors.length && _credits[false][XCN_ASSET][account] == 0; i++) account = actors[i];
        return (0, abi.encodeCall(bridgeMint.claimFor, (address(0), account)));
    }

    function _isHostile(address account) private view returns (bool) {
        return account == actors[2] || account == actors[3] || account == actors[4];
    }
}
