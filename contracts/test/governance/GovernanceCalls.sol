// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AdminTimelock} from "../../src/deploy/AdminTimelock.sol";
import {Sentinel} from "../../src/deploy/Sentinel.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IOffices} from "../../src/interfaces/IOffices.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {IBridge, ILock, IMint} from "../fixtures/Interfaces.sol";
import {Vm} from "../fixtures/Vm.sol";

/// @dev Both bridge contracts with a timelock as admin and a Sentinel each, random governance calls, and hashes of what
/// each key governs.
abstract contract GovernanceCalls {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 internal constant DELAY = 2 days;
    uint256 internal constant U = 1e15;
    uint256 internal constant ACCOUNTS = 14;
    uint256 private constant PEER_CHAIN = 8901;

    AdminTimelock internal immutable timelock;
    ILock internal immutable lock;
    IMint internal immutable bridgeMint;
    Sentinel[2] internal _sentinels;
    address internal immutable owner = address(0xF0);
    address internal immutable _recovery = address(0xF1);
    /// @dev Listed on both sides in addition to the native coin; never called.
    address internal immutable token = address(0x70CE);
    uint256 internal _time = 1_000_000;

    constructor() {
        vm.warp(_time);
        timelock = AdminTimelock(
            payable(Artifact.create("AdminTimelock", abi.encode(DELAY, owner, _account(1), _recovery)))
        );
        IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](2);
        for (uint256 i = 0; i < 2; i++) {
            tokens[i] = IBridgeGovernance.TokenSetup(_token(i), 0, 15, _limits(50, 60, 50), _limits(100, 10, 100));
        }
        lock = ILock(Artifact.create("BridgeLock", abi.encode(_setup(1), tokens, token, _account(4))));
        _sentinels[0] = _sentinel(address(lock));
        IBridgeMint.FeeSetup[] memory fees = new IBridgeMint.FeeSetup[](1);
        fees[0] = IBridgeMint.FeeSetup(token, IBridgeMint.FeePolicy(25, 10, 20), IBridgeMint.FeePolicy(100, 50, 100));
        bridgeMint = IMint(Artifact.create("BridgeMint", abi.encode(_setup(1), tokens, fees, 1)));
        _sentinels[1] = _sentinel(address(bridgeMint));
    }

    /// @dev Initially the first five are relayer, guardian's office, policy manager, standby and treasury, and the
    /// eighth is a pauser.
    function _account(uint256 index) internal pure returns (address) {
        return address(uint160(0xA0 + (index % ACCOUNTS)));
    }

    function _token(uint256 index) internal view returns (address) {
        return index % 2 == 0 ? address(0) : token;
    }

    function _bridge(bool onLock) internal view returns (IBridge) {
        return onLock ? IBridge(address(lock)) : IBridge(address(bridgeMint));
    }

    function _limits(
        uint256 capacity,
        uint256 minutes_,
        uint256 maxAmount
    ) internal pure returns (IBridgeGovernance.Limits memory) {
        return IBridgeGovernance.Limits(capacity * U, minutes_ * 60, maxAmount * U);
    }

    /// @dev Any call that changes a setting, with plausible arguments.
    function _anyCall(uint256 seed) internal view returns (address target, bytes memory call) {
        uint256 which = seed % 21;
        address account = _account(seed >> 8);
        IBridge bridge = _bridge((seed >> 16) % 2 == 0);
        target = address(bridge);
        if (which < 4) return _limitCall(which, seed >> 24);
        if (which < 6 || which > 18) return _sentinelCall(which, seed >> 16, account);
        if (which == 6) {
            (, , uint256 count) = bridge.pauses();
            return (target, abi.encodeCall(bridge.unpause, (count, true, (seed >> 24) % 2 == 0)));
        }
        if (which == 7) return (target, abi.encodeCall(bridge.setRelayer, (account)));
        if (which == 8) return (target, abi.encodeCall(bridge.setStandby, (account)));
        if (which == 9) {
            address sentinel = address(_sentinels[(seed >> 16) % 2]);
            return (target, abi.encodeCall(bridge.setGuardian, ((seed >> 24) % 4 == 0 ? account : sentinel)));
        }
        if (which == 10) return (target, abi.encodeCall(bridge.setPolicyManager, (account)));
        if (which == 11) return (target, _attestersCall(bridge, seed >> 24));
        if (which == 12) return (target, _ceilingCall(bridge, seed >> 24));
        if (which == 13) {
            call = abi.encodeCall(
                bridge.setListing,
                (_token(seed >> 24), (seed >> 25) % 2 == 0, (seed >> 26) % 2 == 0)
            );
            return (target, call);
        }
        if (which == 14) return (target, abi.encodeCall(bridge.transferOwnership, (account)));
        if (which == 15) return (address(lock), abi.encodeCall(lock.setTreasury, (account)));
        if (which == 16) {
            IBridgeMint.FeePolicy memory fees = _fees(seed >> 24);
            return (address(bridgeMint), abi.encodeCall(bridgeMint.setFeeCeiling, (token, fees)));
        }
        target = address(timelock);
        if (which == 17) return (target, abi.encodeCall(timelock.updateDelay, ((seed >> 24) % (2 * DELAY))));
        // The remaining case is 18.
        return (target, abi.encodeCall(timelock.replace, (IOffices.Office((seed >> 24) % 3), account)));
    }

    /// @dev Everything that only the admin sets, and the standby, which the guardian may activate.
    function _governedByAdmin() internal view returns (bytes32 hash) {
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = _bridge(i == 0);
            (uint256 setNumber, address[] memory members, uint256 threshold) = bridge.attesters();
            hash = keccak256(
                abi.encode(hash, bridge.owner(), bridge.pendingOwner(), bridge.guardian(), bridge.policyManager())
            );
            hash = keccak256(abi.encode(hash, setNumber, members, threshold));
            for (uint256 k = 0; k < 2; k++) {
                (bool mayBegin, bool mayDeliver, , ) = bridge.tokenSettings(_token(k));
                hash = keccak256(abi.encode(hash, bridge.limitCeiling(_token(k)), mayBegin, mayDeliver));
            }
        }
        (uint16 bps, uint96 minFee, uint96 minAmount) = bridgeMint.feeCeiling(token);
        return keccak256(abi.encode(hash, bps, minFee, minAmount, lock.treasury(), timelock.getMinDelay()));
    }

    function _offices() internal view returns (bytes32) {
        return keccak256(abi.encode(timelock.owner(), timelock.guardian(), timelock.recovery(), timelock.round()));
    }

    function _relayers() internal view returns (bytes32) {
        return keccak256(abi.encode(lock.relayer(), lock.standby(), bridgeMint.relayer(), bridgeMint.standby()));
    }

    /// @dev Limits, maximums and fees.
    function _governedByManager() internal view returns (bytes32 hash) {
        for (uint256 i = 0; i < 4; i++) {
            (IBridge bridge, address listed) = (_bridge(i < 2), _token(i));
            (uint256 capacity, uint256 window) = bridge.outflowLimit(listed);
            hash = keccak256(abi.encode(hash, capacity, window, bridge.maxAmount(listed)));
        }
        (uint16 bps, uint96 minFee, uint96 minAmount) = bridgeMint.feePolicy(token);
        return keccak256(abi.encode(hash, bps, minFee, minAmount));
    }

    function _limitCall(uint256 which, uint256 seed) private view returns (address, bytes memory) {
        IBridge bridge = _bridge(seed % 2 == 0);
        address listed = _token(seed >> 1);
        uint256 amount = ((seed >> 8) % 200) * U;
        uint256 window = ((seed >> 16) % 30) * 60;
        if (which < 2) return (address(bridge), abi.encodeCall(bridge.setOutflowLimit, (listed, amount, window)));
        if (which == 2) return (address(bridge), abi.encodeCall(bridge.setMaxAmount, (listed, amount)));
        return (address(bridgeMint), abi.encodeCall(bridgeMint.setFeePolicy, (token, _fees(seed))));
    }

    function _ceilingCall(IBridge bridge, uint256 seed) private view returns (bytes memory) {
        IBridgeGovernance.Limits memory ceiling = _limits((seed >> 8) % 150, (seed >> 16) % 20, (seed >> 24) % 150);
        return abi.encodeCall(bridge.setLimitCeiling, (_token(seed), ceiling));
    }

    function _attestersCall(IBridge bridge, uint256 seed) private pure returns (bytes memory) {
        address[] memory members = new address[](seed % 4);
        for (uint256 i = 0; i < members.length; i++) members[i] = _account(((seed >> 8) % 4) + 5 + 2 * i);
        return abi.encodeCall(bridge.setAttesters, (members, (seed >> 16) % 4));
    }

    function _fees(uint256 seed) private pure returns (IBridgeMint.FeePolicy memory) {
        uint96 minFee = uint96((seed >> 8) % 80);
        return IBridgeMint.FeePolicy(uint16(seed % 200), minFee, minFee + uint96((seed >> 16) % 80));
    }

    function _sentinelCall(uint256 which, uint256 seed, address account) private view returns (address, bytes memory) {
        Sentinel sentinel = _sentinels[seed % 2];
        bytes memory call = abi.encodeCall(sentinel.pause, ((seed >> 8) % 2 == 0, (seed >> 9) % 2 == 0));
        if (which == 5) call = abi.encodeCall(sentinel.activateStandby, ());
        if (which == 19) call = abi.encodeCall(sentinel.addPauser, (account));
        if (which == 20) call = abi.encodeCall(sentinel.removePauser, (account));
        return (address(sentinel), call);
    }

    function _sentinel(address bridge) private returns (Sentinel) {
        address[] memory pausers = new address[](1);
        pausers[0] = _account(7);
        return Sentinel(Artifact.create("Sentinel", abi.encode(address(timelock), bridge, pausers)));
    }

    /// @dev The Sentinel is created after the bridge contract: `later` contracts after the next one.
    function _setup(uint256 later) private view returns (IBridgeGovernance.Setup memory setup) {
        (setup.peerChainId, setup.peer) = (PEER_CHAIN, address(0xBEE5));
        (setup.admin, setup.relayer) = (address(timelock), _account(0));
        setup.guardian = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + later);
        (setup.policyManager, setup.standby) = (_account(2), _account(3));
        setup.attesters = new address[](2);
        (setup.attesters[0], setup.attesters[1]) = (_account(5), _account(6));
        (setup.threshold, setup.minimumThreshold) = (1, 1);
    }
}
