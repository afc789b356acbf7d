// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IBridge} from "../fixtures/Interfaces.sol";

/// @dev How pauses begin, end and are extended by the admin, on both contracts.
contract PausesTest is BridgeFixture {
    uint256 private constant BEGAN = 1_000_000;
    uint256 private constant WITHOUT_END = 2 ** 32 - 1;

    function setUp() public override {
        super.setUp();
        vm.warp(BEGAN);
    }

    function bridges() private view returns (IBridge[2] memory) {
        return [IBridge(address(lock)), IBridge(address(bridgeMint))];
    }

    function pauseBy(address caller, IBridge bridge, bool beginnings, bool deliveries) private {
        vm.prank(caller);
        bridge.pause(beginnings, deliveries);
    }

    function check(IBridge bridge, uint256 until, bool deliveries, uint256 count) private view {
        (uint256 foundUntil, bool foundDeliveries, uint256 foundCount) = bridge.pauses();
        vm.assertEq(foundUntil, until);
        vm.assertEq(foundDeliveries, deliveries);
        vm.assertEq(foundCount, count);
    }

    /// @dev A guardian cannot stop deposits permanently: the pause ends after exactly seven days.
    function test_AGuardiansPauseOfBeginningsEnds() public {
        pauseBy(guardian, lock, true, true);
        pauseBy(guardian, bridgeMint, true, true);
        vm.deal(alice, 2);
        vm.warp(BEGAN + 7 days - 1);
        vm.assertTrue(lock.depositsPaused() && bridgeMint.burnsPaused());
        vm.prank(alice);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.depositNative{value: 1}(bob);
        vm.warp(BEGAN + 7 days);
        vm.assertFalse(lock.depositsPaused() || bridgeMint.burnsPaused());
        vm.prank(alice);
        lock.depositNative{value: 1}(bob);
        // Deliveries stay paused without a time limit.
        vm.warp(BEGAN + 3_650 days);
        vm.assertTrue(lock.releasesPaused() && bridgeMint.mintsPaused());
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(1, bob, 1, 0);
    }

    function test_TheAdminConfirmsAPause() public {
        IBridge[2] memory both = bridges();
        for (uint256 i = 0; i < 2; i++) {
            pauseBy(guardian, both[i], true, false);
            check(both[i], BEGAN + 7 days, false, 1);
            pauseBy(admin, both[i], true, false);
            check(both[i], WITHOUT_END, false, 2);
            // A guardian's later pause does not shorten the admin's.
            pauseBy(guardian, both[i], true, false);
            check(both[i], WITHOUT_END, false, 3);
        }
        vm.warp(BEGAN + 3_650 days);
        vm.assertTrue(lock.depositsPaused() && bridgeMint.burnsPaused());
    }

    /// @dev A guardian's second pause starts a new period, so a guardian can keep beginnings paused by renewing
    /// publicly.
    function test_ASecondPauseIsCountedFromThen() public {
        pauseBy(guardian, lock, true, false);
        vm.warp(BEGAN + 5 days);
        pauseBy(guardian, lock, true, false);
        check(lock, BEGAN + 12 days, false, 2);
    }

    function test_OnlyTheLastPauseIsLifted() public {
        IBridge[2] memory both = bridges();
        for (uint256 i = 0; i < 2; i++) {
            pauseBy(guardian, both[i], true, true);
            // The admin's call was announced for the first pause. Meanwhile the guardian paused for a new reason.
            pauseBy(guardian, both[i], false, true);
            vm.startPrank(admin);
            vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.PauseCountMismatch.selector, 1, 2));
            both[i].unpause(1, true, true);
            check(both[i], BEGAN + 7 days, true, 2);
            vm.expectEmit(address(both[i]));
            emit IBridgeGovernance.PauseSet(0, true, 2, admin);
            both[i].unpause(2, true, false);
            check(both[i], 0, true, 2);
            both[i].unpause(2, false, true);
            vm.stopPrank();
            check(both[i], 0, false, 2);
        }
    }

    function test_AnUnpauseOfNothingChangesNothing() public {
        pauseBy(guardian, lock, true, true);
        vm.prank(admin);
        lock.unpause(1, false, false);
        check(lock, BEGAN + 7 days, true, 1);
    }

    /// @dev Claims, collections of fees and top-ups are never paused.
    function test_WhatIsOwedIsPaidWhilePaused() public {
        fund(address(usdc), 100);
        usdc.setBlocklisted(bob, true);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 50, 10);
        usdc.setBlocklisted(bob, false);
        pauseBy(admin, lock, true, true);
        vm.prank(bob);
        lock.claim(address(usdc), alice);
        lock.collectFees(address(usdc));
        vm.deal(alice, 1);
        vm.prank(alice);
        lock.topUp{value: 1}();
        vm.assertEq(usdc.balanceOf(alice), 50);
        vm.assertEq(usdc.balanceOf(treasury), 10);
    }
}
