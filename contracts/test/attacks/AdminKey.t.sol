// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {BridgeLock} from "../../src/bridge/BridgeLock.sol";
import {AdminTimelock} from "../../src/deploy/AdminTimelock.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev The admin's key alone is stolen. It owns a timelock, as in every deployment but a local one.
contract AdminKeyTest is BridgeFixture {
    address private immutable owner = address(0xA7);
    address private immutable thief = address(0x7417EF);
    address private immutable loot = address(0x10074);
    AdminTimelock private timelock;
    BridgeLock private bridge;

    function setUp() public override {
        super.setUp();
        bytes memory args = abi.encode(ADMIN_DELAY, owner, guardian);
        timelock = AdminTimelock(payable(Artifact.create("AdminTimelock", args)));
        BridgeEnd.Setup memory keys = setup();
        keys.admin = address(timelock);
        BridgeEnd.TokenSetup[] memory tokens = new BridgeEnd.TokenSetup[](1);
        tokens[0] = BridgeEnd.TokenSetup(address(0), 0, 100 ether, 1 hours);
        bridge = newLock(keys, tokens, address(xcn), treasury);
        vm.deal(alice, 1_000 ether);
        vm.prank(alice);
        bridge.depositNative{value: 1_000 ether}(bob);
    }

    /// @dev The calls that empty the bridge, in one batch: a new relayer, the right to set limits, no pause.
    function coup() private view returns (address[] memory targets, uint256[] memory values, bytes[] memory calls) {
        targets = new address[](3);
        values = new uint256[](3);
        calls = new bytes[](3);
        for (uint256 i = 0; i < 3; i++) targets[i] = address(bridge);
        calls[0] = abi.encodeCall(bridge.setRelayer, (thief));
        calls[1] = abi.encodeCall(bridge.grantRole, (bridge.POLICY_MANAGER_ROLE(), loot));
        calls[2] = abi.encodeCall(bridge.setPause, (false, false));
    }

    function expectRefusal(address caller, address target, bytes memory call) private {
        vm.prank(caller);
        (bool done, ) = target.call(call);
        vm.assertFalse(done);
    }

    function test_TheKeyAloneDoesNothingAtOnce() public {
        (address[] memory targets, uint256[] memory values, bytes[] memory calls) = coup();
        for (uint256 i = 0; i < 3; i++) expectRefusal(owner, address(bridge), calls[i]);
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.setTreasury, (thief)));
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.setToken, (address(xcn), true, 0)));
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.beginDefaultAdminTransfer, (thief)));
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.releaseNative, (0, thief, 1, 0)));
        // A shorter delay is refused too, and only the timelock itself can change the delay.
        expectRefusal(
            owner,
            address(timelock),
            abi.encodeCall(timelock.scheduleBatch, (targets, values, calls, 0, 0, ADMIN_DELAY - 1))
        );
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.updateDelay, (0)));
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.grantRole, (bytes32(0), thief)));
    }

    /// @dev Everybody sees a scheduled call for two days, and the guardian cancels it: nothing is lost.
    function test_TheGuardianCancelsWhatIsAnnounced() public {
        (address[] memory targets, uint256[] memory values, bytes[] memory calls) = coup();
        vm.prank(owner);
        timelock.scheduleBatch(targets, values, calls, 0, 0, ADMIN_DELAY);
        bytes32 id = timelock.hashOperationBatch(targets, values, calls, 0, 0);
        expectRefusal(thief, address(timelock), abi.encodeCall(timelock.cancel, (id)));
        vm.prank(guardian);
        timelock.cancel(id);
        vm.warp(block.timestamp + 30 days);
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.executeBatch, (targets, values, calls, 0, 0)));
        vm.assertEq(bridge.relayer(), relayer);
        vm.assertEq(address(bridge).balance, 1_000 ether);
    }

    /// @dev If nobody cancels within two days, the thief controls the bridge. The delay and the guardian exist for
    /// that.
    function test_WhatNobodyCancelsHappens() public {
        (address[] memory targets, uint256[] memory values, bytes[] memory calls) = coup();
        vm.prank(owner);
        timelock.scheduleBatch(targets, values, calls, 0, 0, ADMIN_DELAY);
        vm.warp(block.timestamp + ADMIN_DELAY - 1);
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.executeBatch, (targets, values, calls, 0, 0)));
        vm.warp(block.timestamp + 1);
        vm.prank(owner);
        timelock.executeBatch(targets, values, calls, 0, 0);
        vm.prank(thief);
        bridge.releaseNative(0, loot, 100 ether, 0);
        vm.assertEq(loot.balance, 100 ether);
    }

    /// @dev Without the timelock, as in a local deployment, the key alone is enough. This shows why the timelock
    /// exists.
    function test_WithoutTheTimelockTheKeyAloneIsEnough() public {
        fund(address(0), 1_000 ether);
        vm.startPrank(admin);
        lock.setRelayer(thief);
        lock.grantRole(lock.POLICY_MANAGER_ROLE(), admin);
        lock.setOutflowLimit(address(0), 1_000_000 ether, 1);
        vm.stopPrank();
        vm.prank(thief);
        lock.releaseNative(0, loot, 1_000 ether, 0);
        vm.assertEq(loot.balance, 1_000 ether);
    }

    function test_NobodyAdministersTheTimelock() public view {
        bytes32 adminRole = timelock.DEFAULT_ADMIN_ROLE();
        vm.assertTrue(timelock.hasRole(adminRole, address(timelock)));
        vm.assertFalse(timelock.hasRole(adminRole, owner));
        vm.assertFalse(timelock.hasRole(adminRole, guardian));
        vm.assertFalse(timelock.hasRole(adminRole, address(this)));
        vm.assertFalse(timelock.hasRole(timelock.PROPOSER_ROLE(), guardian));
        vm.assertEq(TimelockController(timelock).getMinDelay(), ADMIN_DELAY);
    }
}
