// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {AdminTimelock} from "../../../src/deploy/AdminTimelock.sol";
import {IBridgeGovernance} from "../../../src/interfaces/IBridgeGovernance.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev The admin's key alone is stolen. It owns a timelock, as in every deployment but a local one.
contract AdminKeyTest is OfficesFixture {
    address private immutable loot = address(0x10074);

    function setUp() public override {
        super.setUp();
        deposit(1_000 ether);
    }

    /// @dev The calls that empty the bridge, in one batch: replace the relayer, take the right to set limits, lift
    /// pauses.
    function coup() private view returns (address[] memory targets, uint256[] memory values, bytes[] memory calls) {
        targets = new address[](3);
        values = new uint256[](3);
        calls = new bytes[](3);
        for (uint256 i = 0; i < 3; i++) targets[i] = address(bridge);
        calls[0] = abi.encodeCall(bridge.setRelayer, (thief));
        calls[1] = abi.encodeCall(bridge.setPolicyManager, (loot));
        calls[2] = abi.encodeCall(bridge.unpause, (0, true, true));
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
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.listToken, (listing(address(xcn), 0))));
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.transferOwnership, (thief)));
        expectRefusal(owner, address(bridge), abi.encodeCall(bridge.releaseNative, (0, thief, 1, 0)));
        // A shorter delay is refused too, and only the timelock itself can change the delay.
        expectRefusal(
            owner,
            address(timelock),
            abi.encodeCall(timelock.scheduleBatch, (targets, values, calls, 0, 0, DELAY - 1))
        );
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.updateDelay, (0)));
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.grantRole, (bytes32(0), thief)));
    }

    /// @dev A scheduled call is public for two days, and the guardian cancels it: nothing is lost.
    function test_TheGuardianCancelsWhatIsAnnounced() public {
        (address[] memory targets, uint256[] memory values, bytes[] memory calls) = coup();
        vm.prank(owner);
        timelock.scheduleBatch(targets, values, calls, 0, 0, DELAY);
        bytes32 id = timelock.hashOperationBatch(targets, values, calls, 0, 0);
        expectRefusal(thief, address(timelock), abi.encodeCall(timelock.cancel, (id)));
        vm.prank(guardian);
        timelock.cancel(id);
        vm.warp(block.timestamp + 30 days);
        expectRefusal(owner, address(timelock), abi.encodeCall(timelock.executeBatch, (targets, values, calls, 0, 0)));
        vm.assertEq(bridge.relayer(), relayer);
        vm.assertEq(address(bridge).balance, 1_000 ether);
    }

    /// @dev If no one cancels within two days, the thief controls the bridge: the reason for the delay and the
    /// guardian.
    function test_WhatNobodyCancelsHappens() public {
        (address[] memory targets, uint256[] memory values, bytes[] memory calls) = coup();
        vm.prank(owner);
        timelock.scheduleBatch(targets, values, calls, 0, 0, DELAY);
        vm.warp(block.timestamp + DELAY - 1);
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
        lock.setPolicyManager(loot);
        lock.setLimitCeiling(address(0), IBridgeGovernance.Limits(HIGHEST, 60, HIGHEST));
        vm.stopPrank();
        vm.prank(loot);
        lock.setOutflowLimit(address(0), HIGHEST, 60);
        vm.prank(thief);
        lock.releaseNative(0, loot, 1_000 ether, 0);
        vm.assertEq(loot.balance, 1_000 ether);
    }

    function test_NobodyAdministersTheTimelock() public view {
        bytes32 adminRole = timelock.DEFAULT_ADMIN_ROLE();
        vm.assertFalse(timelock.hasRole(adminRole, address(timelock)));
        vm.assertFalse(timelock.hasRole(adminRole, owner));
        vm.assertFalse(timelock.hasRole(adminRole, guardian));
        vm.assertFalse(timelock.hasRole(adminRole, address(this)));
        vm.assertFalse(timelock.hasRole(timelock.PROPOSER_ROLE(), guardian));
        // OpenZeppelin's timelock lets any account act in a role of the zero address.
        vm.assertFalse(timelock.hasRole(timelock.PROPOSER_ROLE(), address(0)));
        vm.assertFalse(timelock.hasRole(timelock.EXECUTOR_ROLE(), address(0)));
        vm.assertEq(TimelockController(timelock).getMinDelay(), DELAY);
        vm.assertEq(timelock.minimumDelay(), DELAY);
    }

    /// @dev An announced call may lengthen the delay. No call shortens it below the deployment's: a thief would
    /// announce that first, among harmless calls.
    function test_TheDelayIsNeverShorterThanAtTheDeployment() public {
        bytes memory longer = abi.encodeCall(timelock.updateDelay, (DELAY * 2));
        bytes memory same = abi.encodeCall(timelock.updateDelay, (DELAY));
        bytes memory shorter = abi.encodeCall(timelock.updateDelay, (DELAY - 1));
        vm.startPrank(owner);
        timelock.schedule(address(timelock), 0, longer, 0, 0, DELAY);
        timelock.schedule(address(timelock), 0, same, 0, 0, DELAY);
        timelock.schedule(address(timelock), 0, shorter, 0, 0, DELAY);
        vm.warp(block.timestamp + DELAY);
        vm.expectRevert(abi.encodeWithSelector(AdminTimelock.DelayOutOfRange.selector, DELAY - 1, DELAY, 30 days));
        timelock.execute(address(timelock), 0, shorter, 0, 0);
        timelock.execute(address(timelock), 0, same, 0, 0);
        vm.assertEq(timelock.getMinDelay(), DELAY);
        timelock.execute(address(timelock), 0, longer, 0, 0);
        vm.stopPrank();
        vm.assertEq(timelock.getMinDelay(), DELAY * 2);
    }
}
