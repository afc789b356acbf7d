// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../../fixtures/BridgeFixture.sol";
import {IBridge, IOwnable} from "../../fixtures/Interfaces.sol";

/// @dev A stolen relayer key uses up numbers and ids with payments of one unit. The admin reopens them, and they are
/// delivered with their own terms.
contract UsedUpNumbersTest is BridgeFixture {
    bytes32 private constant REFUND = "refund";

    function setUp() public override {
        super.setUp();
        fund(address(0), 100 ether);
    }

    /// @dev Two numbers of one word are reopened; one that the honest relayer paid stays used up.
    function test_OpenedNumbersAreDeliveredOnce() public {
        release(256, 1);
        release(257, 1);
        release(511, 1 ether);
        pauseDeliveries(lock);
        vm.expectEmit(address(lock));
        emit IBridgeBase.Reopened(1, 3, 0);
        vm.prank(admin);
        lock.reopen(1, 3, 0);
        unpause(lock, true, true);
        for (uint256 i = 256; i < 258; i++) {
            vm.assertFalse(lock.isReleased(i));
            release(i, 2 ether);
            vm.assertTrue(lock.isReleased(i));
        }
        vm.assertTrue(lock.isReleased(511));
        vm.prank(relayer);
        vm.expectPartialRevert(IBridgeBase.AlreadyDelivered.selector);
        lock.releaseNative(256, alice, 2 ether, 0);
    }

    /// @dev The same call, announced twice, does not reopen what was paid in between.
    function test_AnAnnouncementOpensOnce() public {
        release(0, 1);
        pauseDeliveries(lock);
        vm.prank(admin);
        lock.reopen(0, 1, 0);
        unpause(lock, true, true);
        release(0, 2 ether);
        pauseDeliveries(lock);
        bytes memory refusal = abi.encodeWithSelector(
            IBridgeBase.ReopeningMismatch.selector,
            bytes32(0),
            uint256(0),
            uint256(1)
        );
        vm.startPrank(admin);
        vm.expectRevert(refusal);
        lock.reopen(0, 1, 0);
        lock.reopen(0, 1, 1);
        vm.stopPrank();
    }

    /// @dev An intent on Ethereum and a refund on the partner chain.
    function test_OpenedIdsArePaidOnce() public {
        bytes32[] memory ids = new bytes32[](1);
        uint256[] memory counts = new uint256[](1);
        ids[0] = REFUND;
        give(alice, 3 ether);
        vm.prank(alice);
        bridgedEth.transfer(relayer, 2 ether);
        refund(1);
        pauseDeliveries(bridgeMint);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeBase.IdReopened(REFUND, 0);
        vm.startPrank(admin);
        bridgeMint.reopenIds(ids, counts);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.ReopeningMismatch.selector, REFUND, uint256(0), uint256(1)));
        bridgeMint.reopenIds(ids, counts);
        counts[0] = 1;
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotUsedUp.selector, REFUND));
        bridgeMint.reopenIds(ids, counts);
        vm.stopPrank();
        vm.assertFalse(bridgeMint.isRefunded(REFUND));
        unpause(bridgeMint, true, true);
        refund(1 ether);
        vm.assertTrue(bridgeMint.isRefunded(REFUND));

        IBridgeLock.Intent memory intent = intentOf(bob, 1 ether, "nonce");
        ids = new bytes32[](2);
        (ids[0], ids[1]) = (idOfIntent(intent), TRANSFER);
        counts = new uint256[](2);
        fund(address(xcn), 10 ether);
        releaseIntent(intent);
        pauseDeliveries(lock);
        vm.prank(admin);
        lock.reopenIds(ids, counts);
        vm.assertFalse(lock.isIntentReleased(ids[0]));
        vm.assertFalse(lock.isIntentReleased(TRANSFER));
        unpause(lock, true, true);
        releaseIntent(intent);
        vm.assertTrue(lock.isIntentReleased(ids[0]));
    }

    /// @dev Refuses any account except the admin, running deliveries, numbers that are not used up, and an empty mask.
    function test_NothingElseOpens() public {
        release(5, 1);
        bytes32[] memory ids = new bytes32[](1);
        address[4] memory callers = [guardian, policyManager, relayer, alice];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory refusal = abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, callers[i]);
            vm.startPrank(callers[i]);
            vm.expectRevert(refusal);
            lock.reopen(0, 32, 0);
            vm.expectRevert(refusal);
            lock.reopenIds(ids, new uint256[](1));
            vm.stopPrank();
        }
        vm.startPrank(admin);
        vm.expectRevert(IBridgeBase.DeliveriesNotPaused.selector);
        lock.reopen(0, 32, 0);
        vm.expectRevert(IBridgeBase.DeliveriesNotPaused.selector);
        lock.reopenIds(ids, new uint256[](1));
        lock.pause(true, true);
        uint256[3] memory masks = [uint256(0), 64, 96];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotUsedUp.selector, bytes32(0)));
            lock.reopen(0, masks[i], 0);
        }
        (bool done, ) = address(lock).call(abi.encodeCall(lock.reopenIds, (ids, new uint256[](0))));
        vm.stopPrank();
        vm.assertFalse(done);
        vm.assertTrue(lock.isReleased(5));
    }

    function release(uint256 number, uint256 amount) private {
        vm.prank(relayer);
        lock.releaseNative(number, alice, amount, 0);
    }

    function releaseIntent(IBridgeLock.Intent memory intent) private {
        vm.prank(relayer);
        lock.releaseIntent(intent, TRANSFER, 0, noAttestation());
    }

    function refund(uint256 amount) private {
        vm.prank(relayer);
        bridgeMint.refund(REFUND, address(bridgedEth), alice, amount, noAttestation());
    }

    function pauseDeliveries(IBridge end) private {
        vm.prank(guardian);
        end.pause(false, true);
    }
}
