// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridge} from "../fixtures/Interfaces.sol";
import {GovernanceCalls} from "./GovernanceCalls.sol";

/// @dev Everybody calls every setting, directly or announced, at any time. A ledger of announcements says what may
/// happen; it does not use the timelock's own accounting.
contract Governance is GovernanceCalls {
    struct Announcement {
        address target;
        bytes call;
        bytes32 salt;
        uint256 earliest;
        bool isOver;
    }

    Announcement[] private _announcements;
    mapping(bool onLock => bool) private _deliveriesStopped;
    mapping(bytes32 what => uint256) public counts;

    error Broken(string invariant);

    function act(uint256 entropy) external {
        uint256 seed = uint256(keccak256(abi.encode(entropy)));
        uint256 what = seed % 16;
        seed >>= 8;
        if (what < 5) _announce(seed);
        else if (what < 9) _execute(seed);
        else if (what == 9) _cancel(seed);
        else if (what < 14) _callDirectly(seed);
        else _wait((seed % (what == 14 ? 1 hours : DELAY)) + 1);
    }

    /// @dev The delay, the ceilings, the threshold and the roles, whatever happened.
    function check() external view {
        if (timelock.getMinDelay() < DELAY || timelock.minimumDelay() != DELAY) revert Broken("delay");
        for (uint256 i = 0; i < 4; i++) {
            (IBridge bridge, address listed) = (_bridge(i < 2), _token(i));
            (uint256 capacity, uint256 window) = bridge.outflowLimit(listed);
            IBridge.Limits memory ceiling = bridge.limitCeiling(listed);
            if (capacity > ceiling.capacity || window < ceiling.window) revert Broken("limit above its ceiling");
            if (bridge.maxAmount(listed) > ceiling.maxAmount) revert Broken("maximum above its ceiling");
        }
        (uint16 bps, uint96 minFee, uint96 minAmount) = bridgeMint.feePolicy(token);
        (uint16 mostBps, uint96 mostFee, uint96 mostAmount) = bridgeMint.feeCeiling(token);
        if (bps > mostBps || minFee > mostFee || minAmount > mostAmount) revert Broken("fee above its ceiling");
        if (minAmount <= minFee || mostBps >= 10_000) revert Broken("a withdrawal delivers something");
        for (uint256 i = 0; i < 2; i++) _checkKeys(i == 0);
    }

    /// @dev An account with a role or without announces a call, sometimes with too short a delay.
    function _announce(uint256 seed) private {
        (address target, bytes memory call) = _anyCall(seed >> 32);
        address caller = seed % 4 > 0 ? owner : _account(seed >> 8);
        uint256 delay = (seed >> 16) % 3 == 0 ? (seed >> 24) % DELAY : timelock.getMinDelay();
        bytes32 salt = bytes32(_announcements.length);
        bytes32 before = _everything();
        bool done = _try(caller, abi.encodeCall(timelock.schedule, (target, 0, call, 0, salt, delay)));
        if (_everything() != before) revert Broken("an announcement changes nothing");
        if (!done) return;
        if (delay < DELAY) revert Broken("announced with too short a delay");
        _announcements.push(Announcement(target, call, salt, _time + DELAY, false));
        counts["announced"]++;
    }

    /// @dev Any account tries to execute an announcement, ready or not.
    function _execute(uint256 seed) private {
        if (_announcements.length == 0) return;
        Announcement storage next = _announcements[seed % _announcements.length];
        // Mostly one that is ready.
        for (uint256 i = 0; i < 40 && (next.isOver || next.earliest > _time); i++) {
            next = _announcements[(seed + i) % _announcements.length];
        }
        address caller = (seed >> 32) % 8 == 0 ? _account(seed >> 40) : owner;
        bytes memory call = abi.encodeCall(timelock.execute, (next.target, 0, next.call, 0, next.salt));
        bytes32 before = _everything();
        if (!_try(caller, call)) {
            if (_everything() != before) revert Broken("a failed execution changes nothing");
            return;
        }
        if (next.isOver) revert Broken("an announcement is executed once");
        if (_time < next.earliest) revert Broken("executed before the delay");
        next.isOver = true;
        counts["executed"]++;
        _noteStops();
    }

    function _cancel(uint256 seed) private {
        if (_announcements.length == 0) return;
        Announcement storage last = _announcements[seed % _announcements.length];
        bytes32 id = timelock.hashOperation(last.target, 0, last.call, 0, last.salt);
        bytes32 before = _everything();
        bool done = _try(
            seed % 2 == 0 ? timelock.guardian() : _account(seed >> 8),
            abi.encodeCall(timelock.cancel, (id))
        );
        if (_everything() != before) revert Broken("a cancellation changes nothing");
        if (!done) return;
        last.isOver = true;
        counts["cancelled"]++;
    }

    /// @dev Any account calls any setting itself. Only the guardian and the policy manager get anywhere, and only so
    /// far.
    function _callDirectly(uint256 seed) private {
        (address target, bytes memory call) = _anyCall(seed >> 32);
        IBridge bridge = _bridge(target == address(lock));
        address caller = _account(seed);
        if (seed % 3 == 0) caller = owner;
        if (seed % 3 == 1) caller = (seed >> 8) % 2 == 0 ? bridge.guardian() : bridge.policyManager();
        (bytes32 admins, bytes32 relayers, bytes32 managers) = (_governedByAdmin(), _relayers(), _governedByManager());
        (address standby, address relayer) = (bridge.standby(), bridge.relayer());
        vm.prank(caller);
        (bool done, ) = target.call(call);
        if (_governedByAdmin() != admins) revert Broken("only an announced call changes what the admin sets");
        if (_governedByManager() != managers) {
            if (caller != bridge.policyManager()) revert Broken("only the policy manager moves limits");
            counts["limits moved"]++;
        }
        if (_relayers() != relayers) {
            bool isActivation = bridge.relayer() == standby && bridge.standby() == address(0) && standby != address(0);
            if (caller != bridge.guardian() || !isActivation) revert Broken("only the announced standby takes over");
            if (relayer == standby) revert Broken("the standby is another account");
            counts["standby activated"]++;
        }
        for (uint256 i = 0; i < 2; i++) {
            bool stopped = _areDeliveriesStopped(i == 0);
            if (_deliveriesStopped[i == 0] && !stopped) revert Broken("only an announced call ends a pause");
            if (stopped && !_deliveriesStopped[i == 0] && caller != bridge.guardian()) revert Broken("who pauses");
        }
        _noteStops();
        counts[done ? bytes32("direct call") : bytes32("direct call refused")]++;
    }

    function _wait(uint256 elapsed) private {
        _time += elapsed;
        vm.warp(_time);
        for (uint256 i = 0; i < 2; i++) {
            if (_areDeliveriesStopped(i == 0) != _deliveriesStopped[i == 0]) revert Broken("no pause ends with time");
        }
    }

    function _try(address caller, bytes memory call) private returns (bool done) {
        vm.prank(caller);
        (done, ) = address(timelock).call(call);
    }

    function _noteStops() private {
        for (uint256 i = 0; i < 2; i++) {
            bool stopped = _areDeliveriesStopped(i == 0);
            if (stopped) counts["deliveries stopped"]++;
            else if (_deliveriesStopped[i == 0]) counts["deliveries resumed"]++;
            _deliveriesStopped[i == 0] = stopped;
        }
    }

    function _areDeliveriesStopped(bool onLock) private view returns (bool) {
        return onLock ? lock.releasesPaused() : bridgeMint.mintsPaused();
    }

    function _everything() private view returns (bytes32) {
        bytes32 stops = keccak256(abi.encode(_areDeliveriesStopped(true), _areDeliveriesStopped(false)));
        return keccak256(abi.encode(_governedByAdmin(), _relayers(), _governedByManager(), stops));
    }

    function _checkKeys(bool onLock) private view {
        IBridge bridge = _bridge(onLock);
        (, address[] memory members, uint256 threshold) = bridge.attesters();
        if (threshold < 1 || threshold > members.length) revert Broken("threshold");
        address[7] memory holders = [
            bridge.owner(),
            bridge.pendingOwner(),
            bridge.guardian(),
            bridge.policyManager(),
            bridge.relayer(),
            bridge.standby(),
            onLock ? lock.treasury() : address(0)
        ];
        if (holders[0] != address(timelock)) revert Broken("the timelock is the admin");
        for (uint256 i = 0; i < 7; i++) {
            if (holders[i] == address(0)) continue;
            for (uint256 k = 0; k < i; k++) if (holders[i] == holders[k]) revert Broken("one role each");
            for (uint256 k = 0; k < members.length; k++) if (holders[i] == members[k]) revert Broken("one role each");
        }
    }
}

/// @dev No sequence of governance calls lifts a limit above its ceiling or avoids the delay.
contract GovernanceTest {
    struct Selectors {
        address target;
        bytes4[] selectors;
    }

    Governance private handler;

    error NeverSeen(bytes32 what);

    function setUp() external {
        handler = new Governance();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (Selectors[] memory selectors) {
        selectors = new Selectors[](1);
        selectors[0].target = address(handler);
        selectors[0].selectors = new bytes4[](1);
        selectors[0].selectors[0] = handler.act.selector;
    }

    function invariant_NoSequenceAvoidsCeilingOrDelay() external view {
        handler.check();
    }

    function test_GovernanceReachesEverything() external {
        for (uint256 i = 0; i < 4_000; i++) {
            handler.act(i);
            if (i % 16 == 0) handler.check();
        }
        bytes32[9] memory goals = [
            bytes32("announced"),
            "executed",
            "cancelled",
            "limits moved",
            "standby activated",
            "direct call",
            "direct call refused",
            "deliveries stopped",
            "deliveries resumed"
        ];
        for (uint256 i = 0; i < goals.length; i++) if (handler.counts(goals[i]) == 0) revert NeverSeen(goals[i]);
    }
}
