// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../src/bridge/BridgeEnd.sol";
import {BridgeMint} from "../src/bridge/BridgeMint.sol";
import {IBridgeMint} from "../src/bridge/IBridgeMint.sol";
import {BridgedToken} from "../src/tokens/BridgedToken.sol";
import {BridgeFixture} from "./BridgeFixture.sol";
import {Refuser} from "./mocks/Refuser.sol";

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
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.AlreadyDelivered.selector, id));
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
        vm.expectRevert(abi.encodeWithSelector(BridgeMint.ValueMismatch.selector, 499, 500 * UNIT));
        bridgeMint.mint{value: 499}(1, address(0), bob, 500 * UNIT);
        vm.expectRevert(abi.encodeWithSelector(BridgeMint.ValueMismatch.selector, 500, 500 * UNIT + 1));
        bridgeMint.mint{value: 500}(1, address(0), bob, 500 * UNIT + 1);
        vm.expectRevert(abi.encodeWithSelector(BridgeMint.ValueMismatch.selector, 1, 5));
        bridgeMint.mint{value: 1}(1, address(bridgedEth), bob, 5);
        vm.stopPrank();
    }

    function test_RefusedCoinIsCreditedInUnitsAndPaidInCoins() public {
        Refuser refuser = new Refuser();
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, address(0), address(refuser), 500 * UNIT);
        vm.assertEq(bridgeMint.claimable(address(0), address(refuser)), 500 * UNIT);
        refuser.claim(bridgeMint, address(0), bob);
        vm.assertEq(bob.balance, 500);
    }

    function test_MintRefusesBadTerms() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.NotRelayer.selector, alice));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.InvalidRecipient.selector, address(0)));
        bridgeMint.mint(1, address(bridgedEth), address(0), 1);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.InvalidRecipient.selector, address(bridgeMint)));
        bridgeMint.mint(1, address(bridgedEth), address(bridgeMint), 1);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.mint(1, address(usdc), bob, 1);
        vm.expectRevert(BridgeEnd.ZeroAmount.selector);
        bridgeMint.mint(1, address(bridgedEth), bob, 0);
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        vm.assertTrue(bridgeMint.mintsPaused());
        vm.prank(relayer);
        vm.expectRevert(BridgeEnd.Paused.selector);
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
        // A burn is a transfer to the relayer wallet: the supply is as before until it is retired.
        vm.assertEq(bridgedEth.balanceOf(relayer), 4 ether);
        vm.assertEq(bridgedEth.totalSupply(), 10 ether);
        vm.assertEq(bridgeMint.withdrawNonce(), 1);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Retired(address(bridgedEth), 4 ether);
        vm.prank(relayer);
        bridgeMint.retire(address(bridgedEth), 4 ether);
        vm.assertEq(bridgedEth.totalSupply(), 6 ether);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.NotRelayer.selector, alice));
        bridgeMint.retire(address(bridgedEth), 1);
    }

    function test_BurnRefusesBadTerms() public {
        minted(alice, 10 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(BridgeMint.BelowMinimum.selector, 0.01 ether - 1, 0.01 ether));
        bridgeMint.burn(address(bridgedEth), 0.01 ether - 1, bob, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(BridgeMint.FeeAboveMaximum.selector, 0.003 ether, 0.003 ether - 1));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 0.003 ether - 1);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.TokenNotAllowed.selector, address(0)));
        bridgeMint.burn(address(0), 5_000 ether, bob, 5_000 ether);
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.burn(address(usdc), 1, bob, 1);
        address[3] memory lossy = [address(0), peer, relayer];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectRevert(abi.encodeWithSelector(BridgeEnd.InvalidRecipient.selector, lossy[i]));
            bridgeMint.burn(address(bridgedEth), 1 ether, lossy[i], 1 ether);
        }
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(true, false);
        vm.assertTrue(bridgeMint.burnsPaused());
        vm.prank(alice);
        vm.expectRevert(BridgeEnd.Paused.selector);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
    }

    function testFuzz_FeeIsTheFormulaOfTheSpecification(uint112 amount) public {
        if (amount < 0.01 ether) {
            vm.expectRevert(abi.encodeWithSelector(BridgeMint.BelowMinimum.selector, amount, 0.01 ether));
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
            vm.expectRevert(BridgeMint.InvalidPolicy.selector);
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
        vm.expectRevert(abi.encodeWithSelector(BridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.quoteFee(address(usdc), 1);
    }

    function test_OnlyTheBridgeRunsItsTokens() public {
        bytes memory refusal = abi.encodeWithSelector(BridgedToken.NotBridge.selector, relayer);
        vm.startPrank(relayer);
        vm.expectRevert(refusal);
        bridgedEth.mint(relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.handIn(alice, relayer, 1);
        vm.expectRevert(refusal);
        bridgedEth.retire(alice, 1);
        vm.stopPrank();
        vm.assertEq(bridgedEth.decimals(), 18);
    }

    function test_ConstructorRefusesNoUnit() public {
        vm.expectRevert(BridgeEnd.InvalidSetting.selector);
        new BridgeMint(setup(), 0);
    }
}
