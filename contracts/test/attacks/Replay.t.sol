// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ILock} from "../fixtures/Interfaces.sol";

/// @dev A delivery is repeated: here, on another chain, or in another deployment.
contract ReplayTest is BridgeFixture {
    function setUp() public override {
        super.setUp();
        fund(address(0), 100 ether);
        fund(address(xcn), 100 ether);
    }

    function test_NothingIsDeliveredTwiceHere() public {
        vm.startPrank(relayer);
        lock.releaseNative(3, bob, 1 ether, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, 3)));
        lock.releaseNative(3, bob, 1 ether, 0);
        // Another asset or other terms do not help: the number alone counts.
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, 3)));
        lock.release(3, address(xcn), alice, 2, 1);
        IBridgeLock.Intent memory intent = intentOf(bob, 1 ether, "intent");
        lock.releaseIntent(intent, TRANSFER, 0, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOfIntent(intent)));
        lock.releaseIntent(intent, "another transfer", 0, noAttestation());
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, TRANSFER));
        lock.releaseIntent(intentOf(bob, 1 ether, "another intent"), TRANSFER, 0, noAttestation());
        vm.stopPrank();
    }

    /// @dev Neither a new key, nor delisting and relisting the token, nor a pause and its end helps.
    function test_NoSettingForgetsADelivery() public {
        vm.prank(relayer);
        lock.releaseNative(3, bob, 1 ether, 0);
        vm.startPrank(admin);
        lock.setRelayer(alice);
        lock.setListing(address(0), false, false);
        lock.setListing(address(0), true, true);
        lock.pause(true, true);
        lock.unpause(1, true, true);
        vm.stopPrank();
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, 3)));
        lock.releaseNative(3, bob, 1 ether, 0);
    }

    /// @dev The same number has another id on every chain and in every deployment, so an event of one never matches
    /// another's.
    function test_IdsDifferByChainAndDeployment() public {
        bytes32 here = depositWithValue(alice, 1 ether, bob);
        ILock second = newLock(setup(), address(xcn), treasury);
        list(second, address(0), 0);
        vm.deal(alice, 2 ether);
        vm.startPrank(alice);
        // The same number of deposits as in the first one.
        second.depositNative{value: 1}(bob);
        second.depositNative{value: 1}(bob);
        bytes32 there = second.depositNative{value: 1}(bob);
        vm.assertEq(second.depositNonce(), lock.depositNonce());
        vm.assertFalse(here == there);
        // A fork of the chain starts with the same state, but its ids differ.
        uint256 number = lock.depositNonce();
        vm.chainId(777);
        bytes32 forked = lock.depositNative{value: 1}(bob);
        vm.stopPrank();
        vm.assertEq(forked, idOf(777, address(lock), number));
        vm.assertFalse(forked == idOf(31_337, address(lock), number));
    }

    /// @dev A deployment for another peer marks other ids. A deployment cannot be its own peer.
    function test_ADeploymentBelongsToOnePeer() public {
        IBridgeGovernance.Setup memory other = setup();
        other.peer = address(0xFEED);
        ILock second = newLock(other, address(xcn), treasury);
        list(second, address(0), 0);
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        second.depositNative{value: 1 ether}(bob);
        vm.startPrank(relayer);
        second.releaseNative(3, bob, 1, 0);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, address(0xFEED), 3))
        );
        second.releaseNative(3, bob, 1, 0);
        vm.stopPrank();
        vm.assertFalse(lock.isReleased(3));
    }
}
