// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {GasEater, ReentrantReceiver, RejectingReceiver, GasHungryReceiver} from "../mocks/HostileReceivers.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";

contract RefusedDeliveryTest is BridgeFixture {
    function test_AShortReleaseHasTheGasForTheRecipientOrFails() public {
        fund(address(0), 10 ether);
        address hungry = address(new GasHungryReceiver());
        // For every gas limit of the relayer: a recipient that would have accepted the coin never gets a credit
        // instead.
        for (uint256 gasGiven = 60_000; gasGiven < 260_000; gasGiven += 1_000) {
            vm.prank(relayer);
            (bool released, ) = address(lock).call{gas: gasGiven}(
                abi.encodeCall(lock.releaseNative, (gasGiven, hungry, 1, 0))
            );
            if (released) vm.assertEq(lock.claimable(address(0), hungry), 0);
        }
        vm.assertTrue(hungry.balance > 0);
    }

    /// @dev The same in a batch, behind a recipient that burns its share. Too little gas is never a skip.
    function test_AShortBatchPaysInFullOrNotAtAll() public {
        fund(address(0), 10 ether);
        address hungry = address(new GasHungryReceiver());
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](3);
        payments[0].recipient = address(new GasEater());
        payments[1].recipient = hungry;
        payments[2].recipient = bob;
        uint256 done = 0;
        for (uint256 gasGiven = 100_000; gasGiven < 500_000; gasGiven += 5_000) {
            for (uint256 i = 0; i < 3; i++) {
                payments[i].withdrawNonce = gasGiven + i;
                payments[i].amount = 1;
            }
            vm.prank(relayer);
            (bool released, bytes memory answer) = address(lock).call{gas: gasGiven}(
                abi.encodeCall(lock.releaseMany, (payments, noAttestation()))
            );
            if (!released) {
                vm.assertFalse(lock.isReleased(gasGiven));
                continue;
            }
            done++;
            vm.assertEq(abi.decode(answer, (uint256)), 7);
            vm.assertEq(hungry.balance, done);
            vm.assertEq(bob.balance, done);
        }
        vm.assertTrue(done > 0 && done < 80);
        vm.assertEq(lock.claimable(address(0), payments[0].recipient), done);
    }

    function test_RefusedTokenIsCreditedAndClaimedElsewhere() public {
        fund(address(usdc), 100);
        usdc.setBlocklisted(bob, true);
        bytes32 id = idOf(PEER_CHAIN, peer, 1);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(id, address(usdc), bob, 90, 10);
        vm.expectEmit(address(lock));
        emit IBridgeBase.Credited(id, address(usdc), bob, 90);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 90, 10);
        vm.assertEq(lock.claimable(address(usdc), bob), 90);
        vm.assertEq(lock.locked(address(usdc)), 0);
        vm.assertEq(lock.feesAccrued(address(usdc)), 10);
        vm.expectEmit(address(lock));
        emit IBridgeBase.Claimed(address(usdc), bob, alice, 90);
        vm.prank(bob);
        lock.claim(address(usdc), alice);
        vm.assertEq(usdc.balanceOf(alice), 90);
        vm.assertEq(lock.totalClaimable(address(usdc)), 0);
        vm.prank(bob);
        vm.expectRevert(IBridgeBase.NothingToPay.selector);
        lock.claim(address(usdc), alice);
    }

    function test_RefusedCoinIsCreditedAndClaimed() public {
        fund(address(0), 10 ether);
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.prank(relayer);
        lock.releaseNative(1, address(rejecting), 4 ether, 1 ether);
        vm.assertEq(lock.claimable(address(0), address(rejecting)), 4 ether);
        vm.assertEq(lock.locked(address(0)), 5 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NativeTransferFailed.selector, address(rejecting)));
        rejecting.claim(lock, address(0), address(rejecting));
        rejecting.claim(lock, address(0), bob);
        vm.assertEq(bob.balance, 4 ether);
        vm.assertEq(address(lock).balance, 6 ether);
    }

    function test_ARecipientCannotBurnTheRelayersGas() public {
        fund(address(0), 10 ether);
        address eater = address(new GasEater());
        vm.prank(relayer);
        uint256 before = gasleft();
        lock.releaseNative(1, eater, 1 ether, 0);
        vm.assertLe(before - gasleft(), 250_000);
        vm.assertEq(lock.claimable(address(0), eater), 1 ether);
    }

    /// @dev One gas below the limit the delivery reverts; at the limit the recipient gets its whole share.
    function test_TheGasCheckHasAnExactEdge() public {
        fund(address(0), 10 ether);
        // Warm the slots, or the first delivery would cost more than the others.
        vm.prank(relayer);
        lock.releaseNative(0, bob, 1, 0);
        uint256 low = 60_000;
        uint256 high = 400_000;
        // The exact minimum gas with which a delivery passes.
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            if (probe(middle, bob)) high = middle;
            else low = middle;
        }
        // The recipient needs most of its share. It gets the whole share, or the call reverts.
        vm.etch(bob, address(new GasHungryReceiver()).code);
        (bool done, bytes memory answer) = attempt(low, bob, 1);
        vm.assertFalse(done);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(IBridgeBase.InsufficientGas.selector));
        (uint256 available, uint256 required) = abi.decode(slice(answer), (uint256, uint256));
        vm.assertEq(required, REQUIRED_GAS);
        vm.assertTrue(available < required);
        vm.expectCall(bob, 1, uint64(DELIVERY_GAS), "");
        (done, ) = attempt(high, bob, 1);
        vm.assertTrue(done);
        vm.assertEq(bob.balance, 2);
        // A gas-burning recipient is credited, or the call reverts.
        vm.etch(bob, address(new GasEater()).code);
        uint256 gasGiven = high;
        (done, ) = attempt(gasGiven, bob, 2);
        while (!done) {
            vm.assertFalse(lock.isReleased(2));
            gasGiven += 500;
            (done, ) = attempt(gasGiven, bob, 2);
        }
        vm.assertEq(lock.claimable(address(0), bob), 1);
        vm.assertLe(gasGiven, high + 20_000);
    }

    /// @dev On the partner chain a recipient without code has another share.
    function test_TheGasCheckKnowsTheShareOfANewAccount() public {
        vm.deal(relayer, 10);
        uint256 share = bridgeMint.NEW_ACCOUNT_GAS();
        uint256 required = share + share / 63 + 50_000;
        vm.prank(relayer);
        (bool done, bytes memory answer) = address(bridgeMint).call{value: 1, gas: required}(
            abi.encodeCall(bridgeMint.mint, (1, address(0), bob, UNIT))
        );
        vm.assertFalse(done);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(IBridgeBase.InsufficientGas.selector));
        (, uint256 asked) = abi.decode(slice(answer), (uint256, uint256));
        vm.assertEq(asked, required);
    }

    function probe(uint256 gasGiven, address recipient) private returns (bool done) {
        try this.rehearse(gasGiven, recipient) {} catch (bytes memory answer) {
            done = abi.decode(answer, (bool));
        }
    }

    /// @dev Always reverts with the outcome of the call, so that every attempt starts from the same state.
    function rehearse(uint256 gasGiven, address recipient) external {
        (bool done, ) = attempt(gasGiven, recipient, 1);
        assembly ("memory-safe") {
            mstore(0, done)
            revert(0, 32)
        }
    }

    function attempt(uint256 gasGiven, address recipient, uint256 nonce) private returns (bool, bytes memory) {
        bytes memory call = abi.encodeCall(lock.releaseNative, (nonce, recipient, 1, 0));
        vm.prank(relayer);
        return address(lock).call{gas: gasGiven}(call);
    }

    /// @dev The words after a selector.
    function slice(bytes memory answer) private pure returns (bytes memory words) {
        words = new bytes(answer.length - 4);
        for (uint256 i = 0; i < words.length; i++) words[i] = answer[i + 4];
    }

    /// @dev The recipient claims its credit from within a second payment. The guard refuses that until the payment
    /// ends.
    function test_ReentranceIsRefused() public {
        fund(address(0), 10 ether);
        ReentrantReceiver attacker = new ReentrantReceiver();
        vm.prank(relayer);
        lock.releaseNative(1, address(attacker), 1 ether, 0);
        vm.assertEq(lock.claimable(address(0), address(attacker)), 1 ether);
        attacker.setAccepts(true);
        attacker.setAttack(address(lock), 0, abi.encodeCall(lock.claim, (address(0), address(attacker))));
        vm.prank(relayer);
        lock.releaseNative(2, address(attacker), 2 ether, 0);
        vm.assertEq(uint256(attacker.outcome()), uint256(ReentrantAttacker.Outcome.Guarded));
        vm.assertEq(address(attacker).balance, 2 ether);
        // The same call from outside.
        vm.prank(address(attacker));
        lock.claim(address(0), address(attacker));
        vm.assertEq(address(attacker).balance, 3 ether);
    }
}
