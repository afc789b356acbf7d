// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../../src/interfaces/IBridgeBase.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev A stolen admin key reopens a number that was paid. Only the relayer can pay it again, and never does: the
/// relayer's simulation also reopens paid numbers.
contract ReopenedPaidTest is OfficesFixture {
    uint256 private constant PAID = 7;

    function setUp() public override {
        super.setUp();
        deposit(1_000 ether);
        pay(PAID);
    }

    /// @dev Announced two days before, executed while deliveries are paused, with an event that names each number.
    function test_AnOpeningPaysNobodyAndIsSeen() public {
        bytes memory opening = abi.encodeCall(bridge.reopen, (0, 1 << PAID, 0));
        schedule(address(bridge), opening);
        vm.warp(BEGAN + DELAY - 1);
        vm.assertFalse(tryExecute(owner, address(bridge), opening));
        vm.warp(BEGAN + DELAY);
        // Deliveries run, so the thief must pause them, which every watcher sees.
        vm.assertFalse(tryExecute(owner, address(bridge), opening));
        execute(address(bridge), abi.encodeCall(bridge.pause, (false, true)));
        vm.expectEmit(address(bridge));
        emit IBridgeBase.Reopened(0, 1 << PAID, 0);
        vm.assertTrue(tryExecute(owner, address(bridge), opening));
        vm.assertEq(alice.balance, 1 ether);
        vm.assertEq(address(bridge).balance, 999 ether);
        address[4] memory others = [owner, guardian, thief, alice];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory again = abi.encodeCall(bridge.releaseNative, (PAID, alice, 1 ether, 0));
            vm.assertFalse(tryCall(others[i], address(bridge), again));
        }
    }

    function pay(uint256 number) private {
        vm.prank(relayer);
        bridge.releaseNative(number, alice, 1 ether, 0);
    }
}
