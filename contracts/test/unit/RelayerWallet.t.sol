// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Bridged tokens in the relayer wallet: handed in, retired, refunded.
contract RelayerWalletTest is BridgeFixture {
    function setUp() public override {
        super.setUp();
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), alice, 10 ether);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 4 ether, alice, 1 ether);
    }

    function test_EveryWalletIsRemembered() public {
        vm.assertTrue(bridgeMint.isRelayerWallet(relayer));
        vm.assertFalse(bridgeMint.isRelayerWallet(bob));
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.assertTrue(bridgeMint.isRelayerWallet(relayer));
        vm.assertTrue(bridgeMint.isRelayerWallet(bob));
    }

    function test_UsersTransferAsEverAlsoToTheWallet() public {
        vm.prank(alice);
        bridgedEth.transfer(bob, 1 ether);
        vm.prank(bob);
        bridgedEth.transfer(relayer, 1 ether);
        vm.assertEq(bridgedEth.balanceOf(relayer), 5 ether);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgedEth.transfer(bob, 1 ether);
    }

    function test_TheNewRelayerRetiresWhatTheOldOneHolds() public {
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.startPrank(bob);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Retired(address(bridgedEth), 4 ether);
        bridgeMint.retireOf(relayer, address(bridgedEth), 4 ether);
        vm.assertEq(bridgedEth.totalSupply(), 6 ether);
        // Tokens of users cannot be retired.
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.NotRelayerWallet.selector, alice));
        bridgeMint.retireOf(alice, address(bridgedEth), 1);
        vm.stopPrank();
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, relayer));
        bridgeMint.retireOf(bob, address(bridgedEth), 1);
    }

    function test_AfterARotationUsersBurnAsBefore() public {
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 6 ether, alice, 1 ether);
        vm.assertEq(bridgedEth.balanceOf(bob), 6 ether);
        vm.prank(bob);
        vm.expectRevert(IBridgeMint.RelayerCannotBurn.selector);
        bridgeMint.burn(address(bridgedEth), 6 ether, alice, 1 ether);
        // The token seals the units of the former wallet.
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.burn(address(bridgedEth), 4 ether, alice, 1 ether);
    }

    /// @dev The first burn seals a wallet, which stays sealed when everything is retired.
    function test_ASealStays() public {
        vm.assertTrue(bridgedEth.isSealed(relayer));
        vm.assertFalse(bridgedEth.isSealed(alice));
        vm.startPrank(relayer);
        bridgeMint.retire(address(bridgedEth), 3 ether);
        vm.assertEq(bridgedEth.handedIn(relayer), 1 ether);
        bridgeMint.retire(address(bridgedEth), 1 ether);
        vm.stopPrank();
        vm.assertEq(bridgedEth.handedIn(relayer), 0);
        vm.assertEq(bridgedEth.balanceOf(relayer), 0);
        vm.assertEq(bridgedEth.totalSupply(), 6 ether);
        vm.assertTrue(bridgedEth.isSealed(relayer));
    }

    function test_FeesAreNotCollectedFromWhatIsCreditedToOthers() public {
        fund(address(usdc), 100);
        usdc.setBlocklisted(bob, true);
        vm.startPrank(relayer);
        lock.release(1, address(usdc), bob, 50, 0);
        lock.release(2, address(usdc), alice, 10, 40);
        vm.stopPrank();
        // The issuer takes tokens away: 50 of credits and 40 of fees remain owed, but 80 are left.
        vm.prank(address(lock));
        usdc.transfer(alice, 10);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(usdc)));
        lock.collectFees(address(usdc));
    }

    function test_ATokenThatTakesMoreThanAskedIsNotPaid() public {
        ChaoticToken token = new ChaoticToken();
        list(lock, address(token), 0);
        token.mint(alice, 100);
        vm.startPrank(alice);
        token.approve(address(lock), 100);
        lock.deposit(address(token), 100, bob);
        vm.stopPrank();
        token.setMode(ChaoticToken.Mode.Reverts);
        vm.prank(relayer);
        lock.release(1, address(token), bob, 50, 10);
        token.setMode(ChaoticToken.Mode.TakesMoreFromTheSender);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.BalanceMismatch.selector, 50, 49));
        lock.claimFor(address(token), bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.BalanceMismatch.selector, 90, 89));
        lock.collectFees(address(token));
    }

    function test_AClaimDoesNotGoWhereItWouldBeLost() public {
        address[2] memory lost = [peer, relayer];
        for (uint256 i = 0; i < 2; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, lost[i]));
            lock.claim(address(usdc), lost[i]);
        }
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.claimFor(address(usdc), alice);
    }
}
