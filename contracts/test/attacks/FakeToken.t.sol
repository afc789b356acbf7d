// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev A worthless token is treated as a valuable one (Multichain's phantom permit, Meter's wrapped coin, THORChain's
/// router).
contract FakeTokenTest is BridgeFixture {
    ChaoticToken private fake;

    function setUp() public override {
        super.setUp();
        fake = new ChaoticToken();
        fake.mint(bob, 1_000);
    }

    function test_AFakeTokenIsNotDeposited() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(fake));
        vm.startPrank(bob);
        fake.approve(address(lock), 1_000);
        vm.expectRevert(refusal);
        lock.deposit(address(fake), 1_000, bob);
        vm.expectRevert(refusal);
        lock.depositWithPermit(address(fake), 1_000, bob, block.timestamp, 27, bytes32(0), bytes32(0));
        vm.stopPrank();
        vm.assertEq(lock.depositNonce(), 0);
    }

    /// @dev Neither another bridge's token nor the thief's can be burnt.
    function test_AFakeBridgedTokenIsNotBurnt() public {
        vm.startPrank(bob);
        IBridgedToken own = newToken("Bridged Ether", "ETH", 18, bob);
        own.mint(bob, 1_000 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(own)));
        bridgeMint.burn(address(own), 1_000 ether, bob, 1_000 ether);
        vm.stopPrank();
        vm.assertEq(bridgeMint.withdrawNonce(), 0);
    }

    /// @dev A listed token turns malicious after an upgrade. In every known mode, a transfer that it only claims to
    /// have made is not a deposit, and it cannot reach the collateral of other tokens.
    function test_AListedTokenThatTurnsBadDepositsNothing() public {
        list(lock, address(fake), 0);
        fund(address(usdc), 500);
        // The token has everything that a deposit needs, so that only the guard refuses it.
        fake.mint(address(fake), 10);
        vm.prank(address(fake));
        fake.approve(address(lock), 10);
        vm.startPrank(bob);
        for (uint8 mode = 1; mode <= uint8(type(ChaoticToken.Mode).max); mode++) {
            ChaoticToken.Mode bad = ChaoticToken.Mode(mode);
            // USDT returns no value and still moves tokens. An extra charge to the sender harms only that holder.
            if (bad == ChaoticToken.Mode.ReturnsNothing || bad == ChaoticToken.Mode.TakesMoreFromTheSender) continue;
            fake.setMode(bad);
            fake.setBlocked(bob, true);
            fake.setAttack(address(lock), 0, abi.encodeCall(lock.deposit, (address(fake), 10, bob)));
            fake.approve(address(lock), 30);
            (bool done, ) = address(lock).call{gas: 500_000}(abi.encodeCall(lock.deposit, (address(fake), 10, bob)));
            vm.assertEq(done, bad == ChaoticToken.Mode.Reenters);
            bool guarded = fake.outcome() == ReentrantAttacker.Outcome.Guarded;
            vm.assertEq(guarded, bad == ChaoticToken.Mode.Reenters);
        }
        vm.stopPrank();
        // The token that re-entered made one deposit, not two.
        vm.assertEq(lock.depositNonce(), 2);
        vm.assertEq(fake.balanceOf(address(lock)), 10);
        vm.assertEq(usdc.balanceOf(address(lock)), 500);
        vm.assertEq(lock.locked(address(usdc)), 500);
    }

    /// @dev A payment by a malicious token arrives as stated, or the delivery reverts: never twice, never from other
    /// collateral.
    function test_AListedTokenThatTurnsBadIsNotPaidTwice() public {
        list(lock, address(fake), 0);
        fake.mint(alice, 1_000);
        vm.startPrank(alice);
        fake.approve(address(lock), 1_000);
        lock.deposit(address(fake), 1_000, bob);
        vm.stopPrank();
        ChaoticToken.Mode[3] memory modes = [
            ChaoticToken.Mode.LiesThatItMoved,
            ChaoticToken.Mode.MovesAndReturnsFalse,
            ChaoticToken.Mode.TakesMoreFromTheSender
        ];
        for (uint256 i = 0; i < modes.length; i++) {
            fake.setMode(modes[i]);
            vm.prank(relayer);
            (bool done, ) = address(lock).call(abi.encodeCall(lock.release, (i, address(fake), bob, 100, 0)));
            vm.assertFalse(done);
            vm.assertFalse(lock.isReleased(i));
        }
        vm.assertEq(fake.balanceOf(address(lock)), 1_000);
        vm.assertEq(lock.claimable(address(fake), bob), 0);
    }
}
