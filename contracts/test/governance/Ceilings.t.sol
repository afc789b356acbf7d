// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Bounds that the admin sets. The policy manager moves limits and fees at or below them.
contract CeilingsTest is BridgeFixture {
    address private constant ETH = address(0);
    uint256 private constant U = LIMIT_UNIT;
    uint256 private constant BEGAN = 1_000_000;

    function setUp() public override {
        super.setUp();
        vm.warp(BEGAN);
    }

    function setCeiling(uint256 capacity, uint256 window, uint256 maxAmount) private {
        vm.prank(admin);
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(capacity, window, maxAmount));
    }

    function expectAbove(uint256 value, uint256 ceiling) private {
        vm.prank(policyManager);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, value, ceiling));
    }

    function test_ALowerCeilingTakesTheLimitsAlong() public {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.LimitCeilingSet(ETH, 10 * U, 2 hours, 5 * U);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.OutflowLimitSet(ETH, 10 * U, 2 hours);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.MaxAmountSet(ETH, 5 * U);
        setCeiling(10 * U, 2 hours, 5 * U);
        (uint256 capacity, uint256 window) = lock.outflowLimit(ETH);
        vm.assertEq(capacity, 10 * U);
        vm.assertEq(window, 2 hours);
        vm.assertEq(lock.maxAmount(ETH), 5 * U);
        vm.deal(alice, 6 * U);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AboveMaximum.selector, 6 * U, 5 * U));
        lock.depositNative{value: 6 * U}(bob);
    }

    /// @dev An unchanged setting emits no event: to a watcher it would look like a decision of the policy manager.
    function test_ACeilingThatLowersNothingSaysOnlyThat() public {
        vm.recordLogs();
        setCeiling(CAPACITY, WINDOW, HIGHEST);
        vm.assertEq(vm.getRecordedLogs().length, 1);
        vm.prank(admin);
        bridgeMint.setFeeCeiling(address(bridgedEth), IBridgeMint.FeePolicy(25, 0.003 ether, 0.01 ether));
        vm.assertEq(vm.getRecordedLogs().length, 1);
        // Only the capacity, only the window, only the maximum.
        setCeiling(CAPACITY / 2, WINDOW, HIGHEST);
        vm.assertEq(vm.getRecordedLogs().length, 2);
        setCeiling(CAPACITY / 2, 2 * WINDOW, HIGHEST);
        vm.assertEq(vm.getRecordedLogs().length, 2);
        setCeiling(CAPACITY / 2, 2 * WINDOW, HIGHEST / 2);
        vm.assertEq(vm.getRecordedLogs().length, 2);
    }

    /// @dev The listing, its flags, the ceiling, the limit and the maximum: each once.
    function test_AListingTellsEachSettingOnce() public {
        vm.recordLogs();
        list(lock, address(bridgedEth), 0);
        vm.assertEq(vm.getRecordedLogs().length, 5);
    }

    /// @dev One bound at a time: the others keep what the policy manager set.
    function test_ACeilingMovesOnlyWhatIsBeyondIt() public {
        setCeiling(CAPACITY / 2, 1 minutes, HIGHEST);
        (uint256 capacity, uint256 window) = lock.outflowLimit(ETH);
        vm.assertEq(capacity, CAPACITY / 2);
        vm.assertEq(window, WINDOW);
        vm.assertEq(lock.maxAmount(ETH), HIGHEST);
        setCeiling(HIGHEST, 2 * WINDOW, HIGHEST);
        (capacity, window) = lock.outflowLimit(ETH);
        vm.assertEq(capacity, CAPACITY / 2);
        vm.assertEq(window, 2 * WINDOW);
        setCeiling(HIGHEST, 1 minutes, HIGHEST / 2);
        (capacity, window) = lock.outflowLimit(ETH);
        vm.assertEq(capacity, CAPACITY / 2);
        vm.assertEq(window, 2 * WINDOW);
        vm.assertEq(lock.maxAmount(ETH), HIGHEST / 2);
        setCeiling(HIGHEST, 1 minutes, HIGHEST);
        vm.assertEq(lock.maxAmount(ETH), HIGHEST / 2);
    }

    /// @dev A ceiling below the level lets nothing leave until the rest has drained, at the new rate.
    function test_ACeilingBelowWhatIsUsedForgetsNothing() public {
        fund(ETH, 1_000 * U);
        setLimit(lock, ETH, 100 * U, 10 minutes);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80 * U, 0);
        setCeiling(20 * U, 10 minutes, 1_000 * U);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1));
        lock.releaseNative(2, bob, 1, 0);
        // 80 used, 20 drain in ten minutes: after half an hour 20 are left.
        vm.warp(BEGAN + 30 minutes);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        vm.warp(BEGAN + 35 minutes);
        vm.assertEq(lock.outflowRoom(ETH), 10 * U);
        // Raising the ceiling does not restore the limit.
        setCeiling(1_000 * U, 1 minutes, 1_000 * U);
        vm.assertEq(lock.outflowRoom(ETH), 10 * U);
        setLimit(lock, ETH, 100 * U, 10 minutes);
        vm.assertEq(lock.outflowRoom(ETH), 90 * U);
    }

    /// @dev A change moves the clock: the time before it never drains again at the new rate.
    function test_ALimitChangeMovesItsClock() public {
        fund(ETH, 1_000 * U);
        setLimit(lock, ETH, 60 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 60 * U, 0);
        vm.warp(BEGAN + 30);
        setLimit(lock, ETH, 60 * U, 60);
        vm.assertEq(lock.outflowRoom(ETH), 30 * U);
        setCeiling(30 * U, 60, HIGHEST);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        vm.warp(BEGAN + 60);
        vm.assertEq(lock.outflowRoom(ETH), 15 * U);
    }

    /// @dev Other settings do not touch the bucket.
    function test_OtherSettingsDrainNothing() public {
        fund(ETH, 1_000 * U);
        setLimit(lock, ETH, 60 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 60 * U, 0);
        vm.warp(BEGAN + 30);
        vm.prank(policyManager);
        lock.setMaxAmount(ETH, 5 * U);
        setListing(lock, ETH, false, false);
        setListing(lock, ETH, true, true);
        vm.assertEq(lock.outflowRoom(ETH), 30 * U);
        vm.assertEq(lock.maxAmount(ETH), 5 * U);
    }

    function test_ThePolicyManagerStaysWithinTheBounds() public {
        setCeiling(10 * U, 10 minutes, 5 * U);
        expectAbove(11 * U, 10 * U);
        lock.setOutflowLimit(ETH, 11 * U, 10 minutes);
        vm.prank(policyManager);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.WindowBelowFloor.selector, 9 minutes, 10 minutes));
        lock.setOutflowLimit(ETH, 10 * U, 9 minutes);
        expectAbove(6 * U, 5 * U);
        lock.setMaxAmount(ETH, 6 * U);
        vm.startPrank(policyManager);
        lock.setOutflowLimit(ETH, 10 * U, 10 minutes);
        lock.setMaxAmount(ETH, 5 * U);
        lock.setMaxAmount(ETH, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotInUnits.selector, U - 1, U));
        lock.setMaxAmount(ETH, U - 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, bob));
        lock.setMaxAmount(bob, 0);
        vm.stopPrank();
        IBridgeGovernance.Limits memory ceiling = lock.limitCeiling(ETH);
        vm.assertEq(ceiling.capacity, 10 * U);
        vm.assertEq(ceiling.window, 10 minutes);
        vm.assertEq(ceiling.maxAmount, 5 * U);
    }

    function test_ACeilingIsWithinTheStorage() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, bob));
        lock.setLimitCeiling(bob, IBridgeGovernance.Limits(U, 60, U));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotInUnits.selector, U + 1, U));
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(U + 1, 60, U));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotInUnits.selector, U * 2 ** 32, U));
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(U, 60, U * 2 ** 32));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.InvalidWindow.selector, 90));
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(U, 90, U));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.InvalidWindow.selector, 0));
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(U, 0, U));
        vm.stopPrank();
    }

    // -------------------------------------------------------------------------------------------------- Fees

    function test_ALowerFeeCeilingTakesThePolicyAlong() public {
        address token = address(bridgedEth);
        IBridgeMint.FeePolicy memory lower = IBridgeMint.FeePolicy(20, 0.001 ether, 0.005 ether);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.FeeCeilingSet(token, 20, 0.001 ether, 0.005 ether);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.FeePolicySet(token, 20, 0.001 ether, 0.005 ether);
        vm.prank(admin);
        bridgeMint.setFeeCeiling(token, lower);
        vm.assertEq(bridgeMint.quoteFee(token, 0.005 ether), 0.001 ether);
        vm.assertEq(bridgeMint.quoteFee(token, 100 ether), 0.2 ether);
        // Raising the ceiling does not change the policy.
        vm.prank(admin);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(100, 1 ether, 2 ether));
        vm.assertEq(bridgeMint.quoteFee(token, 100 ether), 0.2 ether);
        (uint16 bps, uint96 minFee, uint96 minAmount) = bridgeMint.feeCeiling(token);
        vm.assertTrue(bps == 100 && minFee == 1 ether && minAmount == 2 ether);
    }

    function test_AFeeCeilingMovesOnlyWhatIsBeyondIt() public {
        address token = address(bridgedEth);
        vm.startPrank(admin);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(100, 0.004 ether, 0.009 ether));
        (uint16 bps, uint96 minFee, uint96 minAmount) = bridgeMint.feePolicy(token);
        vm.assertTrue(bps == 25 && minFee == 0.003 ether && minAmount == 0.009 ether);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(100, 0.002 ether, 1 ether));
        (bps, minFee, minAmount) = bridgeMint.feePolicy(token);
        vm.assertTrue(bps == 25 && minFee == 0.002 ether && minAmount == 0.009 ether);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(24, 1 ether, 2 ether));
        vm.stopPrank();
        (bps, minFee, minAmount) = bridgeMint.feePolicy(token);
        vm.assertTrue(bps == 24 && minFee == 0.002 ether && minAmount == 0.009 ether);
    }

    /// @dev Any ceiling.
    function testFuzz_AFeeCeilingLowersWhatIsAboveIt(uint16 bps, uint96 minFee, uint96 more) public {
        bps %= 10_000;
        minFee %= 1 ether;
        uint96 minAmount = minFee + 1 + (more % 1 ether);
        address token = address(bridgedEth);
        vm.prank(admin);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(bps, minFee, minAmount));
        (uint16 newBps, uint96 newFee, uint96 newAmount) = bridgeMint.feePolicy(token);
        vm.assertEq(newBps, bps < 25 ? bps : 25);
        vm.assertEq(newFee, minFee < 0.003 ether ? minFee : 0.003 ether);
        vm.assertEq(newAmount, minAmount < 0.01 ether ? minAmount : 0.01 ether);
        vm.assertTrue(newAmount > newFee);
    }

    /// @dev A fee of 100 % would confiscate the withdrawal. A ceiling allows at most 99.99 %.
    function test_AFeeOfOneHundredPercentIsRefused() public {
        address token = address(bridgedEth);
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.RateTooHigh.selector, 10_000));
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(10_000, 1, 2));
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.MinimumNotAboveFee.selector, 1 ether, 1 ether));
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(1, 1 ether, 1 ether));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, bob));
        bridgeMint.setFeeCeiling(bob, IBridgeMint.FeePolicy(1, 1, 2));
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(9_999, 1 ether, 2 ether));
        vm.stopPrank();
        vm.startPrank(policyManager);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, 10_000, 9_999));
        bridgeMint.setFeePolicy(token, IBridgeMint.FeePolicy(10_000, 0, 1));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, 1 ether + 1, 1 ether));
        bridgeMint.setFeePolicy(token, IBridgeMint.FeePolicy(0, 1 ether + 1, 2 ether));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, 2 ether + 1, 2 ether));
        bridgeMint.setFeePolicy(token, IBridgeMint.FeePolicy(0, 1, 2 ether + 1));
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, bob));
        bridgeMint.setFeePolicy(bob, IBridgeMint.FeePolicy(0, 0, 1));
        bridgeMint.setFeePolicy(token, IBridgeMint.FeePolicy(9_999, 0, 1));
        vm.stopPrank();
        vm.assertEq(bridgeMint.quoteFee(token, 10_000), 9_999);
    }
}
