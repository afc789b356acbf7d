// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Sentinel} from "../../src/deploy/Sentinel.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IOffices} from "../../src/interfaces/IOffices.sol";
import {ISentinel} from "../../src/interfaces/ISentinel.sol";
import {OfficesFixture} from "../fixtures/OfficesFixture.sol";

/// @dev Hot pausers pause; the guardian's office, a cold key, chooses them and activates the standby.
contract SentinelTest is OfficesFixture {
    function test_ItKnowsItsTimelockAndItsBridge() public view {
        vm.assertEq(sentinel.timelock(), address(timelock));
        vm.assertEq(sentinel.bridge(), address(bridge));
        vm.assertEq(bridge.guardian(), address(sentinel));
        vm.assertTrue(sentinel.isPauser(pauser));
        vm.assertFalse(sentinel.isPauser(guardian));
    }

    /// @dev Pausers and guardian can pause each direction separately, with an event that names the caller.
    function test_PausersAndGuardianPause() public {
        vm.expectEmit(address(sentinel));
        emit ISentinel.PausedBy(pauser);
        vm.expectEmit(address(bridge));
        emit IBridgeGovernance.PauseSet(0, true, 1, address(sentinel));
        vm.prank(pauser);
        sentinel.pause(false, true);
        vm.expectEmit(address(bridge));
        emit IBridgeGovernance.PauseSet(BEGAN + 7 days, true, 2, address(sentinel));
        vm.prank(guardian);
        sentinel.pause(true, false);
        address[5] memory others = [owner, recovery, relayer, alice, address(timelock)];
        for (uint256 i = 0; i < 5; i++) {
            vm.prank(others[i]);
            vm.expectRevert(abi.encodeWithSelector(ISentinel.NotPauser.selector, others[i]));
            sentinel.pause(true, true);
        }
        // The bridge contract does not know these accounts.
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotGuardian.selector, guardian));
        bridge.pause(true, true);
    }

    function test_TheGuardianActivatesTheStandbyOnce() public {
        vm.startPrank(guardian);
        sentinel.activateStandby();
        vm.assertEq(bridge.relayer(), standby);
        vm.expectRevert(IBridgeGovernance.NoStandby.selector);
        sentinel.activateStandby();
        vm.stopPrank();
    }

    function test_TheGuardianAddsAndRemovesPausers() public {
        vm.startPrank(guardian);
        vm.expectEmit(address(sentinel));
        emit ISentinel.PauserAdded(alice, 1);
        sentinel.addPauser(alice);
        vm.expectRevert(abi.encodeWithSelector(ISentinel.AlreadyPauser.selector, alice));
        sentinel.addPauser(alice);
        vm.expectRevert(ISentinel.PauserRequired.selector);
        sentinel.addPauser(address(0));
        vm.expectEmit(address(sentinel));
        emit ISentinel.PauserRemoved(pauser);
        sentinel.removePauser(pauser);
        vm.expectRevert(abi.encodeWithSelector(ISentinel.NotPauser.selector, pauser));
        sentinel.removePauser(pauser);
        vm.stopPrank();
        vm.assertTrue(sentinel.isPauser(alice));
        vm.assertFalse(sentinel.isPauser(pauser));
        address[4] memory others = [alice, owner, recovery, address(timelock)];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory refusal = abi.encodeWithSelector(ISentinel.NotGuardianOffice.selector, others[i]);
            vm.startPrank(others[i]);
            vm.expectRevert(refusal);
            sentinel.addPauser(bob);
            vm.expectRevert(refusal);
            sentinel.removePauser(alice);
            vm.expectRevert(refusal);
            sentinel.activateStandby();
            vm.stopPrank();
        }
    }

    /// @dev A pauser's right ends with the term of its guardian. Replacing another office does not end the term.
    function test_ANewGuardianBeginsWithoutPausers() public {
        replace(IOffices.Office.Recovery, bob, owner, guardian);
        vm.assertTrue(sentinel.isPauser(pauser));
        replace(IOffices.Office.Guardian, next, owner, bob);
        vm.assertFalse(sentinel.isPauser(pauser));
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(ISentinel.NotGuardianOffice.selector, guardian));
        sentinel.addPauser(pauser);
        vm.expectEmit(address(sentinel));
        emit ISentinel.PauserAdded(pauser, 3);
        vm.prank(next);
        sentinel.addPauser(pauser);
        vm.assertTrue(sentinel.isPauser(pauser));
    }

    /// @dev The admin role passes to another timelock, and the same announced batch sets its Sentinel.
    function test_AHandoverSetsAnotherSentinel() public {
        Sentinel former = sentinel;
        address oldTimelock = address(timelock);
        timelock = newTimelock(DELAY, next, bob, alice);
        sentinel = newSentinel(address(bridge), toList(pauser));
        (address[] memory targets, bytes[] memory calls) = (new address[](2), new bytes[](2));
        (targets[0], targets[1]) = (address(bridge), address(bridge));
        calls[0] = abi.encodeCall(bridge.setGuardian, (address(sentinel)));
        calls[1] = abi.encodeCall(bridge.transferOwnership, (address(timelock)));
        executeBatch(oldTimelock, owner, targets, calls);
        execute(address(bridge), abi.encodeCall(bridge.acceptOwnership, ()));
        vm.assertEq(bridge.owner(), address(timelock));
        vm.prank(pauser);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotGuardian.selector, address(former)));
        former.pause(true, true);
        vm.prank(pauser);
        sentinel.pause(true, true);
        unpauseBy(next, alice);
        vm.assertFalse(isStopped());
    }
}
