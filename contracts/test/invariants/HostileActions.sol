// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {TestUSDC} from "../../src/mocks/TestUSDC.sol";
import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {GovernorActions} from "./GovernorActions.sol";
import {HostileActor} from "./HostileActor.sol";
import {RelayerActions} from "./RelayerActions.sol";

/// @dev Actions of attackers: malicious tokens, recipients that re-enter, and callers without the role.
abstract contract HostileActions is RelayerActions, GovernorActions {
    enum Role {
        Nobody,
        Admin,
        PolicyManager,
        Guardian,
        Relayer,
        Bridge
    }

    /// @dev The token misbehaves in one mode. It is used immediately, and stays so for some turns.
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
            if (recipient.code.length == 0) continue;
            HostileActor(recipient).setBehaviour(HostileActor.Behaviour.CallsBack);
            bool ready = _arm(HostileActor(recipient), onLock, seed >> 24);
            // It refuses now, and so has a credit to attack with next time.
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
        address account = _creditor(seed, 0);
        if (account.code.length == 0 || _creditsHere[0][account] == 0) return;
        HostileActor actor = HostileActor(payable(account));
        actor.setBehaviour(HostileActor.Behaviour.CallsBack);
        bool ready = _arm(actor, true, seed >> 24);
        _claim(seed, 0, account, true);
        if (ready && actor.outcome() == ReentrantAttacker.Outcome.Guarded) _record("claimant called back", 0);
    }

    function _changeBehaviour(uint256 seed) internal {
        HostileActor(payable(actors[2 + (seed % 3)])).setBehaviour(HostileActor.Behaviour((seed >> 8) % 4));
    }

    /// @dev An account without the role tries a privileged call with valid arguments.
    function _intrude(uint256 seed, uint256 asset) internal {
        (Role role, address target, bytes memory call) = _privileged(seed >> 16, asset, _actor(seed >> 8));
        (address intruder, Role own) = _somebody(seed);
        if (own == role) return;
        _mustFail(intruder, target, call);
        _record("intrusion", uint256(own) % ASSETS);
        // Even the relayer cannot destroy tokens of users.
        call = abi.encodeCall(bridgeMint.retireOf, (_actor(seed), there[1], 1));
        _mustFail(_relayer, address(bridgeMint), call);
    }

    /// @dev The current and former relayer wallets try to spend tokens that were handed in.
    function _spendHandedIn(uint256 seed, uint256 asset, uint256 amount) internal {
        if (asset == XCN_ASSET) return;
        address wallet = _wallets[seed % _wallets.length];
        uint256 balance = BridgedToken(there[asset]).balanceOf(wallet);
        if (balance == 0 || amount == 0) return;
        if (amount > balance) amount = balance;
        BridgedToken token = BridgedToken(there[asset]);
        if (_callAs(wallet, address(token), 0, abi.encodeCall(token.transfer, (actors[0], amount)))) spentHandedIn++;
        vm.prank(wallet);
        token.approve(actors[0], amount);
        bytes memory call = abi.encodeCall(token.transferFrom, (wallet, actors[0], amount));
        if (_callAs(actors[0], address(token), 0, call)) spentHandedIn++;
        call = abi.encodeCall(bridgeMint.burn, (address(token), amount, actors[0], type(uint256).max));
        if (_callAs(wallet, address(bridgeMint), 0, call)) spentHandedIn++;
        _record("spending what was handed in", asset);
    }

    /// @dev Chooses an attack that would succeed outside a payment, if there is one.
    function _arm(ReentrantAttacker attacker, bool onLock, uint256 seed) private returns (bool ready) {
        vm.deal(address(attacker), address(attacker).balance + 1);
        if (!_usdc.blocklisted(address(attacker))) _usdc.mint(address(attacker), 1);
        vm.prank(address(attacker));
        _usdc.approve(address(lock), 1);
        address target = onLock ? address(lock) : address(bridgeMint);
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
        if (which == 0) return (0, abi.encodeCall(lock.claimFor, (here[asset], _creditor(seed, asset))));
        if (which == 1) {
            for (uint256 i = 0; i < ASSETS && _creditsHere[asset][own] == 0; i++) asset = (seed + i) % ASSETS;
            return (0, abi.encodeCall(lock.claim, (here[asset], actors[0])));
        }
        if (which == 2) return (0, abi.encodeCall(lock.collectFees, (here[asset])));
        if (which == 3) return (1, abi.encodeCall(lock.depositNative, (actors[0])));
        return (0, abi.encodeCall(lock.deposit, (here[1], 1, actors[0])));
    }

    function _attackOnMint(uint256 which, address own) private view returns (uint64, bytes memory) {
        if (which == 0) return (0, abi.encodeCall(bridgeMint.claim, (address(0), actors[0])));
        address account = own;
        for (uint256 i = 0; i < actors.length && _creditsThere[account] == 0; i++) account = actors[i];
        return (0, abi.encodeCall(bridgeMint.claimFor, (address(0), account)));
    }

    function _somebody(uint256 seed) private view returns (address, Role) {
        uint256 which = seed % 8;
        if (which == 0) return (_admin, Role.Admin);
        if (which == 1) return (_policyManager, Role.PolicyManager);
        if (which == 2) return (_guardian, Role.Guardian);
        if (which == 3) return (_relayer, Role.Relayer);
        if (which == 4) return (lock.treasury(), Role.Nobody);
        if (which == 5) {
            for (uint256 i = 0; i < _wallets.length; i++) {
                if (_wallets[i] != _relayer) return (_wallets[i], Role.Nobody);
            }
        }
        return (_actor(seed >> 8), Role.Nobody);
    }

    /// @dev A call that needs a role, on either bridge contract or on a bridged token.
    function _privileged(
        uint256 seed,
        uint256 asset,
        address friend
    ) private view returns (Role, address target, bytes memory) {
        uint256 which = seed % 20;
        if (which < 9) return _governing(which, seed >> 8, asset, friend);
        uint256 number = 1e6 + ((seed >> 8) % 1e6);
        target = address(lock);
        if (which == 9) return (Role.Relayer, target, abi.encodeCall(lock.release, (number, here[1], friend, 1, 0)));
        if (which == 10) return (Role.Relayer, target, abi.encodeCall(lock.releaseNative, (number, friend, 1, 0)));
        if (which == 11) {
            return (Role.Relayer, target, abi.encodeCall(lock.releaseIntent, (bytes32(number), friend, 1, 0)));
        }
        if (which == 12) return (Role.Admin, target, abi.encodeCall(lock.setTreasury, (friend)));
        target = address(bridgeMint);
        if (asset == XCN_ASSET) asset = 0;
        address token = there[asset];
        if (which == 13) return (Role.Relayer, target, abi.encodeCall(bridgeMint.mint, (number, token, friend, 1)));
        if (which == 14) return (Role.Relayer, target, abi.encodeCall(bridgeMint.refund, (token, friend, 1)));
        if (which == 15) return (Role.Relayer, target, abi.encodeCall(bridgeMint.retire, (token, 1)));
        if (which == 16) return (Role.Relayer, target, abi.encodeCall(bridgeMint.retireOf, (_relayer, token, 1)));
        if (which == 17) return (Role.Bridge, token, abi.encodeCall(BridgedToken.mint, (friend, 1)));
        if (which == 18) return (Role.Bridge, token, abi.encodeCall(BridgedToken.retire, (friend, 1)));
        return (Role.Bridge, token, abi.encodeCall(BridgedToken.handOver, (friend, actors[0], 1)));
    }

    /// @dev The privileged calls that both contracts have, and the fee policy.
    function _governing(
        uint256 which,
        uint256 seed,
        uint256 asset,
        address friend
    ) private view returns (Role, address, bytes memory) {
        (BridgeEnd end, address token) = _end(seed % 2 == 0, asset);
        if (which == 0) return (Role.Admin, address(end), abi.encodeCall(end.setRelayer, (friend)));
        if (which == 1) return (Role.Admin, address(end), abi.encodeCall(end.setToken, (token, true, 0)));
        if (which == 2) return (Role.Admin, address(end), abi.encodeCall(end.setPause, (false, false)));
        bytes32 role = seed % 4 < 2 ? lock.POLICY_MANAGER_ROLE() : lock.GUARDIAN_ROLE();
        if (which == 3) return (Role.Admin, address(end), abi.encodeCall(end.grantRole, (role, friend)));
        if (which == 4) return (Role.Admin, address(end), abi.encodeCall(end.beginDefaultAdminTransfer, (friend)));
        bytes memory call = abi.encodeCall(end.setOutflowLimit, (token, 1e24, 1));
        if (which == 5) return (Role.PolicyManager, address(end), call);
        if (which == 6) return (Role.Guardian, address(end), abi.encodeCall(end.pause, (true, true)));
        call = abi.encodeCall(bridgeMint.setFeePolicy, (there[asset], 9_999, 1, 2));
        if (which == 7) return (Role.PolicyManager, address(bridgeMint), call);
        return (Role.Admin, address(end), abi.encodeCall(end.revokeRole, (lock.GUARDIAN_ROLE(), _guardian)));
    }
}
