// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {OutflowLimit} from "../../src/bridge/OutflowLimit.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

contract OutflowLimitTest is BridgeFixture {
    address private constant ETH = address(0);

    function limit(uint128 capacity, uint32 window) private {
        vm.expectEmit(address(lock));
        emit IBridgeEnd.OutflowLimitSet(ETH, capacity, window);
        vm.prank(policyManager);
        lock.setOutflowLimit(ETH, capacity, window);
    }

    function refuseLimit(uint128 capacity, uint32 window) private {
        vm.prank(policyManager);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.setOutflowLimit(ETH, capacity, window);
    }

    function expectOverLimit(uint256 room, uint256 asked) private {
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.OutflowLimitExceeded.selector, room, asked));
    }

    function test_OutflowIsLimitedAndRefills() public {
        fund(ETH, 1_000);
        limit(100, 100);
        vm.startPrank(relayer);
        lock.releaseNative(1, bob, 70, 10);
        vm.assertEq(lock.outflowRoom(ETH), 20);
        expectOverLimit(20, 21);
        lock.releaseNative(2, bob, 21, 0);
        // The fee counts too. Otherwise a relayer could turn collateral into fees beyond the limit.
        expectOverLimit(20, 21);
        lock.releaseNative(2, bob, 1, 20);
        vm.warp(block.timestamp + 30);
        vm.assertEq(lock.outflowRoom(ETH), 50);
        lock.releaseNative(2, bob, 50, 0);
        vm.warp(block.timestamp + 1_000);
        vm.assertEq(lock.outflowRoom(ETH), 100);
        vm.stopPrank();
    }

    function test_MintsAreLimitedToo() public {
        vm.prank(policyManager);
        bridgeMint.setOutflowLimit(address(bridgedEth), 5 ether, 100);
        vm.startPrank(relayer);
        bridgeMint.mint(1, address(bridgedEth), bob, 4 ether);
        expectOverLimit(1 ether, 1 ether + 1);
        bridgeMint.mint(2, address(bridgedEth), bob, 1 ether + 1);
        bridgeMint.mint(2, address(bridgedEth), bob, 1 ether);
        vm.stopPrank();
        vm.assertEq(bridgeMint.outflowRoom(address(bridgedEth)), 0);
    }

    function test_AnOutflowOfPartOfAUnitCountsAsAWholeOne() public {
        fund(ETH, 100 ether);
        // 100 ether are 10^12 units of 10^8 wei.
        limit(100 ether, 100);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, 0);
        vm.assertEq(lock.outflowRoom(ETH), 100 ether - 1e8);
        vm.prank(relayer);
        expectOverLimit(100 ether - 1e8, 100 ether - 1e8 + 1);
        lock.releaseNative(2, bob, 100 ether - 1e8 + 1, 0);
    }

    function test_ALowerLimitKeepsWhatHasLeft() public {
        fund(ETH, 1_000);
        limit(100, 100);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80, 0);
        limit(50, 100);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        vm.prank(relayer);
        expectOverLimit(0, 1);
        lock.releaseNative(2, bob, 1, 0);
        // 80 have left. At the new rate 40 of them drain in 80 seconds.
        vm.warp(block.timestamp + 80);
        vm.assertEq(lock.outflowRoom(ETH), 10);
    }

    function test_ALimitThatIsLoweredAndRaisedAgainForgetsNothing() public {
        fund(ETH, 1_000 ether);
        limit(100 ether, 100);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80 ether, 0);
        limit(0, 100);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        limit(100 ether, 100);
        vm.assertEq(lock.outflowRoom(ETH), 20 ether);
        limit(1 ether, 100);
        vm.assertEq(lock.outflowRoom(ETH), 0);
        limit(100 ether, 100);
        vm.assertEq(lock.outflowRoom(ETH), 20 ether);
        // 80 ether and this many digits do not fit one unit of 40 bits.
        refuseLimit(123_456_789_012, 100);
    }

    function test_AHigherLimitKeepsWhatHasLeftInItsOwnUnits() public {
        fund(ETH, 1_000);
        limit(100, 100);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 80, 0);
        limit(1 ether, 100);
        // 80 wei are part of a unit of 10^6 wei.
        vm.assertEq(lock.outflowRoom(ETH), 1 ether - 1e6);
        limit(0, 100);
        vm.assertEq(lock.outflowRoom(ETH), 0);
    }

    function test_LimitsOutOfRangeAreRefused() public {
        refuseLimit(1, 0);
        refuseLimit(1, uint32(type(uint24).max) + 1);
        // Too many digits to store exactly, and too large to add up.
        refuseLimit(1_234_567_890_123, 1);
        refuseLimit(1e29, 1);
        limit(1_234_567_890_120, type(uint24).max);
    }

    function test_ATokenWithoutALimitDoesNotLeave() public {
        vm.prank(admin);
        lock.setToken(address(this), true, 0);
        vm.prank(relayer);
        expectOverLimit(0, 1);
        lock.release(1, address(this), bob, 1, 0);
    }

    function testFuzz_EveryNumberOfTwelveDigitsIsKeptExactly(uint40 digits, uint8 exponent) public {
        uint128 capacity = uint128((uint256(digits) % 1e12) * 10 ** (exponent % 17));
        limit(capacity, 60);
        (uint128 kept, uint32 window) = lock.outflowLimit(ETH);
        vm.assertEq(kept, capacity);
        vm.assertEq(window, 60);
        vm.assertEq(lock.outflowRoom(ETH), capacity);
    }

    function testFuzz_ASplitIsExactAndSmallest(uint128 capacity, uint128 left) public pure {
        (bool exact, uint40 units, uint40 used, uint8 exponent) = OutflowLimit.split(capacity, left);
        if (!exact) {
            vm.assertTrue(capacity > type(uint40).max || left > type(uint40).max);
            return;
        }
        uint256 unit = 10 ** exponent;
        vm.assertEq(units * unit, capacity);
        vm.assertTrue(used * unit >= left && used * unit < uint256(left) + unit);
        vm.assertTrue(exponent == 0 || uint256(units) * 10 > type(uint40).max || uint256(used) * 10 > type(uint40).max);
    }

    function testFuzz_TheLevelNeverGrowsByWaiting(
        uint40 used,
        uint40 capacity,
        uint24 window,
        uint32 wait,
        uint32 more
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
        fund(ETH, type(uint96).max);
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
        vm.assertLe(left, 1e18 + (1e18 * (time - began)) / 1_000);
    }

    function test_FeesAndCreditsCannotOutgrowTheirCounter() public {
        uint128 most = 79_228_162_514_200_000_000_000_000_000;
        fund(ETH, 2 * uint256(most));
        limit(most, 1);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, most - 1e18);
        vm.warp(block.timestamp + 2);
        vm.prank(relayer);
        vm.expectRevert(IBridgeEnd.ReserveOverflow.selector);
        lock.releaseNative(2, bob, 1, most - 1e18);
        lock.collectFees(ETH);
        vm.prank(relayer);
        lock.releaseNative(2, bob, 1, most - 1e18);
    }
}
