// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {SilentToken} from "../mocks/HostileTokens.sol";

contract ReleasesTest is BridgeFixture {
    function delivered(uint256 nonce) private view returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, nonce));
    }

    function test_SilentTokenWorksBothWays() public {
        SilentToken token = new SilentToken();
        list(lock, address(token), 0);
        token.mint(alice, 10);
        vm.startPrank(alice);
        token.approve(address(lock), 10);
        lock.deposit(address(token), 10, bob);
        vm.stopPrank();
        vm.prank(relayer);
        lock.release(0, address(token), bob, 9, 1);
        vm.assertEq(token.balanceOf(bob), 9);
        vm.assertEq(lock.feesAccrued(address(token)), 1);
    }

    function test_ReleasePaysKeepsFeeAndMarksTheNumber() public {
        fund(address(usdc), 1_000);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(idOf(PEER_CHAIN, peer, 7), address(usdc), bob, 90, 10);
        vm.prank(relayer);
        lock.release(7, address(usdc), bob, 90, 10);
        vm.assertEq(usdc.balanceOf(bob), 90);
        vm.assertEq(lock.feesAccrued(address(usdc)), 10);
        vm.assertEq(lock.locked(address(usdc)), 900);
        vm.assertTrue(lock.isReleased(7));
        vm.assertFalse(lock.isReleased(6));
        vm.prank(relayer);
        vm.expectRevert(delivered(7));
        lock.release(7, address(usdc), bob, 90, 10);
        // The number is used up for every asset.
        fund(address(0), 1 ether);
        vm.prank(relayer);
        vm.expectRevert(delivered(7));
        lock.releaseNative(7, bob, 90, 10);
    }

    function testFuzz_ANumberIsReleasedOnce(uint256 nonce, uint256 other) public {
        vm.assume(nonce != other);
        fund(address(0), 10);
        vm.prank(relayer);
        lock.releaseNative(nonce, bob, 1, 0);
        vm.assertTrue(lock.isReleased(nonce));
        vm.assertFalse(lock.isReleased(other));
        vm.prank(relayer);
        vm.expectRevert(delivered(nonce));
        lock.releaseNative(nonce, bob, 1, 0);
    }

    // ----------------------------------------------------------------------------------------------- Intents

    function test_ReleaseIntentPaysXcnOnce() public {
        fund(address(xcn), 100e10);
        IBridgeLock.Intent memory intent = intentOf(bob, 65, "one");
        bytes32 id = idOfIntent(intent);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(id, address(xcn), bob, 60, 5);
        vm.prank(relayer);
        lock.releaseIntent(intent, TRANSFER, 5, noAttestation());
        vm.assertEq(xcn.balanceOf(bob), 60);
        vm.assertEq(lock.feesAccrued(address(xcn)), 5);
        vm.assertTrue(lock.isIntentReleased(id));
        // Another fee, signature or transfer does not make another intent.
        intent.signature = "other";
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, id));
        lock.releaseIntent(intent, "other", 6, noAttestation());
    }

    function test_ATransferPaysOneIntent() public {
        fund(address(xcn), 100e10);
        vm.assertFalse(lock.isIntentReleased(TRANSFER));
        vm.startPrank(relayer);
        lock.releaseIntent(intentOf(bob, 65, "one"), TRANSFER, 5, noAttestation());
        vm.assertTrue(lock.isIntentReleased(TRANSFER));
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, TRANSFER));
        lock.releaseIntent(intentOf(bob, 65, "two"), TRANSFER, 5, noAttestation());
        lock.releaseIntent(intentOf(bob, 65, "two"), "other", 5, noAttestation());
        vm.stopPrank();
        vm.assertEq(xcn.balanceOf(bob), 120);
    }

    function test_ReleaseIntentRefusesBadTerms() public {
        fund(address(xcn), 100e10);
        IBridgeLock.Intent memory intent = intentOf(bob, 65, "one");
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeLock.FeeAboveAmount.selector, 65, 65));
        lock.releaseIntent(intent, TRANSFER, 65, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, CAPACITY, CAPACITY + 1));
        lock.releaseIntent(intentOf(bob, CAPACITY + 1, "two"), TRANSFER, 0, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(xcn)));
        lock.releaseIntent(intentOf(bob, 100e10 + 1, "two"), TRANSFER, 0, noAttestation());
        intent.signature = new bytes(1_025);
        vm.expectRevert(abi.encodeWithSelector(IBridgeLock.SignatureTooLong.selector, 1_025));
        lock.releaseIntent(intent, TRANSFER, 5, noAttestation());
        intent.signature = new bytes(1_024);
        lock.releaseIntent(intent, TRANSFER, 64, noAttestation());
        vm.stopPrank();
        vm.assertEq(xcn.balanceOf(bob), 1);
    }

    // ----------------------------------------------------------------------------------------------- Refusals

    function test_OnlyTheRelayerReleases() public {
        fund(address(usdc), 100);
        address[5] memory others = [alice, admin, guardian, policyManager, standby];
        for (uint256 i = 0; i < others.length; i++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, others[i]);
            vm.startPrank(others[i]);
            vm.expectRevert(refusal);
            lock.release(1, address(usdc), bob, 1, 0);
            vm.expectRevert(refusal);
            lock.releaseNative(1, bob, 1, 0);
            vm.expectRevert(refusal);
            lock.releaseIntent(intentOf(bob, 1, "one"), TRANSFER, 0, noAttestation());
            vm.expectRevert(refusal);
            lock.releaseMany(new IBridgeLock.Payment[](0), noAttestation());
            vm.stopPrank();
        }
    }

    function test_ReleaseRefusesBadTerms() public {
        fund(address(usdc), 100);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.release(1, address(0), bob, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(bridgedEth)));
        lock.release(1, address(bridgedEth), bob, 1, 0);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.release(1, address(usdc), bob, 0, 1);
        vm.stopPrank();
        setListing(lock, address(usdc), true, false);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(usdc)));
        lock.release(1, address(usdc), bob, 1, 0);
    }

    /// @dev An asset that is wound down still pays all its holders.
    function test_AnAssetWithoutBeginningsIsStillReleased() public {
        fund(address(usdc), 100);
        setListing(lock, address(usdc), false, true);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 100, 0);
        vm.assertEq(usdc.balanceOf(bob), 100);
    }

    /// @dev The fee counts towards the limit, and the error includes it.
    function test_ARefusalOverTheLimitNamesAmountAndFee() public {
        vm.startPrank(relayer);
        bytes memory overLimit = abi.encodeWithSelector(
            IBridgeBase.OutflowLimitExceeded.selector,
            CAPACITY,
            CAPACITY + 1
        );
        vm.expectRevert(overLimit);
        lock.release(1, address(usdc), bob, CAPACITY - 4, 5);
        vm.expectRevert(overLimit);
        lock.releaseNative(1, bob, CAPACITY - 4, 5);
        vm.stopPrank();
    }

    function test_AListedTokenIsNeverARecipientHoweverMany() public {
        SilentToken token = new SilentToken();
        list(lock, address(token), 0);
        fund(address(usdc), 20);
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](1);
        payments[0] = IBridgeLock.Payment(1, address(usdc), address(token), 10, 0);
        vm.startPrank(relayer);
        lock.releaseMany(payments, noAttestation());
        lock.release(2, address(usdc), address(token), 10, 0);
        vm.stopPrank();
        vm.assertEq(usdc.balanceOf(address(token)), 0);
        vm.assertEq(lock.claimable(address(usdc), address(token)), 20);
    }

    function test_CollateralMustCoverFeesAndCredits() public {
        fund(address(usdc), 100);
        vm.startPrank(relayer);
        lock.release(1, address(usdc), bob, 50, 40);
        // 50 are left, and 40 of them are fees: paying 11 would use fees.
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(usdc)));
        lock.release(2, address(usdc), bob, 11, 0);
        lock.release(2, address(usdc), bob, 10, 0);
        vm.stopPrank();
        fund(address(0), 100);
        vm.startPrank(relayer);
        lock.releaseNative(3, bob, 50, 40);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(0)));
        lock.releaseNative(4, bob, 11, 0);
        // The fee of the same release needs cover too.
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(0)));
        lock.releaseNative(4, bob, 5, 6);
        lock.releaseNative(4, bob, 5, 5);
        vm.stopPrank();
    }

    function test_TopUpIsCollateral() public {
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.topUp();
        vm.deal(alice, 10);
        vm.expectEmit(address(lock));
        emit IBridgeBase.ToppedUp(alice, 10);
        vm.prank(alice);
        lock.topUp{value: 10}();
        vm.assertEq(lock.locked(address(0)), 10);
        vm.assertEq(lock.depositNonce(), 0);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 10, 0);
        vm.assertEq(bob.balance, 10);
    }

    function test_LockedIsZeroWhenATokenTookBalanceAway() public {
        fund(address(usdc), 100);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 50, 40);
        vm.assertEq(lock.locked(address(usdc)), 10);
        vm.prank(address(lock));
        usdc.transfer(alice, 20);
        vm.assertEq(lock.locked(address(usdc)), 0);
        vm.assertEq(lock.feesAccrued(address(usdc)), 40);
    }

    // -------------------------------------------------------------------------------------------------- Fees

    function test_FeesGoToTheTreasuryAndNowhereElse() public {
        fund(address(usdc), 100);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 60, 5);
        vm.expectEmit(address(lock));
        emit IBridgeLock.FeesCollected(address(usdc), 5);
        vm.prank(alice);
        vm.assertEq(lock.collectFees(address(usdc)), 5);
        vm.assertEq(usdc.balanceOf(treasury), 5);
        vm.assertEq(lock.locked(address(usdc)), 35);
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.collectFees(address(usdc));
        fund(address(0), 10);
        vm.prank(relayer);
        lock.releaseNative(2, bob, 1, 2);
        lock.collectFees(address(0));
        vm.assertEq(treasury.balance, 2);
    }

    function test_FeesAreCollectedWhenTheRestIsOwed() public {
        fund(address(usdc), 15);
        usdc.setBlocklisted(bob, true);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 10, 5);
        vm.assertEq(lock.locked(address(usdc)), 0);
        vm.assertEq(lock.collectFees(address(usdc)), 5);
    }

    function test_OnlyTheAdminSetsTheTreasury() public {
        vm.expectEmit(address(lock));
        emit IBridgeLock.TreasurySet(bob);
        vm.prank(admin);
        lock.setTreasury(bob);
        vm.assertEq(lock.treasury(), bob);
        vm.startPrank(admin);
        vm.expectRevert(IBridgeGovernance.ZeroAddress.selector);
        lock.setTreasury(address(0));
        address[3] memory lossy = [address(lock), peer, address(usdc)];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, lossy[i]));
            lock.setTreasury(lossy[i]);
        }
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, relayer));
        lock.setTreasury(relayer);
        vm.stopPrank();
    }
}
