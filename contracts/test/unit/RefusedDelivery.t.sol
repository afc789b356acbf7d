// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {IBridgeLock} from "../../src/bridge/IBridgeLock.sol";
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

    function test_RefusedTokenIsCreditedAndClaimedElsewhere() public {
        fund(address(usdc), 100);
        usdc.setBlocklisted(bob, true);
        bytes32 id = idOf(PEER_CHAIN, peer, 1);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(id, address(usdc), bob, 90, 10);
        vm.expectEmit(address(lock));
        emit IBridgeEnd.Credited(id, address(usdc), bob, 90);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 90, 10);
        vm.assertEq(lock.claimable(address(usdc), bob), 90);
        vm.assertEq(lock.locked(address(usdc)), 0);
        vm.assertEq(lock.feesAccrued(address(usdc)), 10);
        vm.expectEmit(address(lock));
        emit IBridgeEnd.Claimed(address(usdc), bob, alice, 90);
        vm.prank(bob);
        lock.claim(address(usdc), alice);
        vm.assertEq(usdc.balanceOf(alice), 90);
        vm.assertEq(lock.totalClaimable(address(usdc)), 0);
        vm.prank(bob);
        vm.expectRevert(IBridgeEnd.NothingToPay.selector);
        lock.claim(address(usdc), alice);
    }

    function test_RefusedCoinIsCreditedAndClaimed() public {
        fund(address(0), 10 ether);
        RejectingReceiver rejecting = new RejectingReceiver();
        vm.prank(relayer);
        lock.releaseNative(1, address(rejecting), 4 ether, 1 ether);
        vm.assertEq(lock.claimable(address(0), address(rejecting)), 4 ether);
        vm.assertEq(lock.locked(address(0)), 5 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.NativeTransferFailed.selector, address(rejecting)));
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
