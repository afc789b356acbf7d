// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ReentrantBurnToken} from "../mocks/HostileTokens.sol";

contract WithdrawalsTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function notAllowed(address token) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, token);
    }

    function test_BurnHandsInWithoutAllowance() public {
        give(alice, 10 ether);
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
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, alice));
        bridgeMint.retire(address(bridgedEth), 1);
    }

    function test_BurnRefusesBadTerms() public {
        give(alice, 10 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.BelowMinimum.selector, 0.01 ether - 1, 0.01 ether));
        bridgeMint.burn(address(bridgedEth), 0.01 ether - 1, bob, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.FeeAboveMaximum.selector, 0.003 ether, 0.003 ether - 1));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 0.003 ether - 1);
        vm.expectRevert(notAllowed(NATIVE));
        bridgeMint.burn(NATIVE, 5_000 ether, bob, 5_000 ether);
        vm.expectRevert(notAllowed(address(usdc)));
        bridgeMint.burn(address(usdc), 1, bob, 1);
        address[5] memory lossy = [address(0), peer, relayer, address(bridgeMint), address(bridgedEth)];
        for (uint256 i = 0; i < 5; i++) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, lossy[i]));
            bridgeMint.burn(address(bridgedEth), 1 ether, lossy[i], 1 ether);
        }
        vm.stopPrank();
        vm.prank(policyManager);
        bridgeMint.setMaxAmount(address(bridgedEth), 2 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AboveMaximum.selector, 2 ether + 1, 2 ether));
        bridgeMint.burn(address(bridgedEth), 2 ether + 1, bob, 1 ether);
        bridgeMint.burn(address(bridgedEth), 2 ether, bob, 1 ether);
        vm.stopPrank();
        vm.prank(guardian);
        bridgeMint.pause(true, false);
        vm.assertTrue(bridgeMint.burnsPaused());
        vm.prank(alice);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
    }

    function test_AnAssetWithoutBeginningsIsNotBurntAndKeepsItsPolicy() public {
        give(alice, 10 ether);
        setListing(bridgeMint, address(bridgedEth), false, true);
        vm.prank(alice);
        vm.expectRevert(notAllowed(address(bridgedEth)));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        // A new fee policy does not relist the token.
        setFees(address(bridgedEth), IBridgeMint.FeePolicy(50, 1, 2));
        vm.prank(alice);
        vm.expectRevert(notAllowed(address(bridgedEth)));
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        setListing(bridgeMint, address(bridgedEth), true, true);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 0.005 ether);
        vm.assertEq(bridgedEth.balanceOf(relayer), 1 ether);
    }

    function test_AListedTokenWithoutPolicyIsNotBurnt() public {
        IBridgedToken other = newToken("Other", "O", 6, address(bridgeMint));
        list(bridgeMint, address(other), 0);
        vm.prank(alice);
        vm.expectRevert(notAllowed(address(other)));
        bridgeMint.burn(address(other), 1, bob, 1);
    }

    function test_ABurnWithinABurnHasItsOwnNumber() public {
        ReentrantBurnToken token = new ReentrantBurnToken(bridgeMint);
        list(bridgeMint, address(token), 0);
        setFees(address(token), IBridgeMint.FeePolicy(25, 1, 2));
        vm.prank(alice);
        bytes32 id = bridgeMint.burn(address(token), 10, bob, 10);
        vm.assertEq(id, idOf(block.chainid, address(bridgeMint), 0));
        vm.assertEq(bridgeMint.withdrawNonce(), 2);
        vm.assertEq(token.handedIn(), 20);
    }

    // ------------------------------------------------------------------------------------------- Native coin

    /// @dev The coin becomes float. The event counts in 18 decimals, msg.value in the coin's own unit.
    function test_WithdrawNativeKeepsTheCoinAsFloat() public {
        uint256 value = 10_000 ether / UNIT;
        vm.deal(alice, value);
        bytes32 id = idOf(block.chainid, address(bridgeMint), 0);
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.Withdraw(id, NATIVE, alice, bob, 10_000 ether, 1_000 ether, 0);
        vm.prank(alice);
        vm.assertEq(bridgeMint.withdrawNative{value: value}(bob, 1_000 ether), id);
        vm.assertEq(bridgeMint.float(), 10_000 ether);
        vm.assertEq(bridgeMint.withdrawNonce(), 1);
        vm.prank(relayer);
        bridgeMint.mint(1, NATIVE, alice, 10_000 ether);
        vm.assertEq(alice.balance, value);
    }

    function test_WithdrawNativeRefusesBadTerms() public {
        uint256 value = 5_000 ether / UNIT;
        vm.deal(alice, 10 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.BelowMinimum.selector, 5_000 ether - UNIT, 5_000 ether));
        bridgeMint.withdrawNative{value: value - 1}(bob, 5_000 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.FeeAboveMaximum.selector, 1_000 ether, 999 ether));
        bridgeMint.withdrawNative{value: value}(bob, 999 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AboveMaximum.selector, HIGHEST + UNIT, HIGHEST));
        bridgeMint.withdrawNative{value: HIGHEST / UNIT + 1}(bob, HIGHEST);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, peer));
        bridgeMint.withdrawNative{value: value}(peer, 5_000 ether);
        vm.stopPrank();
        setListing(bridgeMint, NATIVE, false, true);
        vm.prank(alice);
        vm.expectRevert(notAllowed(NATIVE));
        bridgeMint.withdrawNative{value: value}(bob, 5_000 ether);
        setListing(bridgeMint, NATIVE, true, true);
        vm.prank(guardian);
        bridgeMint.pause(true, false);
        vm.prank(alice);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.withdrawNative{value: value}(bob, 5_000 ether);
        vm.assertEq(bridgeMint.withdrawNonce(), 0);
    }

    // -------------------------------------------------------------------------------------------------- Fees

    function testFuzz_FeeIsTheFormulaOfTheSpecification(uint112 amount) public {
        if (amount < 0.01 ether) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeMint.BelowMinimum.selector, amount, 0.01 ether));
            bridgeMint.quoteFee(address(bridgedEth), amount);
            return;
        }
        if (amount > HIGHEST) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AboveMaximum.selector, amount, HIGHEST));
            bridgeMint.quoteFee(address(bridgedEth), amount);
            return;
        }
        uint256 share = (uint256(amount) * 25) / 10_000;
        uint256 fee = bridgeMint.quoteFee(address(bridgedEth), amount);
        vm.assertEq(fee, share > 0.003 ether ? share : 0.003 ether);
        vm.assertTrue(fee < amount);
    }

    /// @dev A quote succeeds where the withdrawal would, and also while paused.
    function test_AQuoteIsWhatAWithdrawalWouldPay() public {
        vm.prank(guardian);
        bridgeMint.pause(true, true);
        vm.assertEq(bridgeMint.quoteFee(NATIVE, 5_000 ether), 1_000 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.Dust.selector, 5_000 ether + 1, UNIT));
        bridgeMint.quoteFee(NATIVE, 5_000 ether + 1);
        vm.expectRevert(notAllowed(address(usdc)));
        bridgeMint.quoteFee(address(usdc), 1);
        setListing(bridgeMint, NATIVE, false, true);
        vm.expectRevert(notAllowed(NATIVE));
        bridgeMint.quoteFee(NATIVE, 5_000 ether);
    }

    function testFuzz_PoliciesUnderWhichNothingArrivesAreRefused(uint16 bps, uint96 minFee, uint96 minAmount) public {
        vm.assume(minFee < type(uint96).max);
        vm.prank(admin);
        bridgeMint.setFeeCeiling(
            address(bridgedEth),
            IBridgeMint.FeePolicy(9_999, type(uint96).max - 1, type(uint96).max)
        );
        vm.startPrank(policyManager);
        IBridgeMint.FeePolicy memory policy = IBridgeMint.FeePolicy(bps, minFee, minAmount);
        if (bps >= 10_000) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, bps, 9_999));
            bridgeMint.setFeePolicy(address(bridgedEth), policy);
            policy.bps = 9_999;
        }
        if (minAmount <= minFee) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeMint.MinimumNotAboveFee.selector, minAmount, minFee));
            bridgeMint.setFeePolicy(address(bridgedEth), policy);
            vm.stopPrank();
            return;
        }
        vm.expectEmit(address(bridgeMint));
        emit IBridgeMint.FeePolicySet(address(bridgedEth), policy.bps, minFee, minAmount);
        bridgeMint.setFeePolicy(address(bridgedEth), policy);
        vm.stopPrank();
        (uint16 readBps, uint96 readFee, uint96 readAmount) = bridgeMint.feePolicy(address(bridgedEth));
        vm.assertTrue(readBps == policy.bps && readFee == minFee && readAmount == minAmount);
        if (minAmount <= HIGHEST) {
            vm.assertTrue(bridgeMint.quoteFee(address(bridgedEth), minAmount) < minAmount);
        }
    }
}
