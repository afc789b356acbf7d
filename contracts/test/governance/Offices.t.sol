// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {AdminTimelock} from "../../src/deploy/AdminTimelock.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IOffices} from "../../src/interfaces/IOffices.sol";
import {OfficesFixture} from "../fixtures/OfficesFixture.sol";

/// @dev Owner, guardian and recovery of a timelock that administers a bridge contract: votes, roles, delays.
contract OfficesTest is OfficesFixture {
    /// @dev Each pair replaces each office, in either order of the two votes, and immediately.
    function test_AnyTwoReplaceAnyOffice() public {
        address[3] memory accounts = [owner, guardian, recovery];
        for (uint256 i = 0; i < 18; i++) {
            uint256 state = vm.snapshotState();
            (uint256 first, uint256 office) = (i % 3, i / 6);
            uint256 second = (first + 1 + ((i / 3) % 2)) % 3;
            vm.prank(accounts[first]);
            timelock.voteReplace(1, IOffices.Office(office), next);
            vm.assertEq(timelock.round(), 1);
            vm.expectEmit(address(timelock));
            emit IOffices.OfficeReplaced(IOffices.Office(office), accounts[office], next, 2);
            vm.prank(accounts[second]);
            timelock.voteReplace(1, IOffices.Office(office), next);
            vm.assertEq([timelock.owner(), timelock.guardian(), timelock.recovery()][office], next);
            vm.assertEq(timelock.round(), 2);
            vm.assertEq(timelock.guardianRound(), office == 1 ? 2 : 1);
            vm.revertToState(state);
        }
    }

    /// @dev The roles of OpenZeppelin's timelock are those of the offices, before and after.
    function test_RolesFollowTheOffices() public {
        checkRoles(owner, guardian);
        replace(IOffices.Office.Owner, next, guardian, recovery);
        checkRoles(next, guardian);
        replace(IOffices.Office.Guardian, owner, next, recovery);
        checkRoles(next, owner);
        bytes32 role = timelock.PROPOSER_ROLE();
        vm.startPrank(next);
        bytes memory refusal = abi.encodeWithSelector(
            IAccessControl.AccessControlUnauthorizedAccount.selector,
            next,
            bytes32(0)
        );
        vm.expectRevert(refusal);
        timelock.grantRole(role, alice);
        vm.expectRevert(refusal);
        timelock.revokeRole(role, next);
        vm.expectRevert(AdminTimelock.RolesFollowOffices.selector);
        timelock.renounceRole(role, next);
        vm.stopPrank();
    }

    /// @dev One vote, the same vote twice, different votes, and one older than three days execute nothing.
    function test_NothingElseIsCarriedOut() public {
        bytes32 subject = hashSubject(IOffices.Office.Owner, next);
        vm.expectEmit(address(timelock));
        emit IOffices.Voted(subject, guardian, BEGAN + 3 days);
        vm.prank(guardian);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.assertEq(timelock.votedUntil(subject, guardian), BEGAN + 3 days);
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IOffices.AlreadyVoted.selector, subject, BEGAN + 3 days));
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.prank(recovery);
        timelock.voteReplace(1, IOffices.Office.Owner, bob);
        vm.assertEq(timelock.owner(), owner);
        // The vote counts in its last second; a second later it must be given again.
        vm.warp(BEGAN + 3 days + 1);
        vm.prank(recovery);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.assertEq(timelock.owner(), owner);
        vm.warp(BEGAN + 6 days + 1);
        vm.prank(guardian);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.assertEq(timelock.owner(), next);
    }

    /// @dev Every wrong caller, round and account has its own error.
    function test_BadVotesAreRefused() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IOffices.NotAnOffice.selector, alice));
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.startPrank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IOffices.RoundMismatch.selector, uint256(2), uint256(1)));
        timelock.voteReplace(2, IOffices.Office.Owner, next);
        vm.expectRevert(IOffices.OfficeRequired.selector);
        timelock.voteReplace(1, IOffices.Office.Owner, address(0));
        address[3] memory taken = [owner, guardian, recovery];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectRevert(abi.encodeWithSelector(IOffices.OfficeTaken.selector, taken[i]));
            timelock.voteReplace(1, IOffices.Office.Owner, taken[i]);
        }
        vm.expectRevert(abi.encodeWithSelector(IOffices.NotAdministered.selector, address(lock)));
        timelock.voteUnpause(1, address(lock), 0, true, true);
        vm.stopPrank();
        // A replacement voids the votes of the previous round.
        vm.prank(guardian);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        replace(IOffices.Office.Recovery, bob, owner, guardian);
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IOffices.RoundMismatch.selector, uint256(1), uint256(2)));
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IOffices.NotAnOffice.selector, recovery));
        timelock.voteReplace(2, IOffices.Office.Owner, next);
    }

    /// @dev Only its voter withdraws a vote.
    function test_OnlyItsVoterWithdrawsAVote() public {
        bytes32 subject = hashSubject(IOffices.Office.Owner, next);
        vm.prank(guardian);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IOffices.NoVote.selector, subject));
        timelock.withdrawVote(subject);
        vm.expectEmit(address(timelock));
        emit IOffices.VoteWithdrawn(subject, guardian);
        vm.prank(guardian);
        timelock.withdrawVote(subject);
        vm.prank(recovery);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.assertEq(timelock.owner(), owner);
        // Both are used up when it is executed.
        vm.prank(guardian);
        timelock.voteReplace(1, IOffices.Office.Owner, next);
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IOffices.NoVote.selector, subject));
        timelock.withdrawVote(subject);
        vm.assertEq(timelock.votedUntil(subject, recovery), 0);
    }

    /// @dev Two offices lift pauses immediately, and never one that came after their votes.
    function test_TwoLiftPausesAtOnce() public {
        vm.prank(pauser);
        sentinel.pause(true, true);
        voteUnpause(owner, 1);
        vm.prank(pauser);
        sentinel.pause(true, true);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.PauseCountMismatch.selector, 1, 2));
        timelock.voteUnpause(1, address(bridge), 1, true, true);
        voteUnpause(owner, 2);
        vm.expectEmit(address(timelock));
        bytes32 subject = keccak256(abi.encodeCall(timelock.voteUnpause, (1, address(bridge), 2, true, true)));
        emit IOffices.VoteCarried(subject, owner, recovery);
        voteUnpause(recovery, 2);
        (uint256 until, bool deliveries, ) = bridge.pauses();
        vm.assertEq(until, 0);
        vm.assertFalse(deliveries);
    }

    /// @dev Votes for one direction leave the other paused.
    function test_TwoLiftThePauseOfOneDirection() public {
        vm.prank(pauser);
        sentinel.pause(true, true);
        vm.prank(owner);
        timelock.voteUnpause(1, address(bridge), 1, true, false);
        vm.prank(recovery);
        timelock.voteUnpause(1, address(bridge), 1, true, false);
        (uint256 until, bool deliveries, ) = bridge.pauses();
        vm.assertEq(until, 0);
        vm.assertTrue(deliveries);
    }

    /// @dev An announced call of the owner replaces guardian and recovery, and never the owner.
    function test_TheOwnerReplacesTheOthersByAnnouncedCalls() public {
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(TimelockController.TimelockUnauthorizedCaller.selector, owner));
        timelock.replace(IOffices.Office.Recovery, next);
        execute(address(timelock), abi.encodeCall(timelock.replace, (IOffices.Office.Recovery, next)));
        vm.assertEq(timelock.recovery(), next);
        bytes memory call = abi.encodeCall(timelock.replace, (IOffices.Office.Owner, bob));
        announce(call);
        vm.prank(owner);
        vm.expectRevert(AdminTimelock.OwnerNotReplaceable.selector);
        timelock.execute(address(timelock), 0, call, 0, 0);
        // The proposer cannot cancel.
        bytes32 id = timelock.hashOperation(address(timelock), 0, call, 0, 0);
        vm.prank(owner);
        vm.expectRevert();
        timelock.cancel(id);
        vm.prank(guardian);
        timelock.cancel(id);
    }

    /// @dev A call that was ready for 14 days has expired, and may be announced again.
    function test_AnAnnouncedCallExpires() public {
        bytes memory call = abi.encodeCall(timelock.updateDelay, (DELAY + 1));
        announce(call);
        uint256 ready = block.timestamp;
        bytes32 id = timelock.hashOperation(address(timelock), 0, call, 0, 0);
        vm.warp(ready + 14 days);
        vm.assertTrue(timelock.isOperationReady(id));
        vm.warp(ready + 14 days + 1);
        vm.assertFalse(timelock.isOperation(id));
        vm.prank(owner);
        vm.expectRevert();
        timelock.execute(address(timelock), 0, call, 0, 0);
        execute(address(timelock), call);
        vm.assertEq(timelock.getMinDelay(), DELAY + 1);
        vm.assertTrue(timelock.isOperationDone(id));
    }

    /// @dev A typo in the delay does not freeze the admin.
    function test_NoDelayIsAboveThirtyDays() public {
        vm.expectRevert(abi.encodeWithSelector(AdminTimelock.DelayOutOfRange.selector, 30 days + 1, 0, 30 days));
        newTimelock(30 days + 1, owner, guardian, recovery);
        newTimelock(30 days, owner, guardian, recovery);
        bytes memory call = abi.encodeCall(timelock.updateDelay, (30 days + 1));
        announce(call);
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(AdminTimelock.DelayOutOfRange.selector, 30 days + 1, DELAY, 30 days));
        timelock.execute(address(timelock), 0, call, 0, 0);
        execute(address(timelock), abi.encodeCall(timelock.updateDelay, (30 days)));
        vm.assertEq(timelock.getMinDelay(), 30 days);
    }

    /// @dev Three accounts, all different.
    function test_TheOfficesAreDistinctFromTheBeginning() public {
        address[3][4] memory wrong = [
            [address(0), guardian, recovery],
            [owner, owner, recovery],
            [owner, guardian, guardian],
            [owner, guardian, owner]
        ];
        for (uint256 i = 0; i < 4; i++) {
            vm.expectRevert();
            newTimelock(DELAY, wrong[i][0], wrong[i][1], wrong[i][2]);
        }
    }

    function hashSubject(IOffices.Office office, address account) private view returns (bytes32) {
        return keccak256(abi.encodeCall(timelock.voteReplace, (1, office, account)));
    }

    /// @dev Announces a call to the timelock itself, and waits until it is ready.
    function announce(bytes memory call) private {
        schedule(address(timelock), call);
        vm.warp(block.timestamp + DELAY);
    }

    function checkRoles(address proposer, address canceller) private view {
        address[5] memory accounts = [owner, guardian, recovery, next, address(timelock)];
        for (uint256 i = 0; i < 5; i++) {
            bool proposes = accounts[i] == proposer;
            vm.assertTrue(timelock.hasRole(timelock.PROPOSER_ROLE(), accounts[i]) == proposes);
            vm.assertTrue(timelock.hasRole(timelock.EXECUTOR_ROLE(), accounts[i]) == proposes);
            vm.assertTrue(timelock.hasRole(timelock.CANCELLER_ROLE(), accounts[i]) == (accounts[i] == canceller));
            vm.assertFalse(timelock.hasRole(timelock.DEFAULT_ADMIN_ROLE(), accounts[i]));
        }
    }
}
