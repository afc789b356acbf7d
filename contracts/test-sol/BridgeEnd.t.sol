// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {BridgeEnd} from "../src/bridge/BridgeEnd.sol";
import {OutflowLimit} from "../src/bridge/OutflowLimit.sol";
import {BridgeFixture} from "./BridgeFixture.sol";

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
        emit BridgeEnd.RelayerChanged(relayer, bob);
        vm.prank(admin);
        lock.setRelayer(bob);
        vm.assertEq(lock.relayer(), bob);
        depositWithValue(alice, 1 ether, alice);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.NotRelayer.selector, relayer));
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.prank(bob);
        lock.releaseNative(1, alice, 1 ether, 0);
        vm.assertEq(alice.balance, 1 ether);
    }

    function test_TheAdminIsNeverTheRelayer() public {
        vm.startPrank(admin);
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        lock.setRelayer(admin);
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        lock.setRelayer(address(0));
        vm.stopPrank();
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
        emit BridgeEnd.TokenSet(address(usdc), false, 3);
        vm.prank(admin);
        lock.setToken(address(usdc), false, 3);
        vm.prank(admin);
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        lock.setToken(address(usdc), true, 19);
        vm.startPrank(policyManager);
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        lock.setOutflowLimit(address(usdc), 1, 0);
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        lock.setOutflowLimit(address(usdc), type(uint104).max, 1);
        vm.stopPrank();
    }

    function test_PauseTellsWhoAndWhat() public {
        vm.expectEmit(address(lock));
        emit BridgeEnd.PauseSet(true, true, guardian);
        vm.prank(guardian);
        lock.pause(true, true);
    }

    function limit(uint128 capacity, uint32 window) private {
        vm.expectEmit(address(lock));
        emit BridgeEnd.OutflowLimitSet(address(0), capacity, window);
        vm.prank(policyManager);
        lock.setOutflowLimit(address(0), capacity, window);
    }

    function test_OutflowIsLimitedAndRefills() public {
        fund(address(0), 1_000);
        limit(100, 100);
        vm.startPrank(relayer);
        lock.releaseNative(1, bob, 70, 10);
        vm.assertEq(lock.outflowRoom(address(0)), 20);
        vm.expectRevert(abi.encodeWithSelector(OutflowLimit.OutflowLimitExceeded.selector, 20, 21));
        lock.releaseNative(2, bob, 21, 0);
        // The fee counts too, or a relayer could turn collateral into fees beside the limit.
        vm.expectRevert(abi.encodeWithSelector(OutflowLimit.OutflowLimitExceeded.selector, 20, 21));
        lock.releaseNative(2, bob, 1, 20);
        vm.warp(block.timestamp + 30);
        vm.assertEq(lock.outflowRoom(address(0)), 50);
        lock.releaseNative(2, bob, 50, 0);
        vm.warp(block.timestamp + 1_000);
        vm.assertEq(lock.outflowRoom(address(0)), 100);
        vm.stopPrank();
    }

    function test_ALowerLimitKeepsWhatHasLeft() public {
        fund(address(0), 1_000);
        limit(100, 100);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80, 0);
        limit(50, 100);
        vm.assertEq(lock.outflowRoom(address(0)), 0);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(OutflowLimit.OutflowLimitExceeded.selector, 0, 1));
        lock.releaseNative(2, bob, 1, 0);
    }

    function testFuzz_InNoSpanMoreLeavesThanCapacityPlusRefill(
        uint64[8] calldata amounts,
        uint16[8] calldata pauses
    ) public {
        fund(address(0), type(uint96).max);
        limit(1e18, 1_000);
        uint256 left = 0;
        // A constant: the optimizer may read block.timestamp again after a warp.
        uint256 began = 1_000_000;
        uint256 time = began;
        vm.warp(began);
        for (uint256 i = 0; i < 8; i++) {
            time += pauses[i] % 500;
            vm.warp(time);
            uint256 amount = uint256(amounts[i]) % 1e18;
            vm.prank(relayer);
            (bool released, ) = address(lock).call(abi.encodeCall(lock.releaseNative, (i, bob, amount, 0)));
            if (released) left += amount;
        }
        vm.assertLe(left, 1e18 + (1e18 * (time - began)) / 1_000 + 8);
    }

    function test_ClaimRefusesLossyRecipients() public {
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.InvalidRecipient.selector, address(0)));
        lock.claim(address(0), address(0));
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.InvalidRecipient.selector, address(lock)));
        lock.claim(address(0), address(lock));
    }
}
