// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

/// @dev Alice burnt 4 ether, and sent 2 more to the relayer wallet by mistake.
contract RefundsTest is BridgeFixture {
    bytes32 private constant ID = "refund";

    function setUp() public override {
        super.setUp();
        give(alice, 10 ether);
        vm.startPrank(alice);
        bridgeMint.burn(address(bridgedEth), 4 ether, alice, 1 ether);
        bridgedEth.transfer(relayer, 2 ether);
        vm.stopPrank();
    }

    function refund(bytes32 id, uint256 amount) private {
        vm.prank(relayer);
        bridgeMint.refund(id, address(bridgedEth), alice, amount, noAttestation());
    }

    function test_ARefundReturnsOnceAndWithinTheLimit() public {
        uint256 room = bridgeMint.outflowRoom(address(bridgedEth));
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Refunded(ID, address(bridgedEth), alice, 1 ether);
        refund(ID, 1 ether);
        vm.assertTrue(bridgeMint.isRefunded(ID));
        vm.assertEq(bridgedEth.balanceOf(alice), 5 ether);
        vm.assertEq(bridgedEth.totalSupply(), 10 ether);
        // A received refund is not also credited.
        vm.assertEq(bridgeMint.claimable(address(bridgedEth), alice), 0);
        vm.assertEq(bridgeMint.totalClaimable(address(bridgedEth)), 0);
        vm.assertEq(bridgeMint.outflowRoom(address(bridgedEth)), room - 1 ether);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.AlreadyRefunded.selector, ID));
        bridgeMint.refund(ID, address(bridgedEth), alice, 1 ether, noAttestation());
        setLimit(bridgeMint, address(bridgedEth), 0.5 ether, 1 hours);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1 ether));
        bridgeMint.refund("other", address(bridgedEth), alice, 1 ether, noAttestation());
    }

    /// @dev Units that a burn handed in are paid on Ethereum. A refund as well would pay twice.
    function test_WhatABurnHandedInIsNeverRefunded() public {
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.refund(ID, address(bridgedEth), alice, 2 ether + 1, noAttestation());
        refund(ID, 2 ether);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.refund("other", address(bridgedEth), alice, 1, noAttestation());
        vm.prank(relayer);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, relayer, 4 ether, 5 ether)
        );
        bridgeMint.refund("other", address(bridgedEth), alice, 5 ether, noAttestation());
    }

    /// @dev Retiring handed-in tokens does not reduce what may be refunded.
    function test_ARetirementLeavesTheRefund() public {
        vm.prank(relayer);
        bridgeMint.retire(address(bridgedEth), 4 ether);
        refund(ID, 2 ether);
        vm.assertEq(bridgedEth.balanceOf(alice), 6 ether);
        vm.assertEq(bridgedEth.balanceOf(relayer), 0);
    }

    function test_ARefundRefusesBadTerms() public {
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        bridgeMint.refund(ID, address(0), alice, 1, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.refund(ID, address(usdc), alice, 1, noAttestation());
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        bridgeMint.refund(ID, address(bridgedEth), alice, 0, noAttestation());
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        bridgeMint.refundNative(ID, alice, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.NotRelayerWallet.selector, bob));
        bridgeMint.refundOf(ID, bob, address(bridgedEth), alice, 1, noAttestation());
        vm.stopPrank();
        bytes memory refusal = abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, bob);
        vm.startPrank(bob);
        vm.expectRevert(refusal);
        bridgeMint.refund(ID, address(bridgedEth), alice, 1, noAttestation());
        vm.expectRevert(refusal);
        bridgeMint.refundOf(ID, relayer, address(bridgedEth), alice, 1, noAttestation());
        vm.expectRevert(refusal);
        bridgeMint.refundNative(ID, alice, noAttestation());
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        vm.deal(relayer, 1);
        vm.startPrank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.refund(ID, address(bridgedEth), alice, 1, noAttestation());
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.refundNative{value: 1}(ID, alice, noAttestation());
        vm.stopPrank();
        vm.assertFalse(bridgeMint.isRefunded(ID));
    }

    function test_TheNewRelayerRefundsOutOfTheOldWallet() public {
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.startPrank(bob);
        bridgeMint.refundOf(ID, relayer, address(bridgedEth), alice, 2 ether, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.HandedIn.selector, relayer));
        bridgeMint.refundOf("other", relayer, address(bridgedEth), alice, 1, noAttestation());
        vm.stopPrank();
        vm.assertEq(bridgedEth.balanceOf(alice), 6 ether);
    }

    function test_ARefundToWhoCanNeverReceiveIsCredited() public {
        vm.expectEmit(address(bridgeMint));
        emit IBridgeBase.Credited(ID, address(bridgedEth), relayer, 1 ether);
        vm.prank(relayer);
        bridgeMint.refund(ID, address(bridgedEth), relayer, 1 ether, noAttestation());
        vm.assertEq(bridgedEth.balanceOf(address(bridgeMint)), 1 ether);
        vm.prank(admin);
        bridgeMint.redirectCredit(address(bridgedEth), relayer, alice);
        bridgeMint.claimFor(address(bridgedEth), alice);
        vm.assertEq(bridgedEth.balanceOf(alice), 5 ether);
    }

    /// @dev The key of a former wallet may be stolen, so its refunds wait for the admin.
    function test_ARefundToAFormerWalletIsCredited() public {
        vm.prank(admin);
        bridgeMint.setRelayer(bob);
        vm.deal(bob, 10);
        vm.startPrank(bob);
        bridgeMint.refundOf(ID, relayer, address(bridgedEth), relayer, 1 ether, noAttestation());
        bridgeMint.refundNative{value: 10}("native", relayer, noAttestation());
        vm.stopPrank();
        vm.assertEq(bridgedEth.balanceOf(relayer), 5 ether);
        vm.assertEq(relayer.balance, 0);
        vm.assertEq(bridgeMint.claimable(address(bridgedEth), relayer), 1 ether);
        vm.assertEq(bridgeMint.claimable(address(0), relayer), 10 * UNIT);
    }

    function test_ANativeRefundPaysTheCoinSentAlong() public {
        vm.deal(relayer, 30);
        vm.startPrank(relayer);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Refunded(ID, address(0), alice, 10 * UNIT);
        bridgeMint.refundNative{value: 10}(ID, alice, noAttestation());
        vm.assertEq(alice.balance, 10);
        vm.assertEq(bridgeMint.totalClaimable(address(0)), 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.AlreadyRefunded.selector, ID));
        bridgeMint.refundNative{value: 10}(ID, alice, noAttestation());
        // A recipient that refuses, and one that can never receive, are credited.
        RejectingReceiver rejecting = new RejectingReceiver();
        bridgeMint.refundNative{value: 10}("refused", address(rejecting), noAttestation());
        bridgeMint.refundNative{value: 10}("lossy", peer, noAttestation());
        vm.stopPrank();
        vm.assertEq(bridgeMint.claimable(address(0), address(rejecting)), 10 * UNIT);
        vm.assertEq(bridgeMint.claimable(address(0), peer), 10 * UNIT);
        vm.assertEq(bridgeMint.float(), 0);
        rejecting.claim(bridgeMint, address(0), bob);
        vm.assertEq(bob.balance, 10);
    }
}
