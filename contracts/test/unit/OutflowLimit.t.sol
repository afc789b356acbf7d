// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {OutflowLimit} from "../../src/libraries/OutflowLimit.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Limits count in units of 10^15 wei here: U.
contract OutflowLimitTest is BridgeFixture {
    address private constant ETH = address(0);
    uint256 private constant U = 1e15;
    uint256 private constant BEGAN = 1_000_000;

    function setUp() public override {
        super.setUp();
        vm.warp(BEGAN);
    }

    function limit(uint256 capacity, uint256 window) private {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.OutflowLimitSet(ETH, capacity, window);
        setLimit(lock, ETH, capacity, window);
    }

    function refuseLimit(uint256 capacity, uint256 window, bytes memory refusal) private {
        vm.prank(policyManager);
        vm.expectRevert(refusal);
        lock.setOutflowLimit(ETH, capacity, window);
    }

    function expectOverLimit(uint256 room, uint256 asked) private {
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, room, asked));
    }

    function test_OutflowIsLimitedAndRefills() public {
        fund(ETH, 1_000 * U);
        limit(100 * U, 60);
        vm.startPrank(relayer);
        lock.releaseNative(1, bob, 60 * U, 20 * U);
        vm.assertEq(lock.outflowRoom(ETH), 20 * U);
        expectOverLimit(20 * U, 20 * U + 1);
        lock.releaseNative(2, bob, 20 * U + 1, 0);
        // The fee counts too. Otherwise a relayer could turn collateral into fees beyond the limit.
        expectOverLimit(20 * U, 21 * U);
        lock.releaseNative(2, bob, 1 * U, 20 * U);
        vm.warp(BEGAN + 30);
        vm.assertEq(lock.outflowRoom(ETH), 70 * U);
        lock.releaseNative(2, bob, 70 * U, 0);
        vm.warp(BEGAN + 1_000);
        vm.assertEq(lock.outflowRoom(ETH), 100 * U);
        vm.stopPrank();
    }

    function test_MintsAreLimitedToo() public {
        setLimit(bridgeMint, address(bridgedEth), 5 ether, 60);
        vm.startPrank(relayer);
        bridgeMint.mint(1, address(bridgedEth), bob, 4 ether);
        expectOverLimit(1 ether, 1 ether + 1);
        bridgeMint.mint(2, address(bridgedEth), bob, 1 ether + 1);
        bridgeMint.mint(2, address(bridgedEth), bob, 1 ether);
        vm.stopPrank();
        vm.assertEq(bridgeMint.outflowRoom(address(bridgedEth)), 0);
    }

    function test_UnitsAreRoundedUp() public pure {
        vm.assertEq(OutflowLimit.ceilDiv(0, 10), 0);
        vm.assertEq(OutflowLimit.ceilDiv(1, 10), 1);
        vm.assertEq(OutflowLimit.ceilDiv(10, 10), 1);
        vm.assertEq(OutflowLimit.ceilDiv(11, 10), 2);
    }

    function test_AnOutflowOfPartOfAUnitCountsAsAWholeOne() public {
        fund(ETH, 100 * U);
        limit(100 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, 0);
        vm.assertEq(lock.outflowRoom(ETH), 99 * U);
        vm.prank(relayer);
        expectOverLimit(99 * U, 99 * U + 1);
        lock.releaseNative(2, bob, 99 * U + 1, 0);
    }

    function test_ALowerLimitKeepsWhatHasLeft() public {
        fund(ETH, 1_000 * U);
        limit(100 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80 * U, 0);
        limit(50 * U, 60);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        vm.prank(relayer);
        expectOverLimit(0, 1);
        lock.releaseNative(2, bob, 1, 0);
        // 80 have left. At the new rate 40 of them drain in 48 seconds.
        vm.warp(BEGAN + 48);
        vm.assertEq(lock.outflowRoom(ETH), 10 * U);
    }

    function test_ALimitThatIsLoweredAndRaisedAgainForgetsNothing() public {
        fund(ETH, 1_000 * U);
        limit(100 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80 * U, 0);
        limit(0, 60);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        limit(100 * U, 60);
        vm.assertEq(lock.outflowRoom(ETH), 20 * U);
    }

    /// @dev The bucket drains at the old rate before a change, and at the new rate after it.
    function test_AChangeSettlesThePastAtTheOldRate() public {
        fund(ETH, 1_000 * U);
        limit(60 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 60 * U, 0);
        vm.warp(BEGAN + 30);
        // 30 have drained. Ten times the rate must not count for the past.
        limit(600 * U, 60);
        vm.assertEq(lock.outflowRoom(ETH), 570 * U);
        vm.warp(BEGAN + 32);
        vm.assertEq(lock.outflowRoom(ETH), 590 * U);
        limit(60 * U, 600);
        vm.assertEq(lock.outflowRoom(ETH), 50 * U);
        vm.warp(BEGAN + 42);
        vm.assertEq(lock.outflowRoom(ETH), 51 * U);
    }

    /// @dev The same for a change of only the window, which also changes the rate.
    function test_AChangeOfOnlyTheWindowSettlesThePastAtTheOldRate() public {
        fund(ETH, 1_000 * U);
        limit(60 * U, 60);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 60 * U, 0);
        vm.warp(BEGAN + 30);
        limit(60 * U, 600);
        vm.assertEq(lock.outflowRoom(ETH), 30 * U);
        vm.warp(BEGAN + 50);
        vm.assertEq(lock.outflowRoom(ETH), 32 * U);
        limit(60 * U, 60);
        vm.assertEq(lock.outflowRoom(ETH), 32 * U);
        vm.warp(BEGAN + 58);
        vm.assertEq(lock.outflowRoom(ETH), 40 * U);
    }

    function test_LimitsOutOfRangeAreRefused() public {
        uint256[4] memory windows = [uint256(0), 59, 61, 65_536 minutes];
        for (uint256 i = 0; i < 4; i++) {
            refuseLimit(U, windows[i], abi.encodeWithSelector(IBridgeGovernance.InvalidWindow.selector, windows[i]));
        }
        refuseLimit(U + 1, 60, abi.encodeWithSelector(IBridgeGovernance.NotInUnits.selector, U + 1, U));
        uint256 tooMany = (1 << 32) * U;
        refuseLimit(tooMany, 60, abi.encodeWithSelector(IBridgeGovernance.NotInUnits.selector, tooMany, U));
        uint256 more = HIGHEST + U;
        refuseLimit(more, 60, abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, more, HIGHEST));
        limit(HIGHEST, 65_535 minutes);
        vm.prank(admin);
        lock.setLimitCeiling(ETH, IBridgeGovernance.Limits(HIGHEST, 120, HIGHEST));
        refuseLimit(U, 60, abi.encodeWithSelector(IBridgeGovernance.WindowBelowFloor.selector, 60, 120));
        vm.prank(policyManager);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, address(this)));
        lock.setOutflowLimit(address(this), U, 60);
    }

    /// @dev A capacity of zero lets nothing leave, and the smallest amount is above it.
    function test_ATokenWithoutCapacityDoesNotLeave() public {
        fund(ETH, 1);
        limit(0, 60);
        vm.prank(relayer);
        expectOverLimit(0, 1);
        lock.releaseNative(1, bob, 1, 0);
    }

    function testFuzz_EveryLimitIsKeptExactly(uint32 units, uint16 windowMinutes) public {
        vm.assume(windowMinutes != 0);
        uint256 capacity = uint256(units) * U;
        if (capacity > HIGHEST) capacity = HIGHEST;
        limit(capacity, uint256(windowMinutes) * 60);
        (uint256 kept, uint256 window) = lock.outflowLimit(ETH);
        vm.assertEq(kept, capacity);
        vm.assertEq(window, uint256(windowMinutes) * 60);
        vm.assertEq(lock.outflowRoom(ETH), capacity);
    }

    function testFuzz_TheLevelNeverGrowsByWaiting(
        uint32 used,
        uint32 capacity,
        uint16 window,
        uint16 wait,
        uint16 more
    ) public pure {
        uint256 sooner = OutflowLimit.level(used, 0, capacity, window, wait);
        uint256 later = OutflowLimit.level(used, 0, capacity, window, uint256(wait) + more);
        vm.assertLe(sooner, used);
        vm.assertLe(later, sooner);
    }

    function testFuzz_InNoSpanMoreLeavesThanCapacityPlusRefill(
        uint64[8] calldata amounts,
        uint16[8] calldata pauses
    ) public {
        fund(ETH, 1_000 ether);
        limit(1 ether, 960);
        uint256 left = 0;
        // A constant: the optimizer may read block.timestamp again after a warp.
        uint256 time = BEGAN;
        for (uint256 i = 0; i < 8; i++) {
            time += pauses[i] % 500;
            vm.warp(time);
            uint256 amount = uint256(amounts[i]) % 1 ether;
            vm.prank(relayer);
            (bool released, ) = address(lock).call(abi.encodeCall(lock.releaseNative, (i, bob, amount, 0)));
            if (released) left += amount;
        }
        vm.assertLe(left, 1 ether + (1 ether * (time - BEGAN)) / 960);
    }

    function test_FeesAndCreditsCannotOutgrowTheirCounter() public {
        // With units of 10^18 a limit covers more than 2^96.
        IBridgeGovernance.TokenSetup memory setup_ = listing(address(usdc), 0);
        setup_.token = address(bridgedEth);
        setup_.unitExponent = 20;
        vm.prank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ExponentTooLarge.selector, 20));
        lock.listToken(setup_);
        // Reaching the counter would take 20,000 releases of the largest fee, so the test sets the token's state
        // instead.
        uint256 most = type(uint96).max;
        fund(ETH, 10 * U);
        bytes32 slot = stateSlot(ETH);
        uint256 word = uint256(vm.load(address(lock), slot));
        vm.store(address(lock), slot, bytes32((word & ~most) | (most - 5)));
        vm.deal(address(lock), most * 2);
        vm.startPrank(relayer);
        vm.expectRevert(IBridgeBase.ReserveOverflow.selector);
        lock.releaseNative(2, bob, 1, 6);
        lock.releaseNative(2, bob, 1, 5);
        vm.stopPrank();
        vm.assertEq(lock.feesAccrued(ETH), most);
    }

    /// @dev The slot of the token's state, whose lowest 96 bits are its fees and credits.
    function stateSlot(address token) private returns (bytes32) {
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, 777);
        for (uint256 position = 0; position < 32; position++) {
            bytes32 slot = keccak256(abi.encode(token, position));
            if (uint96(uint256(vm.load(address(lock), slot))) == 777) return slot;
        }
        revert("no slot");
    }
}
