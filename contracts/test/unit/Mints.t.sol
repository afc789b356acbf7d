// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

contract MintsTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function topUp(uint256 value) private {
        vm.deal(alice, value);
        vm.prank(alice);
        bridgeMint.topUp{value: value}();
    }

    function test_MintCreatesAndMarksTheNumber() public {
        bytes32 id = idOf(PEER_CHAIN, peer, 3);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Mint(id, address(bridgedEth), bob, 5 ether);
        vm.prank(relayer);
        bridgeMint.mint(3, address(bridgedEth), bob, 5 ether);
        vm.assertEq(bridgedEth.balanceOf(bob), 5 ether);
        vm.assertTrue(bridgeMint.isMinted(3));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, id));
        bridgeMint.mint(3, address(bridgedEth), bob, 5 ether);
    }

    function test_NativeMintForwardsTheCoinSentAlong() public {
        topUp(7);
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, NATIVE, bob, 500 * UNIT);
        vm.assertEq(bob.balance, 500);
        vm.assertEq(bridgeMint.float(), 7 * UNIT);
    }

    function test_NativeMintWithoutValueIsPaidFromTheFloat() public {
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, NATIVE));
        bridgeMint.mint(1, NATIVE, bob, 1 * UNIT);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeBase.ToppedUp(alice, 10 * UNIT);
        topUp(10);
        vm.startPrank(relayer);
        bridgeMint.mint(1, NATIVE, bob, 9 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, NATIVE));
        bridgeMint.mint(2, NATIVE, bob, 2 * UNIT);
        vm.stopPrank();
        vm.assertEq(bob.balance, 9);
        vm.assertEq(bridgeMint.float(), UNIT);
    }

    /// @dev Also while deliveries are paused.
    function test_SweepNamesTheTransfersWhoseCoinItAdds() public {
        IBridgeMint.SweptTransfer[] memory transfers = new IBridgeMint.SweptTransfer[](2);
        transfers[0] = IBridgeMint.SweptTransfer("one", 4 * UNIT);
        transfers[1] = IBridgeMint.SweptTransfer("two", 6 * UNIT);
        vm.prank(guardian);
        bridgeMint.pause(true, true);
        vm.deal(alice, 10);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.NotRelayerWallet.selector, alice));
        bridgeMint.sweep{value: 10}(transfers);
        vm.deal(relayer, 30);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 9, 10 * UNIT));
        bridgeMint.sweep{value: 9}(transfers);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 11, 10 * UNIT));
        bridgeMint.sweep{value: 11}(transfers);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Swept("one", 4 * UNIT);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Swept("two", 6 * UNIT);
        bridgeMint.sweep{value: 10}(transfers);
        vm.stopPrank();
        vm.assertEq(bridgeMint.float(), 10 * UNIT);
    }

    /// @dev Amounts whose sum overflows add nothing.
    function test_SweepOfMoreThanTheCoinIsRefused() public {
        IBridgeMint.SweptTransfer[] memory transfers = new IBridgeMint.SweptTransfer[](2);
        transfers[0] = IBridgeMint.SweptTransfer("one", type(uint256).max);
        transfers[1] = IBridgeMint.SweptTransfer("two", 1 + UNIT);
        vm.deal(relayer, 1);
        vm.prank(relayer);
        vm.expectRevert();
        bridgeMint.sweep{value: 1}(transfers);
        vm.assertEq(bridgeMint.float(), 0);
    }

    /// @dev Credits are not float: they belong to their accounts.
    function test_CreditsAreNotPaidToOthers() public {
        topUp(10);
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.startPrank(relayer);
        bridgeMint.mint(1, NATIVE, address(rejecting), 6 * UNIT);
        vm.assertEq(bridgeMint.float(), 4 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, NATIVE));
        bridgeMint.mint(2, NATIVE, bob, 5 * UNIT);
        bridgeMint.mint(2, NATIVE, bob, 4 * UNIT);
        vm.stopPrank();
        rejecting.claim(bridgeMint, NATIVE, bob);
        vm.assertEq(bob.balance, 10);
        vm.assertEq(bridgeMint.float(), 0);
    }

    function test_NativeMintNeedsTheExactValueOrNone() public {
        topUp(1_000);
        vm.deal(relayer, 1_000);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 499, 500 * UNIT));
        bridgeMint.mint{value: 499}(1, NATIVE, bob, 500 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 501, 500 * UNIT));
        bridgeMint.mint{value: 501}(1, NATIVE, bob, 500 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 500, 500 * UNIT + 1));
        bridgeMint.mint{value: 500}(1, NATIVE, bob, 500 * UNIT + 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.Dust.selector, 1, UNIT));
        bridgeMint.mint(1, NATIVE, bob, 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 1, 0));
        bridgeMint.mint{value: 1}(1, address(bridgedEth), bob, 5);
        vm.stopPrank();
        vm.assertFalse(bridgeMint.isMinted(1));
    }

    function test_RefusedCoinIsCreditedInUnitsAndPaidInCoins() public {
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, NATIVE, address(rejecting), 500 * UNIT);
        vm.assertEq(bridgeMint.claimable(NATIVE, address(rejecting)), 500 * UNIT);
        rejecting.claim(bridgeMint, NATIVE, bob);
        vm.assertEq(bob.balance, 500);
    }

    function test_MintRefusesBadTerms() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, alice));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.mint(1, address(usdc), bob, 1);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        bridgeMint.mint(1, address(bridgedEth), bob, 0);
        vm.stopPrank();
        setListing(bridgeMint, address(bridgedEth), true, false);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(bridgedEth)));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        setListing(bridgeMint, address(bridgedEth), true, true);
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        vm.assertTrue(bridgeMint.mintsPaused());
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
    }

    /// @dev The credit of a bridged token exists as tokens here, so the supply is that of all other mints.
    function test_AMintThatCannotBeReceivedIsHeldAsTokens() public {
        address[4] memory lossy = [address(0), address(bridgeMint), relayer, address(bridgedEth)];
        for (uint256 i = 0; i < 4; i++) {
            bytes32 id = idOf(PEER_CHAIN, peer, i);
            vm.expectEmit(address(bridgeMint));
            emit IBridgeMint.Mint(id, address(bridgedEth), lossy[i], 5);
            vm.expectEmit(address(bridgeMint));
            emit IBridgeBase.Credited(id, address(bridgedEth), lossy[i], 5);
            vm.prank(relayer);
            bridgeMint.mint(i, address(bridgedEth), lossy[i], 5);
            vm.assertEq(bridgeMint.claimable(address(bridgedEth), lossy[i]), 5);
        }
        vm.assertEq(bridgedEth.totalSupply(), 20);
        vm.assertEq(bridgedEth.balanceOf(address(bridgeMint)), 20);
        vm.prank(admin);
        vm.assertEq(bridgeMint.redirectCredit(address(bridgedEth), address(0), bob), 5);
        vm.prank(bob);
        bridgeMint.claim(address(bridgedEth), alice);
        vm.assertEq(bridgedEth.balanceOf(alice), 5);
        vm.assertEq(bridgeMint.totalClaimable(address(bridgedEth)), 15);
    }

    /// @dev The bridge's rules let a former relayer wallet receive, but the token has sealed it.
    function test_AMintToASealedWalletIsCredited() public {
        give(alice, 1 ether);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.prank(bob);
        bridgeMint.mint(1, address(bridgedEth), relayer, 5);
        vm.assertEq(bridgeMint.claimable(address(bridgedEth), relayer), 5);
        vm.assertEq(bridgedEth.balanceOf(relayer), 1 ether);
        // Only the admin moves the credit, and not back to a relayer wallet.
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, relayer));
        bridgeMint.claim(address(bridgedEth), alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, relayer));
        bridgeMint.claimFor(address(bridgedEth), relayer);
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, bob));
        bridgeMint.redirectCredit(address(bridgedEth), relayer, bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.CreditNotRedirectable.selector, alice));
        bridgeMint.redirectCredit(address(bridgedEth), alice, alice);
        bridgeMint.redirectCredit(address(bridgedEth), relayer, alice);
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        bridgeMint.redirectCredit(address(bridgedEth), relayer, alice);
        vm.stopPrank();
        vm.assertEq(bridgeMint.claimFor(address(bridgedEth), alice), 5);
    }

    function test_OnlyTheBridgeRunsItsTokens() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgedToken.NotBridge.selector, relayer);
        vm.startPrank(relayer);
        vm.expectRevert(refusal);
        bridgedEth.mint(relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.bridgeTransfer(alice, relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.bridgeRefund(alice, relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.retire(alice, 1);
        vm.stopPrank();
        vm.assertEq(bridgedEth.decimals(), 18);
        vm.assertEq(bridgedEth.bridge(), address(bridgeMint));
    }

    function test_TheSupplyOfATokenFitsItsBits() public {
        IBridgedToken token = newToken("Own", "O", 0, address(this));
        token.mint(alice, (1 << 127) - 2);
        vm.expectRevert(IBridgedToken.SupplyOverflow.selector);
        token.mint(bob, 2);
        token.mint(bob, 1);
        vm.assertEq(token.totalSupply(), (1 << 127) - 1);
    }
}
