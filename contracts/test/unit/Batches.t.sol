// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";

/// @dev Batches of releases.
contract BatchesTest is BridgeFixture {
    address private constant ETH = address(0);

    function setUp() public override {
        super.setUp();
        fund(ETH, 10 ether);
        fund(address(usdc), 1_000);
        fund(address(xcn), 10 ether);
    }

    function item(
        uint256 nonce,
        address token,
        uint256 amount,
        uint256 fee
    ) private view returns (IBridgeLock.Payment memory) {
        return IBridgeLock.Payment(nonce, token, bob, amount, fee);
    }

    function batchOf(uint256 count, address token) private view returns (IBridgeLock.Payment[] memory payments) {
        payments = new IBridgeLock.Payment[](count);
        for (uint256 i = 0; i < count; i++) payments[i] = item(i, token, 1, 0);
    }

    function send(IBridgeLock.Payment[] memory payments) private returns (uint256) {
        vm.prank(relayer);
        return lock.releaseMany(payments, noAttestation());
    }

    function expectSkip(uint256 nonce, IBridgeBase.SkipReason reason) private {
        vm.expectEmit(address(lock));
        emit IBridgeBase.Skipped(nonce, reason);
    }

    function test_ABatchPaysEveryAsset() public {
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](3);
        payments[0] = item(7, ETH, 1 ether, 0.1 ether);
        payments[1] = item(8, address(usdc), 100, 1);
        payments[2] = item(300, address(xcn), 2 ether, 0);
        for (uint256 i = 0; i < 3; i++) {
            IBridgeLock.Payment memory payment = payments[i];
            vm.expectEmit(address(lock));
            emit IBridgeLock.Release(
                idOf(PEER_CHAIN, peer, payment.withdrawNonce),
                payment.token,
                bob,
                payment.amount,
                payment.fee
            );
        }
        vm.assertEq(send(payments), 7);
        vm.assertEq(bob.balance, 1 ether);
        vm.assertEq(usdc.balanceOf(bob), 100);
        vm.assertEq(xcn.balanceOf(bob), 2 ether);
        vm.assertEq(lock.feesAccrued(ETH), 0.1 ether);
        vm.assertEq(lock.feesAccrued(address(usdc)), 1);
        vm.assertTrue(lock.isReleased(7) && lock.isReleased(8) && lock.isReleased(300));
    }

    /// @dev Five items, of which one can be paid now.
    function itemsOfEveryReason() private returns (IBridgeLock.Payment[] memory payments) {
        payments = new IBridgeLock.Payment[](6);
        payments[0] = item(0, ETH, 1 ether, 0);
        vm.prank(relayer);
        lock.releaseNative(0, alice, 1, 0);
        payments[1] = item(1, address(bridgedEth), 1, 0);
        payments[2] = item(2, address(usdc), 1, 0);
        setListing(lock, address(usdc), true, false);
        payments[3] = item(3, address(xcn), 2 ether, 1 ether + 1);
        setLimit(lock, address(xcn), 3 ether, WINDOW);
        payments[4] = item(4, ETH, 9 ether, 1 ether);
        payments[5] = item(5, ETH, 1 ether, 0);
    }

    function test_EverySkipHasItsReason() public {
        IBridgeLock.Payment[] memory payments = itemsOfEveryReason();
        expectSkip(0, IBridgeBase.SkipReason.AlreadyDelivered);
        expectSkip(1, IBridgeBase.SkipReason.NotDeliverable);
        expectSkip(2, IBridgeBase.SkipReason.NotDeliverable);
        expectSkip(3, IBridgeBase.SkipReason.OverLimit);
        expectSkip(4, IBridgeBase.SkipReason.FundsShort);
        vm.assertEq(send(payments), 1 << 5);
        vm.assertEq(bob.balance, 1 ether);
    }

    /// @dev No slot, balance or limit changes.
    function test_ASkippedItemWritesNothing() public {
        IBridgeLock.Payment[] memory payments = itemsOfEveryReason();
        assembly ("memory-safe") {
            // Without the last item, which is paid.
            mstore(payments, 5)
        }
        uint256 room = lock.outflowRoom(ETH);
        vm.record();
        vm.assertEq(send(payments), 0);
        (, bytes32[] memory writes) = vm.accesses(address(lock));
        vm.assertEq(writes.length, 0);
        vm.assertEq(lock.outflowRoom(ETH), room);
        vm.assertEq(lock.outflowRoom(address(xcn)), 3 ether);
        vm.assertEq(lock.feesAccrued(ETH) + lock.feesAccrued(address(xcn)), 0);
        vm.assertEq(bob.balance, 0);
        for (uint256 i = 1; i < 5; i++) vm.assertFalse(lock.isReleased(i));
    }

    /// @dev A skip does not use up the item's number.
    function test_ASkippedItemIsDeliveredLater() public {
        IBridgeLock.Payment[] memory payments = itemsOfEveryReason();
        send(payments);
        setListing(lock, address(usdc), true, true);
        setLimit(lock, address(xcn), 4 ether, WINDOW);
        fund(ETH, 10 ether);
        vm.assertEq(send(payments), (1 << 2) | (1 << 3) | (1 << 4));
        vm.assertEq(usdc.balanceOf(bob), 1);
        vm.assertEq(xcn.balanceOf(bob), 2 ether);
        vm.assertEq(bob.balance, 10 ether);
        // And only once.
        vm.assertEq(send(payments), 0);
        vm.assertEq(bob.balance, 10 ether);
    }

    function test_ANumberThatStandsTwiceInABatchIsPaidOnce() public {
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](3);
        payments[0] = item(1, ETH, 1 ether, 0);
        payments[1] = item(1, ETH, 1 ether, 0);
        payments[2] = item(1, address(usdc), 1, 0);
        expectSkip(1, IBridgeBase.SkipReason.AlreadyDelivered);
        expectSkip(1, IBridgeBase.SkipReason.AlreadyDelivered);
        vm.assertEq(send(payments), 1);
        vm.assertEq(bob.balance, 1 ether);
        vm.assertEq(usdc.balanceOf(bob), 0);
    }

    /// @dev Items of one batch share the limit and the collateral.
    function test_ItemsShareLimitAndCollateral() public {
        setLimit(lock, ETH, 2 ether, WINDOW);
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](4);
        payments[0] = item(1, ETH, 1 ether, 0);
        payments[1] = item(2, ETH, 1.5 ether, 0);
        payments[2] = item(3, ETH, 1 ether, 0);
        payments[3] = item(4, ETH, 1, 0);
        expectSkip(2, IBridgeBase.SkipReason.OverLimit);
        expectSkip(4, IBridgeBase.SkipReason.OverLimit);
        vm.assertEq(send(payments), 5);
        payments[0] = item(11, address(usdc), 600, 0);
        payments[1] = item(12, address(usdc), 300, 101);
        payments[2] = item(13, address(usdc), 300, 100);
        payments[3] = item(14, address(usdc), 1, 0);
        expectSkip(12, IBridgeBase.SkipReason.FundsShort);
        expectSkip(14, IBridgeBase.SkipReason.FundsShort);
        vm.assertEq(send(payments), 5);
    }

    function test_ABatchHasAtMostAsManyItemsAsItsBitmapHasBits() public {
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TooManyPayments.selector, 257));
        lock.releaseMany(batchOf(257, address(usdc)), noAttestation());
        vm.assertEq(send(batchOf(256, address(usdc))), type(uint256).max);
        vm.assertEq(usdc.balanceOf(bob), 256);
        vm.assertEq(send(new IBridgeLock.Payment[](0)), 0);
    }

    /// @dev Any failure that is not one of the four skip reasons reverts the whole batch.
    function test_EverythingElseRevertsTheWholeBatch() public {
        ChaoticToken liar = new ChaoticToken();
        list(lock, address(liar), 0);
        fund(address(liar), 100);
        liar.setMode(ChaoticToken.Mode.LiesThatItMoved);
        IBridgeLock.Payment[] memory payments = batchOf(3, ETH);
        payments[1].amount = 0;
        vm.startPrank(relayer);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.releaseMany(payments, noAttestation());
        payments[1] = item(1, address(liar), 10, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.BalanceMismatch.selector, 90, 100));
        lock.releaseMany(payments, noAttestation());
        payments[1] = item(1, ETH, 1, 0);
        (bool done, bytes memory answer) = address(lock).call{gas: 150_000}(
            abi.encodeCall(lock.releaseMany, (payments, noAttestation()))
        );
        vm.assertFalse(done);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(IBridgeBase.InsufficientGas.selector));
        vm.stopPrank();
        vm.prank(guardian);
        lock.pause(false, true);
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseMany(payments, noAttestation());
        vm.assertEq(bob.balance, 0);
        for (uint256 i = 0; i < 3; i++) vm.assertFalse(lock.isReleased(i));
    }

    /// @dev A refused item is credited, and the others are paid.
    function test_ARefusedItemIsCreditedAndTheOthersArePaid() public {
        usdc.setBlocklisted(bob, true);
        IBridgeLock.Payment[] memory payments = batchOf(3, address(usdc));
        payments[0].recipient = alice;
        payments[2].recipient = peer;
        vm.assertEq(send(payments), 7);
        vm.assertEq(usdc.balanceOf(alice), 1);
        vm.assertEq(lock.claimable(address(usdc), bob), 1);
        vm.assertEq(lock.claimable(address(usdc), peer), 1);
        vm.assertEq(lock.totalClaimable(address(usdc)), 2);
        vm.assertEq(lock.locked(address(usdc)), 997);
    }
}
