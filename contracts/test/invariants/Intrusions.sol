// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridge} from "../fixtures/Interfaces.sol";
import {HostileActions} from "./HostileActions.sol";

/// @dev Privileged calls with valid arguments, by callers without the role, or by the relayer without the attesters.
abstract contract Intrusions is HostileActions {
    enum Role {
        None,
        Admin,
        PolicyManager,
        Guardian,
        Relayer,
        Bridge
    }

    /// @dev Numbers and ids that are not used elsewhere in the campaign.
    uint256 private _unused = 1e12;
    mapping(Flaw flaw => uint256) public seenFlaws;

    /// @dev An account without the role tries a privileged call with valid arguments.
    function _intrude(uint256 seed, uint256 asset) internal {
        (Role role, address target, bytes memory call) = _privileged(seed >> 16, asset, _actor(seed >> 8));
        (address intruder, Role own) = _chooseIntruder(seed);
        if (own == role) return;
        _mustFail(intruder, target, call);
        _record("intrusion", uint256(own) % ASSETS);
        // Even the relayer cannot destroy tokens of users.
        call = abi.encodeCall(bridgeMint.retireOf, (_actor(seed), there[1], 1));
        _mustFail(_relayer, address(bridgeMint), call);
    }

    /// @dev A call by the relayer's key that would succeed with an honest attestation, with a forged one.
    function _forgeAttestation(uint256 seed) internal {
        if (_threshold == 0) return;
        uint256 which = (seed >> 8) % 5;
        Operation memory operation = Operation(which == 2, ++_unused, actors[2 + (seed % 3)], UNIT, 0);
        address bridge = which == 0 || which == 2 ? address(lock) : address(bridgeMint);
        uint256 value = which == 3 ? 1 : 0;
        vm.deal(_relayer, value);
        bytes memory head = _headOf(which, operation);
        bytes memory honest = _attested(which, operation, _attest(bridge, head));
        if (!_dryRun.works(_relayer, bridge, value, honest)) return;
        Flaw flaw = Flaw((seed >> 16) % (uint256(type(Flaw).max) + 1));
        bytes memory other = _headOf(which, Operation(which == 2, operation.nonce, operation.recipient, 2 * UNIT, 0));
        address otherBridge = bridge == address(lock) ? address(bridgeMint) : address(lock);
        bytes memory forged = _attested(which, operation, _attestWrongly(flaw, bridge, otherBridge, head, other));
        if (_callAs(_relayer, bridge, value, forged)) unauthorised++;
        seenFlaws[flaw]++;
        _record("forged attestation", which % ASSETS);
    }

    function _headOf(uint256 which, Operation memory operation) private view returns (bytes memory) {
        if (which == 0) return _releaseHead(_paymentHere(1, operation));
        if (which == 1) return _mintHead(_paymentThere(1, operation));
        if (which == 2) {
            bytes32 intentId = _intentId(_intentOf(operation), address(bridgeMint));
            return _intentHead(intentId, _transferOf(operation), operation.fee, _intentOf(operation).signature);
        }
        (address recipient, bytes32 id) = (operation.recipient, bytes32(operation.nonce));
        if (which == 3) return _refundHead(id, _relayer, address(0), recipient, operation.amount);
        return _refundHead(id, _relayer, there[1], recipient, operation.amount);
    }

    function _attested(
        uint256 which,
        Operation memory operation,
        IBridgeBase.Attestation memory consent
    ) private view returns (bytes memory) {
        if (which == 0) return abi.encodeCall(lock.releaseMany, (_paymentHere(1, operation), consent));
        if (which == 1) return abi.encodeCall(bridgeMint.mintMany, (_paymentThere(1, operation), consent));
        if (which == 2) {
            bytes32 transferId = _transferOf(operation);
            return abi.encodeCall(lock.releaseIntent, (_intentOf(operation), transferId, operation.fee, consent));
        }
        (address recipient, bytes32 id) = (operation.recipient, bytes32(operation.nonce));
        if (which == 3) return abi.encodeCall(bridgeMint.refundNative, (id, recipient, consent));
        return abi.encodeCall(bridgeMint.refund, (id, there[1], recipient, operation.amount, consent));
    }

    function _chooseIntruder(uint256 seed) private view returns (address, Role) {
        uint256 which = seed % 9;
        if (which == 0) return (_admin, Role.Admin);
        if (which == 1) return (_policyManager, Role.PolicyManager);
        if (which == 2) return (_guardian, Role.Guardian);
        if (which == 3) return (_relayer, Role.Relayer);
        if (which == 4) return (lock.treasury(), Role.None);
        if (which == 5) return (_members.length > 0 ? _members[0] : actors[0], Role.None);
        if (which == 6) {
            for (uint256 i = 0; i < _wallets.length; i++) {
                if (_wallets[i] != _relayer) return (_wallets[i], Role.None);
            }
        }
        return (_actor(seed >> 8), Role.None);
    }

    /// @dev A call that needs a role, on either bridge contract or on a bridged token.
    function _privileged(
        uint256 seed,
        uint256 asset,
        address friend
    ) private view returns (Role, address target, bytes memory) {
        uint256 which = seed % 28;
        if (which < 14) return _governing(which, seed >> 8, asset, friend);
        if (asset == XCN_ASSET) asset = 0;
        address token = there[asset];
        target = token;
        if (which == 14) return (Role.Bridge, token, abi.encodeCall(IBridgedToken.mint, (friend, 1)));
        if (which == 15) return (Role.Bridge, token, abi.encodeCall(IBridgedToken.retire, (friend, 1)));
        if (which == 16) return (Role.Bridge, token, abi.encodeCall(IBridgedToken.bridgeRefund, (_relayer, friend, 1)));
        if (which == 17) {
            return (Role.Bridge, token, abi.encodeCall(IBridgedToken.bridgeTransfer, (friend, actors[0], 1)));
        }
        return _delivering(which, 1e6 + ((seed >> 8) % 1e6), token, friend);
    }

    /// @dev The calls of the relayer.
    function _delivering(
        uint256 which,
        uint256 number,
        address token,
        address friend
    ) private view returns (Role role, address target, bytes memory call) {
        role = Role.Relayer;
        target = address(lock);
        Operation memory operation = Operation(false, number, friend, UNIT, 0);
        if (which == 18) return (role, target, abi.encodeCall(lock.release, (number, here[1], friend, 1, 0)));
        if (which == 19) return (role, target, abi.encodeCall(lock.releaseNative, (number, friend, 1, 0)));
        if (which == 20) return (role, target, _intentCall(operation));
        if (which == 21) {
            return (role, target, _attested(0, operation, _attest(target, _headOf(0, operation))));
        }
        target = address(bridgeMint);
        if (which == 22) return (role, target, abi.encodeCall(bridgeMint.mint, (number, token, friend, 1)));
        if (which == 23) return (role, target, abi.encodeCall(bridgeMint.retire, (token, 1)));
        if (which == 24) return (role, target, abi.encodeCall(bridgeMint.retireOf, (_relayer, token, 1)));
        uint256 kind =
            which == 25
                ? 1
                : which == 26
                    ? 4
                    : 3;
        return (role, target, _attested(kind, operation, _attest(target, _headOf(kind, operation))));
    }

    /// @dev The privileged calls that both contracts have, the treasury and the fees.
    function _governing(
        uint256 which,
        uint256 seed,
        uint256 asset,
        address friend
    ) private view returns (Role, address target, bytes memory call) {
        bool onLock = seed % 2 == 0;
        IBridge bridge = _governed(onLock);
        target = address(bridge);
        address token = _token(onLock, asset);
        if (which == 0) return (Role.Admin, target, abi.encodeCall(bridge.setRelayer, (friend)));
        if (which == 1) return (Role.Admin, target, abi.encodeCall(bridge.setListing, (token, true, true)));
        if (which == 2) {
            (, , uint256 count) = bridge.pauses();
            return (Role.Admin, target, abi.encodeCall(bridge.unpause, (count, true, true)));
        }
        if (which == 3) return (Role.Admin, target, abi.encodeCall(bridge.setGuardian, (friend)));
        if (which == 4) return (Role.Admin, target, abi.encodeCall(bridge.setPolicyManager, (friend)));
        if (which == 5) return (Role.Admin, target, abi.encodeCall(bridge.transferOwnership, (friend)));
        if (which == 6) return (Role.Admin, target, abi.encodeCall(bridge.setStandby, (friend)));
        if (which == 7) return (Role.Admin, target, abi.encodeCall(bridge.setAttesters, (_members, _threshold)));
        if (which == 8) {
            return (Role.Admin, target, abi.encodeCall(bridge.setLimitCeiling, (token, _usualCeiling())));
        }
        if (which == 9) return (Role.Guardian, target, abi.encodeCall(bridge.activateStandby, ()));
        if (which == 10) {
            call = abi.encodeCall(bridge.setOutflowLimit, (token, 0, 65_535 * 60));
            return (Role.PolicyManager, target, call);
        }
        if (which == 11) return (Role.PolicyManager, target, abi.encodeCall(bridge.setMaxAmount, (token, 0)));
        IBridgeMint.FeePolicy memory fees = IBridgeMint.FeePolicy(0, 0, 1);
        if (which == 12) {
            call = abi.encodeCall(bridgeMint.setFeePolicy, (there[asset], fees));
            return (Role.PolicyManager, address(bridgeMint), call);
        }
        if (seed % 3 == 0) return (Role.Admin, address(lock), abi.encodeCall(lock.setTreasury, (friend)));
        call = abi.encodeCall(bridgeMint.setFeeCeiling, (there[asset], fees));
        return (Role.Admin, address(bridgeMint), call);
    }
}
