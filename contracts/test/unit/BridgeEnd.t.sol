// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";

import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

contract BridgeEndTest is BridgeFixture {
    function refusal(address caller, bytes32 role) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role);
    }

    function test_EachSettingHasItsRole() public {
        bytes32 adminRole = lock.DEFAULT_ADMIN_ROLE();
        bytes32 policyRole = lock.POLICY_MANAGER_ROLE();
        bytes32 guardianRole = lock.GUARDIAN_ROLE();
        vm.startPrank(relayer);
        vm.expectRevert(refusal(relayer, adminRole));
        lock.setRelayer(bob);
        vm.expectRevert(refusal(relayer, adminRole));
        lock.setToken(address(usdc), true, 0);
        vm.expectRevert(refusal(relayer, adminRole));
        lock.setPause(false, false);
        vm.expectRevert(refusal(relayer, adminRole));
        lock.setTreasury(relayer);
        vm.expectRevert(refusal(relayer, policyRole));
        lock.setOutflowLimit(address(usdc), 1, 1);
        vm.expectRevert(refusal(relayer, policyRole));
        bridgeMint.setFeePolicy(address(0), 1, 1, 2);
        vm.expectRevert(refusal(relayer, guardianRole));
        lock.pause(true, true);
        vm.stopPrank();
        vm.prank(guardian);
        vm.expectRevert(refusal(guardian, adminRole));
        lock.setPause(false, false);
    }

    function test_ANewRelayerReplacesTheOld() public {
        vm.expectEmit(address(lock));
        emit IBridgeEnd.RelayerChanged(relayer, bob);
        vm.prank(admin);
        lock.setRelayer(bob);
        vm.assertEq(lock.relayer(), bob);
        depositWithValue(alice, 1 ether, alice);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.NotRelayer.selector, relayer));
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.prank(bob);
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.assertEq(alice.balance, 1 ether);
    }

    function test_TheRelayerIsNobodyWithARole() public {
        address[4] memory refused = [address(0), admin, guardian, policyManager];
        vm.startPrank(admin);
        for (uint256 i = 0; i < 4; i++) {
            vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
            lock.setRelayer(refused[i]);
        }
        vm.stopPrank();
    }

    function test_TheRelayerIsGivenNoRole() public {
        bytes32[2] memory roles = [lock.GUARDIAN_ROLE(), lock.POLICY_MANAGER_ROLE()];
        vm.startPrank(admin);
        for (uint256 i = 0; i < 2; i++) {
            vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
            lock.grantRole(roles[i], relayer);
        }
        lock.grantRole(roles[0], bob);
        lock.beginDefaultAdminTransfer(relayer);
        vm.stopPrank();
        vm.warp(block.timestamp + ADMIN_DELAY + 1);
        vm.prank(relayer);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.acceptDefaultAdminTransfer();
        vm.prank(bob);
        lock.pause(true, false);
        vm.assertTrue(lock.depositsPaused());
    }

    function test_ANewAdminWaitsAndAccepts() public {
        vm.prank(admin);
        lock.beginDefaultAdminTransfer(bob);
        vm.prank(bob);
        (bool early, ) = address(lock).call(abi.encodeCall(lock.acceptDefaultAdminTransfer, ()));
        vm.assertFalse(early);
        vm.warp(block.timestamp + ADMIN_DELAY + 1);
        vm.prank(bob);
        lock.acceptDefaultAdminTransfer();
        vm.assertEq(lock.defaultAdmin(), bob);
    }

    function test_SettingsAreReadBack() public {
        (bool allowed, uint256 granularity) = lock.tokenSettings(address(xcn));
        vm.assertTrue(allowed);
        vm.assertEq(granularity, 1e10);
        (uint128 capacity, uint32 window) = lock.outflowLimit(address(xcn));
        vm.assertEq(capacity, CAPACITY);
        vm.assertEq(window, WINDOW);
        vm.expectEmit(address(lock));
        emit IBridgeEnd.TokenSet(address(usdc), false, 3);
        vm.prank(admin);
        lock.setToken(address(usdc), false, 3);
        vm.prank(admin);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.setToken(address(usdc), true, 19);
    }

    function test_AGuardianAddsToAPauseAndTakesNothingFromIt() public {
        vm.startPrank(guardian);
        lock.pause(false, true);
        lock.pause(true, false);
        vm.assertTrue(lock.depositsPaused() && lock.releasesPaused());
        lock.pause(false, false);
        vm.stopPrank();
        vm.assertTrue(lock.depositsPaused() && lock.releasesPaused());
    }

    function test_PauseTellsWhoAndWhat() public {
        vm.expectEmit(address(lock));
        emit IBridgeEnd.PauseSet(true, true, guardian);
        vm.prank(guardian);
        lock.pause(true, true);
    }

    function test_ClaimRefusesLossyRecipients() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(0)));
        lock.claim(address(0), address(0));
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(lock)));
        lock.claim(address(0), address(lock));
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(usdc)));
        lock.claim(address(usdc), address(usdc));
    }
}
