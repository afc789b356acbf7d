// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IOwnable} from "../fixtures/Interfaces.sol";

contract RolesTest is BridgeFixture {
    function taken(address account) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, account);
    }

    /// @dev Each setting refuses every key except its own.
    function test_EachSettingHasItsKey() public {
        bytes[11] memory ofAdmin = [
            abi.encodeCall(lock.setRelayer, (address(0xC0))),
            abi.encodeCall(lock.setStandby, (address(0xC1))),
            abi.encodeCall(lock.setGuardian, (address(0xC2))),
            abi.encodeCall(lock.setPolicyManager, (address(0xC3))),
            abi.encodeCall(lock.setAttesters, (new address[](0), 0)),
            abi.encodeCall(lock.unpause, (0, true, true)),
            abi.encodeCall(lock.listToken, (listing(address(0xC6), 0))),
            abi.encodeCall(lock.setListing, (address(usdc), false, false)),
            abi.encodeCall(
                lock.setLimitCeiling,
                (address(usdc), IBridgeGovernance.Limits(HIGHEST, 1 minutes, HIGHEST))
            ),
            abi.encodeCall(lock.setTreasury, (address(0xC4))),
            abi.encodeCall(lock.transferOwnership, (address(0xC5)))
        ];
        address[4] memory callers = [guardian, policyManager, relayer, bob];
        for (uint256 i = 0; i < ofAdmin.length; i++) {
            for (uint256 j = 0; j < callers.length; j++) {
                refused(
                    callers[j],
                    ofAdmin[i],
                    abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, callers[j])
                );
            }
            vm.prank(admin);
            (bool done, ) = address(lock).call(ofAdmin[i]);
            vm.assertTrue(done);
        }
    }

    function test_ThePolicyManagerMovesLimitsAndNobodyElse() public {
        address[4] memory callers = [admin, guardian, relayer, bob];
        for (uint256 j = 0; j < callers.length; j++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeGovernance.NotPolicyManager.selector, callers[j]);
            refused(callers[j], abi.encodeCall(lock.setOutflowLimit, (address(usdc), 0, 60)), refusal);
            refused(callers[j], abi.encodeCall(lock.setMaxAmount, (address(usdc), 0)), refusal);
            vm.prank(callers[j]);
            vm.expectRevert(refusal);
            bridgeMint.setFeePolicy(address(0), IBridgeMint.FeePolicy(0, 0, 1));
        }
    }

    function test_TheGuardianPausesAndActivates() public {
        address[3] memory callers = [policyManager, relayer, bob];
        for (uint256 j = 0; j < callers.length; j++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeGovernance.NotGuardian.selector, callers[j]);
            refused(callers[j], abi.encodeCall(lock.pause, (true, true)), refusal);
            refused(callers[j], abi.encodeCall(lock.activateStandby, ()), refusal);
        }
        bytes memory notGuardian = abi.encodeWithSelector(IBridgeGovernance.NotGuardian.selector, admin);
        refused(admin, abi.encodeCall(lock.activateStandby, ()), notGuardian);
        vm.prank(admin);
        lock.pause(true, true);
    }

    function refused(address caller, bytes memory call, bytes memory refusal) private {
        vm.prank(caller);
        (bool done, bytes memory answer) = address(lock).call(call);
        vm.assertFalse(done);
        vm.assertEq(keccak256(answer), keccak256(refusal));
    }

    function test_ANewRelayerReplacesTheOld() public {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.RelayerChanged(relayer, bob);
        vm.prank(admin);
        lock.setRelayer(bob);
        vm.assertEq(lock.relayer(), bob);
        depositWithValue(alice, 1 ether, alice);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, relayer));
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.prank(bob);
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.assertEq(alice.balance, 1 ether);
    }

    function test_ANewGuardianReplacesTheOld() public {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.GuardianChanged(guardian, bob);
        vm.prank(admin);
        lock.setGuardian(bob);
        vm.assertEq(lock.guardian(), bob);
    }

    /// @dev No setter gives a role holder a second role.
    function test_NobodyHoldsTwoRoles() public {
        address[6] memory holders = [admin, guardian, policyManager, treasury, relayer, standby];
        vm.startPrank(admin);
        for (uint256 i = 0; i < holders.length; i++) {
            vm.expectRevert(taken(holders[i]));
            lock.setRelayer(holders[i]);
            vm.expectRevert(taken(holders[i]));
            lock.setStandby(holders[i]);
            vm.expectRevert(taken(holders[i]));
            lock.setGuardian(holders[i]);
            vm.expectRevert(taken(holders[i]));
            lock.setPolicyManager(holders[i]);
            vm.expectRevert(taken(holders[i]));
            lock.setTreasury(holders[i]);
            vm.expectRevert(taken(holders[i]));
            lock.transferOwnership(holders[i]);
            address[] memory members = new address[](1);
            members[0] = holders[i];
            vm.expectRevert(taken(holders[i]));
            lock.setAttesters(members, 0);
        }
        address[] memory attester = new address[](1);
        attester[0] = bob;
        lock.setAttesters(attester, 1);
        vm.expectRevert(taken(bob));
        lock.setRelayer(bob);
        vm.expectRevert(taken(bob));
        lock.setTreasury(bob);
        lock.transferOwnership(alice);
        vm.expectRevert(taken(alice));
        lock.setRelayer(alice);
        vm.expectRevert(IBridgeGovernance.ZeroAddress.selector);
        lock.setRelayer(address(0));
        vm.stopPrank();
    }

    function test_ANewAdminAccepts() public {
        vm.prank(admin);
        lock.transferOwnership(bob);
        vm.assertEq(lock.owner(), admin);
        vm.assertEq(lock.pendingOwner(), bob);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, alice));
        lock.acceptOwnership();
        vm.prank(bob);
        lock.acceptOwnership();
        vm.assertEq(lock.owner(), bob);
        vm.prank(bob);
        vm.expectRevert(IBridgeGovernance.AdminRequired.selector);
        lock.renounceOwnership();
    }

    function test_SettingsAreReadBack() public {
        (bool mayBegin, bool mayDeliver, uint256 granularity, uint256 unit) = lock.tokenSettings(address(xcn));
        vm.assertTrue(mayBegin && mayDeliver);
        vm.assertEq(granularity, 1e10);
        vm.assertEq(unit, LIMIT_UNIT);
        (uint256 capacity, uint256 window) = lock.outflowLimit(address(xcn));
        vm.assertEq(capacity, CAPACITY);
        vm.assertEq(window, WINDOW);
        vm.assertEq(lock.maxAmount(address(xcn)), HIGHEST);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.ListingSet(address(usdc), false, true);
        setListing(lock, address(usdc), false, true);
        (mayBegin, mayDeliver, , ) = lock.tokenSettings(address(usdc));
        vm.assertTrue(!mayBegin && mayDeliver);
        (mayBegin, mayDeliver, granularity, unit) = lock.tokenSettings(address(bridgedEth));
        vm.assertTrue(!mayBegin && !mayDeliver && granularity == 0 && unit == 0);
    }

    function test_PausesStopTheirDirectionOnly() public {
        fund(address(0), 10);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.PauseSet(block.timestamp + 7 days, false, 1, guardian);
        vm.prank(guardian);
        lock.pause(true, false);
        vm.assertTrue(lock.depositsPaused());
        vm.assertFalse(lock.releasesPaused());
        vm.deal(alice, 1);
        vm.prank(alice);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.depositNative{value: 1}(bob);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, 0);
        // A guardian can add to a pause and cannot lift any of it.
        vm.startPrank(guardian);
        lock.pause(false, true);
        lock.pause(false, false);
        vm.stopPrank();
        vm.assertTrue(lock.depositsPaused() && lock.releasesPaused());
        vm.startPrank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(2, bob, 1, 0);
        vm.stopPrank();
        unpause(lock, true, true);
        vm.prank(relayer);
        lock.releaseNative(2, bob, 1, 0);
        vm.assertFalse(lock.depositsPaused());
    }
}
