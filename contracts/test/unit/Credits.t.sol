// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IBridge, IOwnable} from "../fixtures/Interfaces.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

/// @dev Deliveries to accounts that cannot receive, who may claim them, and who may move them.
contract CreditsTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function setUp() public override {
        super.setUp();
        fund(NATIVE, 1_000);
        fund(address(usdc), 1_000);
        fund(address(xcn), 1_000 * UNIT);
        vm.deal(bob, 1_000);
        vm.prank(bob);
        bridgeMint.topUp{value: 1_000}();
    }

    /// @dev Zero, both bridge contracts, the relayer, and every listed token.
    function lossyHere() private view returns (address[6] memory) {
        return [address(0), address(lock), peer, relayer, address(usdc), address(xcn)];
    }

    function isInvalid(address account) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, account);
    }

    function checkCredit(IBridge bridge, address token, address account, uint256 amount) private {
        vm.assertEq(bridge.claimable(token, account), amount);
        vm.prank(account);
        vm.expectRevert(isInvalid(account));
        bridge.claim(token, bob);
        vm.expectRevert(isInvalid(account));
        bridge.claimFor(token, account);
    }

    function test_AReleaseToWhoCannotReceiveIsCredited() public {
        address[6] memory lossy = lossyHere();
        for (uint256 i = 0; i < 6; i++) {
            vm.startPrank(relayer);
            vm.expectEmit(address(lock));
            emit IBridgeBase.Credited(idOf(PEER_CHAIN, peer, 3 * i), NATIVE, lossy[i], 5);
            lock.releaseNative(3 * i, lossy[i], 5, 1);
            lock.release(3 * i + 1, address(usdc), lossy[i], 5, 1);
            lock.releaseIntent(intentOf(lossy[i], 6 * UNIT, "nonce"), bytes32(i), UNIT, noAttestation());
            vm.stopPrank();
            checkCredit(lock, NATIVE, lossy[i], 5);
            checkCredit(lock, address(usdc), lossy[i], 5);
            checkCredit(lock, address(xcn), lossy[i], 5 * UNIT);
        }
        vm.assertEq(lock.totalClaimable(NATIVE), 30);
        vm.assertEq(lock.feesAccrued(NATIVE), 6);
        vm.assertEq(lock.locked(NATIVE), 964);
        vm.assertEq(usdc.balanceOf(address(lock)), 1_000);
    }

    function test_AMintToWhoCannotReceiveIsCredited() public {
        address[5] memory lossy = [address(0), address(bridgeMint), peer, relayer, address(bridgedEth)];
        for (uint256 i = 0; i < 5; i++) {
            vm.startPrank(relayer);
            bridgeMint.mint(2 * i, NATIVE, lossy[i], 5 * UNIT);
            bridgeMint.mint(2 * i + 1, address(bridgedEth), lossy[i], 5);
            vm.stopPrank();
            checkCredit(bridgeMint, NATIVE, lossy[i], 5 * UNIT);
            checkCredit(bridgeMint, address(bridgedEth), lossy[i], 5);
        }
        vm.assertEq(bridgeMint.float(), 975 * UNIT);
        vm.assertEq(bridgeMint.totalClaimable(NATIVE), 25 * UNIT);
    }

    /// @dev A stolen key of a former relayer must not claim what a delivery credited to its wallet either.
    function test_AFormerWalletDoesNotClaim() public {
        vm.prank(relayer);
        lock.releaseNative(1, relayer, 5, 0);
        vm.prank(admin);
        lock.setRelayer(address(0xC0));
        checkCredit(lock, NATIVE, relayer, 5);
        vm.prank(admin);
        lock.redirectCredit(NATIVE, relayer, alice);
        vm.prank(alice);
        vm.expectRevert(isInvalid(relayer));
        lock.claim(NATIVE, relayer);
        lock.claimFor(NATIVE, alice);
        vm.assertEq(alice.balance, 5);
    }

    /// @dev The moved credit adds to the receiver's own. The total stays the same.
    function test_ARedirectedCreditIsClaimed() public {
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.startPrank(relayer);
        lock.releaseNative(1, address(rejecting), 7, 0);
        lock.releaseNative(2, peer, 5, 0);
        vm.stopPrank();
        vm.expectEmit(address(lock));
        emit IBridgeBase.CreditRedirected(NATIVE, peer, address(rejecting), 5);
        vm.prank(admin);
        vm.assertEq(lock.redirectCredit(NATIVE, peer, address(rejecting)), 5);
        vm.assertEq(lock.claimable(NATIVE, peer), 0);
        vm.assertEq(lock.claimable(NATIVE, address(rejecting)), 12);
        vm.assertEq(lock.totalClaimable(NATIVE), 12);
        vm.expectEmit(address(lock));
        emit IBridgeBase.Claimed(NATIVE, address(rejecting), alice, 12);
        rejecting.claim(lock, NATIVE, alice);
        vm.assertEq(alice.balance, 12);
        vm.assertEq(lock.totalClaimable(NATIVE), 0);
    }

    /// @dev The admin cannot take a credit: an account that can claim keeps it, blocklisted or not.
    function test_OnlyWhatCannotBeReceivedIsRedirected() public {
        RejectingReceiver rejecting = new RejectingReceiver();
        usdc.setBlocklisted(alice, true);
        vm.startPrank(relayer);
        lock.releaseNative(1, address(rejecting), 7, 0);
        lock.release(2, address(usdc), alice, 7, 0);
        lock.releaseNative(3, peer, 7, 0);
        vm.stopPrank();
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.CreditNotRedirectable.selector, address(rejecting)));
        lock.redirectCredit(NATIVE, address(rejecting), bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.CreditNotRedirectable.selector, alice));
        lock.redirectCredit(address(usdc), alice, bob);
        address[6] memory lossy = lossyHere();
        for (uint256 i = 0; i < 6; i++) {
            vm.expectRevert(isInvalid(lossy[i]));
            lock.redirectCredit(NATIVE, peer, lossy[i]);
        }
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.redirectCredit(NATIVE, address(xcn), bob);
        vm.stopPrank();
        address[4] memory callers = [guardian, policyManager, relayer, bob];
        for (uint256 i = 0; i < 4; i++) {
            vm.prank(callers[i]);
            vm.expectRevert(abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, callers[i]));
            lock.redirectCredit(NATIVE, peer, bob);
        }
    }

    /// @dev A claim pays once, to any address that can receive.
    function test_AClaimIsItsOwnersAlone() public {
        usdc.setBlocklisted(alice, true);
        vm.prank(relayer);
        lock.release(1, address(usdc), alice, 7, 0);
        vm.prank(bob);
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.claim(address(usdc), bob);
        address[6] memory lossy = lossyHere();
        for (uint256 i = 0; i < 6; i++) {
            vm.prank(alice);
            vm.expectRevert(isInvalid(lossy[i]));
            lock.claim(address(usdc), lossy[i]);
        }
        // The account is still blocked, so it claims to another one.
        vm.prank(alice);
        vm.assertEq(lock.claim(address(usdc), bob), 7);
        vm.prank(alice);
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.claim(address(usdc), bob);
        vm.assertEq(usdc.balanceOf(bob), 7);
    }

    // ------------------------------------------------------------------------------------------------- Float

    function test_ATopUpIsNeverEmptyAndCountsInUnits() public {
        vm.deal(alice, 2);
        vm.startPrank(alice);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        bridgeMint.topUp();
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.topUp();
        vm.expectEmit(address(bridgeMint));
        emit IBridgeBase.ToppedUp(alice, UNIT);
        bridgeMint.topUp{value: 1}();
        vm.expectEmit(address(lock));
        emit IBridgeBase.ToppedUp(alice, 1);
        lock.topUp{value: 1}();
        vm.stopPrank();
        vm.assertEq(bridgeMint.float(), 1_001 * UNIT);
        vm.assertEq(lock.locked(NATIVE), 1_001);
    }

    /// @dev Whatever mints use the float, accepted or refused, the coin covers credits, and the rest is float.
    function testFuzz_TheFloatIsNeverShortOfCredits(uint8[12] calldata amounts) public {
        RejectingReceiver rejecting = new RejectingReceiver();
        (uint256 float, uint256 credits) = (1_000 * UNIT, 0);
        for (uint256 i = 0; i < amounts.length; i++) {
            uint256 amount = (uint256(amounts[i]) + 1) * UNIT;
            bool isRefused = amounts[i] % 2 == 0;
            vm.prank(relayer);
            (bool paid, ) = address(bridgeMint).call(
                abi.encodeCall(bridgeMint.mint, (i, NATIVE, isRefused ? address(rejecting) : bob, amount))
            );
            vm.assertEq(paid, amount <= float);
            if (paid) float -= amount;
            if (paid && isRefused) credits += amount;
            vm.assertEq(bridgeMint.float(), float);
            vm.assertEq(bridgeMint.totalClaimable(NATIVE), credits);
            vm.assertEq(address(bridgeMint).balance * UNIT, float + credits);
        }
        if (credits == 0) return;
        rejecting.claim(bridgeMint, NATIVE, alice);
        vm.assertEq(alice.balance * UNIT, credits);
        vm.assertEq(bridgeMint.float(), float);
    }
}
