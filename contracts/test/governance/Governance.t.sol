// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOffices} from "../../src/interfaces/IOffices.sol";
import {IBridge} from "../fixtures/Interfaces.sol";
import {GovernanceCalls} from "./GovernanceCalls.sol";

/// @dev Every account calls every setting, directly or announced, and votes, at any time. Ledgers of announcements and
/// votes, independent of the timelock's accounting, define what may happen.
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
    mapping(bytes32 subject => mapping(address voter => uint256)) private _votes;
    mapping(bytes32 what => uint256) public counts;

    error Broken(string invariant);

    function act(uint256 entropy) external {
        uint256 seed = uint256(keccak256(abi.encode(entropy)));
        uint256 what = seed % 20;
        seed >>= 8;
        if (what > 15) _vote(seed);
        else if (what < 5) _announce(seed);
        else if (what < 9) _execute(seed);
        else if (what == 9) _cancel(seed);
        else if (what < 14) _callDirectly(seed);
        else _wait((seed % (what == 14 ? 1 hours : DELAY)) + 1);
    }

    /// @dev Invariants of the delay, ceilings, threshold and roles.
    function check() external view {
        if (timelock.getMinDelay() < DELAY || timelock.minimumDelay() != DELAY)
            revert Broken("delay below its minimum");
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
        for (uint256 i = 0; i < 3; i++) {
            if (_officer(i) == address(0) || _officer(i) == _officer(i + 1)) revert Broken("three different offices");
        }
    }

    /// @dev An account with or without a role announces a call, sometimes with too short a delay.
    function _announce(uint256 seed) private {
        (address target, bytes memory call) = _anyCall(seed >> 32);
        address caller = seed % 4 > 0 ? timelock.owner() : _account(seed >> 8);
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
        // Usually one that is ready.
        for (uint256 i = 0; i < 40 && (next.isOver || next.earliest > _time); i++) {
            next = _announcements[(seed + i) % _announcements.length];
        }
        address caller = (seed >> 32) % 8 == 0 ? _account(seed >> 40) : timelock.owner();
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

    /// @dev An account votes, usually an office. A second equal vote in the same round and within three days executes
    /// it.
    function _vote(uint256 seed) private {
        address voter = seed % 8 == 0 ? _account(seed >> 8) : _officer(seed >> 8);
        uint256 round = (seed >> 16) % 8 == 0 ? timelock.round() + 1 : timelock.round();
        (IOffices.Office office, address account) = (
            IOffices.Office((seed >> 24) % 3),
            _account(9 + ((seed >> 32) % 2))
        );
        IBridge bridge = _bridge((seed >> 40) % 2 == 0);
        (, , uint256 pauses) = bridge.pauses();
        bool isReplacement = (seed >> 48) % 2 == 0;
        bytes memory call =
            isReplacement
                ? abi.encodeCall(timelock.voteReplace, (round, office, account))
                : abi.encodeCall(timelock.voteUnpause, (round, address(bridge), pauses, true, true));
        bytes32 subject = keccak256(call);
        if ((seed >> 56) % 8 == 0) return _withdraw(voter, subject);
        (bytes32 before, bytes32 settings, bool isOffice) = (_everything(), _settings(), _isOffice(voter));
        bool isSeconded = isOffice && _isSeconded(subject, voter);
        if (!_try(voter, call)) {
            if (_everything() != before) revert Broken("a refused vote changes nothing");
            return;
        }
        if (!isOffice || round != timelock.round() - (isSeconded && isReplacement ? 1 : 0))
            revert Broken("only an office votes in the current round");
        if (isReplacement && _settings() != settings) revert Broken("a replacement changes no setting");
        if (!isSeconded) {
            if (_everything() != before) revert Broken("one vote changes nothing");
            _votes[subject][voter] = _time + 3 days;
            return;
        }
        counts[isReplacement ? bytes32("office replaced") : bytes32("pause lifted by votes")]++;
        _noteStops();
        if (!isReplacement) return;
        if (_officer(uint256(office)) != account) revert Broken("the office passes to its new account");
        if (office == IOffices.Office.Guardian) _checkNoPausers();
    }

    function _withdraw(address voter, bytes32 subject) private {
        bool counted = _votes[subject][voter] >= _time;
        bool done = _try(voter, abi.encodeCall(timelock.withdrawVote, (subject)));
        if (done != counted) revert Broken("only its voter withdraws a vote");
        delete _votes[subject][voter];
        if (done) counts["vote withdrawn"]++;
    }

    /// @dev Whether another office gave the same vote, which this one then uses up.
    function _isSeconded(bytes32 subject, address voter) private returns (bool) {
        if (_votes[subject][voter] >= _time) return false;
        for (uint256 i = 0; i < 3; i++) {
            address other = _officer(i);
            if (_votes[subject][other] < _time) continue;
            delete _votes[subject][other];
            return true;
        }
        return false;
    }

    function _checkNoPausers() private view {
        for (uint256 i = 0; i < 2 * ACCOUNTS; i++) {
            if (_sentinels[i % 2].isPauser(_account(i / 2))) revert Broken("pausers end with their guardian");
        }
    }

    function _officer(uint256 office) private view returns (address) {
        return [timelock.owner(), timelock.guardian(), timelock.recovery()][office % 3];
    }

    function _isOffice(address account) private view returns (bool) {
        return account == _officer(0) || account == _officer(1) || account == _officer(2);
    }

    /// @dev Any account calls any setting directly. Only pausers, guardian and policy manager succeed, and only within
    /// their rights.
    function _callDirectly(uint256 seed) private {
        (address target, bytes memory call) = _anyCall(seed >> 32);
        bool isOnLock = target == address(lock) || target == address(_sentinels[0]);
        IBridge bridge = _bridge(isOnLock);
        address caller = _account(seed);
        if (seed % 4 == 0) caller = timelock.owner();
        if (seed % 4 == 1) caller = (seed >> 8) % 2 == 0 ? timelock.guardian() : bridge.policyManager();
        if (seed % 4 == 2) caller = _account(7);
        (bytes32 admins, bytes32 relayers, bytes32 managers) = (_governedByAdmin(), _relayers(), _governedByManager());
        (bytes32 offices, bool isGuardian) = (_offices(), caller == timelock.guardian());
        bool mayPause = isGuardian || _sentinels[isOnLock ? 0 : 1].isPauser(caller);
        (address standby, address relayer) = (bridge.standby(), bridge.relayer());
        vm.prank(caller);
        (bool done, ) = target.call(call);
        if (_governedByAdmin() != admins) revert Broken("only an announced call changes what the admin sets");
        if (_offices() != offices) revert Broken("only votes and announced calls change offices");
        if (_governedByManager() != managers) {
            if (caller != bridge.policyManager()) revert Broken("only the policy manager moves limits");
            counts["limits moved"]++;
        }
        if (_relayers() != relayers) {
            bool isActivation = bridge.relayer() == standby && bridge.standby() == address(0) && standby != address(0);
            if (!isGuardian || !isActivation) revert Broken("only the announced standby takes over");
            if (relayer == standby) revert Broken("the standby is another account");
            counts["standby activated"]++;
        }
        for (uint256 i = 0; i < 2; i++) {
            bool stopped = _areDeliveriesStopped(i == 0);
            if (_deliveriesStopped[i == 0] && !stopped) revert Broken("only an announced call ends a pause");
            if (stopped && !_deliveriesStopped[i == 0] && !mayPause)
                revert Broken("only pausers and the guardian pause");
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
        return keccak256(abi.encode(_settings(), _offices()));
    }

    function _settings() private view returns (bytes32) {
        bytes32 stops = keccak256(abi.encode(_areDeliveriesStopped(true), _areDeliveriesStopped(false)));
        return keccak256(abi.encode(_governedByAdmin(), _relayers(), _governedByManager(), stops));
    }

    function _checkKeys(bool onLock) private view {
        IBridge bridge = _bridge(onLock);
        (, address[] memory members, uint256 threshold) = bridge.attesters();
        if (threshold < 1 || threshold > members.length) revert Broken("threshold out of range");
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
        bytes32[12] memory goals = [
            bytes32("announced"),
            "executed",
            "cancelled",
            "limits moved",
            "standby activated",
            "direct call",
            "direct call refused",
            "deliveries stopped",
            "deliveries resumed",
            "office replaced",
            "pause lifted by votes",
            "vote withdrawn"
        ];
        for (uint256 i = 0; i < goals.length; i++) if (handler.counts(goals[i]) == 0) revert NeverSeen(goals[i]);
    }
}
