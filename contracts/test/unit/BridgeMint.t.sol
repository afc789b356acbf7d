// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {IBridgeMint} from "../../src/bridge/IBridgeMint.sol";
import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ReentrantBurnToken} from "../mocks/HostileTokens.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

contract BridgeMintTest is BridgeFixture {
    function minted(address to, uint256 amount) private {
        vm.prank(relayer);
        bridgeMint.mint(1_000_000, address(bridgedEth), to, amount);
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
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, id));
        bridgeMint.mint(3, address(bridgedEth), bob, 5 ether);
    }

    function test_NativeMintForwardsTheFloat() public {
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, address(0), bob, 500 * UNIT);
        vm.assertEq(bob.balance, 500);
        vm.assertEq(address(bridgeMint).balance, 0);
    }

    function test_NativeMintNeedsTheExactValue() public {
        vm.deal(relayer, 1_000);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 499, 500 * UNIT));
        bridgeMint.mint{value: 499}(1, address(0), bob, 500 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 500, 500 * UNIT + 1));
        bridgeMint.mint{value: 500}(1, address(0), bob, 500 * UNIT + 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 1, 5));
        bridgeMint.mint{value: 1}(1, address(bridgedEth), bob, 5);
        vm.stopPrank();
    }

    function test_RefusedCoinIsCreditedInUnitsAndPaidInCoins() public {
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, address(0), address(rejecting), 500 * UNIT);
        vm.assertEq(bridgeMint.claimable(address(0), address(rejecting)), 500 * UNIT);
        rejecting.claim(bridgeMint, address(0), bob);
        vm.assertEq(bob.balance, 500);
    }

    function test_MintRefusesBadTerms() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.NotRelayer.selector, alice));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        vm.startPrank(relayer);
        address[4] memory lossy = [address(0), address(bridgeMint), relayer, address(bridgedEth)];
        for (uint256 i = 0; i < 4; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, lossy[i]));
            bridgeMint.mint(1, address(bridgedEth), lossy[i], 1);
        }
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.mint(1, address(usdc), bob, 1);
        vm.expectRevert(IBridgeEnd.ZeroAmount.selector);
        bridgeMint.mint(1, address(bridgedEth), bob, 0);
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        vm.assertTrue(bridgeMint.mintsPaused());
        vm.prank(relayer);
        vm.expectRevert(IBridgeEnd.Paused.selector);
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
    }

    function test_BurnHandsInWithoutAllowance() public {
        minted(alice, 10 ether);
        bytes32 id = idOf(block.chainid, address(bridgeMint), 0);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Withdraw(id, address(bridgedEth), alice, bob, 4 ether, 0.01 ether, 0);
        vm.prank(alice);
        vm.assertEq(bridgeMint.burn(address(bridgedEth), 4 ether, bob, 0.01 ether), id);
        vm.assertEq(bridgedEth.balanceOf(alice), 6 ether);
        // A burn is a transfer to the relayer wallet: the supply changes only when it is retired.
        vm.assertEq(bridgedEth.balanceOf(relayer), 4 ether);
        vm.assertEq(bridgedEth.totalSupply(), 10 ether);
        vm.assertEq(bridgeMint.withdrawNonce(), 1);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Retired(address(bridgedEth), 4 ether);
        vm.prank(relayer);
        bridgeMint.retire(address(bridgedEth), 4 ether);
        vm.assertEq(bridgedEth.totalSupply(), 6 ether);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.NotRelayer.selector, alice));
        bridgeMint.retire(address(bridgedEth), 1);
    }

    function test_BurnRefusesBadTerms() public {
        minted(alice, 10 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.BelowMinimum.selector, 0.01 ether - 1, 0.01 ether));
        bridgeMint.burn(address(bridgedEth), 0.01 ether - 1, bob, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.FeeAboveMaximum.selector, 0.003 ether, 0.003 ether - 1));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 0.003 ether - 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(0)));
        bridgeMint.burn(address(0), 5_000 ether, bob, 5_000 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.burn(address(usdc), 1, bob, 1);
        address[5] memory lossy = [address(0), peer, relayer, address(bridgeMint), address(bridgedEth)];
        for (uint256 i = 0; i < 5; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, lossy[i]));
            bridgeMint.burn(address(bridgedEth), 1 ether, lossy[i], 1 ether);
        }
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(true, false);
        vm.assertTrue(bridgeMint.burnsPaused());
        vm.prank(alice);
        vm.expectRevert(IBridgeEnd.Paused.selector);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
    }

    function test_ADelistedTokenIsNotBurntAndKeepsItsPolicy() public {
        minted(alice, 10 ether);
        vm.prank(admin);
        bridgeMint.setToken(address(bridgedEth), false, 0);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(bridgedEth)));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        // A new fee policy does not list the token again.
        vm.prank(policyManager);
        bridgeMint.setFeePolicy(address(bridgedEth), 50, 1, 2);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(bridgedEth)));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        vm.prank(admin);
        bridgeMint.setToken(address(bridgedEth), true, 0);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 0.005 ether);
        vm.assertEq(bridgedEth.balanceOf(relayer), 1 ether);
    }

    function test_AListedTokenWithoutPolicyIsNotBurnt() public {
        BridgedToken other = newToken("Other", "O", 6, address(bridgeMint));
        list(bridgeMint, address(other), 0);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(other)));
        bridgeMint.burn(address(other), 1, bob, 1);
    }

    function test_ABurnWithinABurnHasItsOwnNumber() public {
        ReentrantBurnToken token = new ReentrantBurnToken(bridgeMint);
        list(bridgeMint, address(token), 0);
        vm.prank(policyManager);
        bridgeMint.setFeePolicy(address(token), 25, 1, 2);
        vm.prank(alice);
        bytes32 id = bridgeMint.burn(address(token), 10, bob, 10);
        vm.assertEq(id, idOf(block.chainid, address(bridgeMint), 0));
        vm.assertEq(bridgeMint.withdrawNonce(), 2);
        vm.assertEq(token.handedIn(), 20);
    }

    function testFuzz_FeeIsTheFormulaOfTheSpecification(uint112 amount) public {
        if (amount < 0.01 ether) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeMint.BelowMinimum.selector, amount, 0.01 ether));
            bridgeMint.quoteFee(address(bridgedEth), amount);
            return;
        }
        uint256 share = (uint256(amount) * 25) / 10_000;
        uint256 fee = bridgeMint.quoteFee(address(bridgedEth), amount);
        vm.assertEq(fee, share > 0.003 ether ? share : 0.003 ether);
        vm.assertTrue(fee < amount);
    }

    function testFuzz_PoliciesUnderWhichNothingArrivesAreRefused(uint16 bps, uint112 minFee, uint112 minAmount) public {
        vm.prank(policyManager);
        if (bps >= 10_000 || minAmount <= minFee) {
            vm.expectRevert(IBridgeMint.InvalidPolicy.selector);
            bridgeMint.setFeePolicy(address(bridgedEth), bps, minFee, minAmount);
            return;
        }
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.FeePolicySet(address(bridgedEth), bps, minFee, minAmount);
        bridgeMint.setFeePolicy(address(bridgedEth), bps, minFee, minAmount);
        vm.assertTrue(bridgeMint.quoteFee(address(bridgedEth), minAmount) < minAmount);
        (uint16 readBps, uint112 readFee, uint112 readAmount) = bridgeMint.feePolicy(address(bridgedEth));
        vm.assertTrue(readBps == bps && readFee == minFee && readAmount == minAmount);
    }

    function test_QuoteOfATokenWithoutPolicyIsRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.quoteFee(address(usdc), 1);
    }

    function test_OnlyTheBridgeRunsItsTokens() public {
        bytes memory refusal = abi.encodeWithSelector(BridgedToken.NotBridge.selector, relayer);
        vm.startPrank(relayer);
        vm.expectRevert(refusal);
        bridgedEth.mint(relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.handOver(alice, relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.retire(alice, 1);
        vm.stopPrank();
        vm.assertEq(bridgedEth.decimals(), 18);
    }

    function test_ConstructorRefusesNoUnit() public {
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newMint(setup(), 0);
    }
}
