// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IBridgeBase} from "../../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../../src/interfaces/IBridgeMint.sol";
import {IBridgedToken} from "../../../src/interfaces/IBridgedToken.sol";
import {BridgeFixture} from "../../fixtures/BridgeFixture.sol";

/// @dev The relayer's key is stolen (Ronin, Harmony, Orbit): the thief delivers to itself until the guardian pauses.
contract StolenRelayerKeyTest is BridgeFixture {
    address private constant ETH = address(0);
    address private constant THIEF = address(0x7417EF);
    /// @dev As in the local configuration: 100 ETH an hour.
    uint256 private constant LIMIT = 100 ether;
    uint256 private constant BEGAN = 1_000_000;

    function setUp() public override {
        super.setUp();
        vm.warp(BEGAN);
        fund(ETH, 10_000 ether);
        setLimit(lock, ETH, LIMIT, 1 hours);
    }

    /// @dev The highest loss within t seconds is capacity + capacity * t / window. The thief takes all the room once a
    /// minute; the guardian pauses after `minutes_`.
    function testFuzz_TheLossIsCapacityPlusRefillUntilThePause(uint8 minutes_) public {
        uint256 number = 0;
        for (uint256 i = 0; i <= minutes_; i++) {
            vm.warp(BEGAN + i * 60);
            uint256 room = lock.outflowRoom(ETH);
            vm.prank(relayer);
            lock.releaseNative(number++, THIEF, room, 0);
        }
        uint256 most = LIMIT + (LIMIT * minutes_ * 60) / 1 hours;
        vm.assertLe(THIEF.balance, most);
        // The loss reaches the bound, to one unit per minute: the bound is tight.
        vm.assertGe(THIEF.balance, most - (uint256(minutes_) + 1) * LIMIT_UNIT);

        vm.prank(guardian);
        lock.pause(false, true);
        vm.warp(BEGAN + 30 days);
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(number, THIEF, 1, 0);
    }

    /// @dev Ten minutes at 100 ETH an hour: 116.67 ETH of 10,000.
    function test_TheLossOfTenMinutes() public {
        testFuzz_TheLossIsCapacityPlusRefillUntilThePause(10);
        vm.assertLe(THIEF.balance, 116.67 ether);
    }

    /// @dev The same limit applies to mints on the partner chain. Forged mints are worth what the limit on Ethereum
    /// releases.
    function test_ForgedMintsAreLimitedToo() public {
        setLimit(bridgeMint, address(bridgedEth), LIMIT, 1 hours);
        vm.startPrank(relayer);
        bridgeMint.mint(1, address(bridgedEth), THIEF, LIMIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1));
        bridgeMint.mint(2, address(bridgedEth), THIEF, 1);
        vm.stopPrank();
        vm.assertEq(bridgedEth.totalSupply(), LIMIT);
    }

    /// @dev Fees count towards the limit: no more collateral can leave to the treasury.
    function test_FeesAreNoWayAroundTheLimit() public {
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, LIMIT, 1 + LIMIT));
        lock.releaseNative(1, THIEF, 1, LIMIT);
        vm.stopPrank();
    }

    /// @dev The stolen wallet holds tokens that users handed in. Burning them again would pay them twice, eventually
    /// beyond any limit. They cannot leave, before and after the key is replaced.
    function test_WhatWasHandedInCannotBeHandedInAgain() public {
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), alice, 5 ether);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 5 ether, alice, 1 ether);
        bytes memory refusal = abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer);
        for (uint256 i = 0; i < 2; i++) {
            vm.startPrank(relayer);
            vm.expectRevert(refusal);
            bridgedEth.transfer(THIEF, 5 ether);
            bridgedEth.approve(THIEF, 5 ether);
            vm.stopPrank();
            vm.prank(THIEF);
            vm.expectRevert(refusal);
            bridgedEth.transferFrom(relayer, THIEF, 5 ether);
            vm.prank(relayer);
            if (i == 0) vm.expectRevert(IBridgeMint.RelayerCannotBurn.selector);
            else vm.expectRevert(refusal);
            bridgeMint.burn(address(bridgedEth), 5 ether, THIEF, 1 ether);
            if (i > 0) break;
            vm.prank(admin);
            bridgeMint.setRelayer(bob);
        }
    }

    /// @dev Refunds count towards the limit, and the pause stops them. They return only what came by a plain transfer.
    function test_RefundsAreWithinTheLimit() public {
        give(alice, 16 ether);
        vm.startPrank(alice);
        bridgeMint.burn(address(bridgedEth), 8 ether, alice, 1 ether);
        bridgedEth.transfer(relayer, 8 ether);
        vm.stopPrank();
        vm.warp(BEGAN + 1 days);
        setLimit(bridgeMint, address(bridgedEth), 3 ether, 1 hours);
        vm.startPrank(relayer);
        bridgeMint.refund("1", address(bridgedEth), THIEF, 3 ether, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1));
        bridgeMint.refund("2", address(bridgedEth), THIEF, 1, noAttestation());
        vm.warp(BEGAN + 2 days);
        bridgeMint.refund("2", address(bridgedEth), THIEF, 3 ether, noAttestation());
        vm.warp(BEGAN + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.refund("3", address(bridgedEth), THIEF, 3 ether, noAttestation());
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.refund("3", address(bridgedEth), THIEF, 1, noAttestation());
    }

    /// @dev A delivered number is used up, whatever the amount. The thief marks others' numbers, and later ones, for
    /// one wei each. Each takes a whole unit of the limit: that, gas and the pause bound the attack.
    function test_NumbersAreUsedUpForAUnitEach() public {
        markNumbers();
        uint256 markings = 2 + 3 * 256;
        vm.assertEq(lock.outflowRoom(ETH), LIMIT - markings * LIMIT_UNIT);
        // No relayer can deliver these under their numbers.
        vm.startPrank(relayer);
        bytes32 id = idOf(PEER_CHAIN, peer, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, id));
        lock.releaseNative(0, alice, 4 ether, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, id));
        bridgeMint.mint(0, address(bridgedEth), alice, 5 ether);
        IBridgeLock.Intent memory intent = intentOf(alice, 4 ether, "intent");
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOfIntent(intent)));
        lock.releaseIntent(intent, TRANSFER, 0, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, TRANSFER));
        lock.releaseIntent(intentOf(alice, 4 ether, "another"), TRANSFER, 0, noAttestation());
        vm.stopPrank();
        // The pause ends it.
        vm.startPrank(guardian);
        lock.pause(false, true);
        bridgeMint.pause(false, true);
        vm.stopPrank();
        vm.startPrank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(5_000, THIEF, 1, 0);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.mint(5_000, address(bridgedEth), THIEF, 1);
        vm.stopPrank();
    }

    /// @dev The repair: no operation ever has a number of 2^72 or more. The next relayer delivers the owed amounts
    /// under such numbers, within the limit. The collateral is complete.
    function test_WhatWasUsedUpIsPaidUnderANumberThatNothingHas() public {
        uint256 before = address(lock).balance;
        markNumbers();
        vm.assertEq(address(lock).balance, before - 2 - 3 * 256);
        // The guardian does not wait for the admin's delay.
        address next = standby;
        vm.startPrank(guardian);
        lock.activateStandby();
        bridgeMint.activateStandby();
        vm.stopPrank();
        vm.startPrank(next);
        lock.releaseNative(uint256(1) << 72, alice, 4 ether, 0);
        lock.release((uint256(1) << 72) + 1, address(xcn), alice, 4 ether - 1, 0);
        bridgeMint.mint(uint256(1) << 72, address(bridgedEth), alice, 5 ether);
        vm.assertEq(alice.balance, 4 ether);
        vm.assertEq(xcn.balanceOf(alice), 4 ether);
        vm.assertEq(bridgedEth.balanceOf(alice), 1 ether + 5 ether);
        // Handed-in tokens are not refunded. They are retired, and the same amount may be minted.
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, next, 0, 4 ether));
        bridgeMint.refund("1", address(bridgedEth), alice, 4 ether, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.refundOf("1", relayer, address(bridgedEth), alice, 4 ether, noAttestation());
        uint256 supply = bridgedEth.totalSupply();
        bridgeMint.retireOf(relayer, address(bridgedEth), 4 ether);
        bridgeMint.mint((uint256(1) << 72) + 1, address(bridgedEth), alice, 4 ether);
        vm.stopPrank();
        vm.assertEq(bridgedEth.totalSupply(), supply);
        vm.assertEq(bridgedEth.balanceOf(alice), 10 ether);
    }

    /// @dev The key grants no other function.
    function test_TheKeyGovernsNothing() public {
        bytes[11] memory calls = [
            abi.encodeCall(lock.setRelayer, (THIEF)),
            abi.encodeCall(lock.setStandby, (THIEF)),
            abi.encodeCall(lock.activateStandby, ()),
            abi.encodeCall(lock.setGuardian, (THIEF)),
            abi.encodeCall(lock.setPolicyManager, (THIEF)),
            abi.encodeCall(lock.setAttesters, (new address[](0), 0)),
            abi.encodeCall(lock.setOutflowLimit, (ETH, HIGHEST, 60)),
            abi.encodeCall(lock.unpause, (0, true, true)),
            abi.encodeCall(lock.setListing, (ETH, true, true)),
            abi.encodeCall(lock.setTreasury, (THIEF)),
            abi.encodeCall(lock.transferOwnership, (THIEF))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(relayer);
            (bool done, ) = address(lock).call(calls[i]);
            vm.assertFalse(done);
        }
    }

    /// @dev Alice has withdrawn 4 ETH and an intent of 4 XCN, and deposited 5 ETH: each has number 0, and none is
    /// delivered. The thief uses these and some hundred later numbers up, for one wei each. The recipient of an intent
    /// is part of its id, so alice gets the wei and the fee takes the rest.
    function markNumbers() private {
        fund(address(xcn), 10 ether);
        vm.prank(relayer);
        bridgeMint.mint(1_000_000, address(bridgedEth), alice, 5 ether);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 4 ether, alice, 1 ether);
        vm.startPrank(relayer);
        lock.releaseNative(0, THIEF, 1, 0);
        bridgeMint.mint(0, address(bridgedEth), THIEF, 1);
        lock.releaseIntent(intentOf(alice, 4 ether, "intent"), TRANSFER, 4 ether - 1, noAttestation());
        for (uint256 i = 0; i < 3 * 256; i++) lock.releaseNative(4_096 + i, THIEF, 1, 0);
        lock.releaseNative(type(uint72).max, THIEF, 1, 0);
        vm.stopPrank();
    }
}
