// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IBridge, ILock} from "../fixtures/Interfaces.sol";

/// @dev The relayer that the admin announces and the guardian activates, without any delay.
contract StandbyTest is BridgeFixture {
    function activate(IBridge bridge) private {
        vm.prank(guardian);
        bridge.activateStandby();
    }

    function announce(IBridge bridge, address next) private {
        vm.prank(admin);
        bridge.setStandby(next);
    }

    function test_AnActivatedStandbyDelivers() public {
        fund(address(0), 10);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.StandbyChanged(address(0));
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.RelayerChanged(relayer, standby);
        activate(lock);
        vm.assertEq(lock.relayer(), standby);
        vm.assertEq(lock.standby(), address(0));
        vm.assertTrue(lock.isRelayerWallet(standby) && lock.isRelayerWallet(relayer));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, relayer));
        lock.releaseNative(1, bob, 1, 0);
        vm.prank(standby);
        lock.releaseNative(1, bob, 1, 0);
        vm.assertEq(bob.balance, 1);
    }

    function test_AStandbyIsActivatedOnce() public {
        activate(lock);
        vm.prank(guardian);
        vm.expectRevert(IBridgeGovernance.NoStandby.selector);
        lock.activateStandby();
        vm.assertEq(lock.relayer(), standby);
        // A stolen guardian key cannot switch back to the former relayer either: the admin announces the next standby.
        announce(lock, bob);
        activate(lock);
        vm.assertEq(lock.relayer(), bob);
    }

    function test_AStandbyIsWithdrawn() public {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.StandbyChanged(address(0));
        announce(lock, address(0));
        vm.prank(guardian);
        vm.expectRevert(IBridgeGovernance.NoStandby.selector);
        lock.activateStandby();
        vm.assertEq(lock.relayer(), relayer);
    }

    function test_ABridgeBeginsWithoutAStandby() public {
        IBridgeGovernance.Setup memory keys = setup();
        keys.standby = address(0);
        ILock made = newLock(keys, address(xcn), treasury);
        vm.assertEq(made.standby(), address(0));
        vm.prank(guardian);
        vm.expectRevert(IBridgeGovernance.NoStandby.selector);
        made.activateStandby();
    }

    /// @dev An announced account is not the relayer yet: it cannot deliver, and can claim its own credits.
    function test_AnAnnouncedStandbyHasNoRights() public {
        fund(address(0), 10);
        vm.prank(standby);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, standby));
        lock.releaseNative(1, bob, 1, 0);
        vm.prank(standby);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotGuardian.selector, standby));
        lock.activateStandby();
        vm.assertFalse(lock.isRelayerWallet(standby));
        vm.prank(relayer);
        lock.releaseNative(1, standby, 1, 0);
        vm.assertEq(standby.balance, 1);
    }

    /// @dev The announced account is reserved: no other role can take it.
    function test_AnAnnouncedStandbyIsTaken() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, standby);
        vm.startPrank(admin);
        vm.expectRevert(refusal);
        lock.setGuardian(standby);
        vm.expectRevert(refusal);
        lock.setRelayer(standby);
        vm.expectRevert(refusal);
        lock.transferOwnership(standby);
        vm.expectRevert(refusal);
        lock.setStandby(standby);
        vm.stopPrank();
    }

    /// @dev Its key may have been stolen. Only the admin may rotate back to it.
    function test_AFormerRelayerGetsNoOtherRole() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgeGovernance.FormerRelayer.selector, relayer);
        vm.startPrank(admin);
        lock.setRelayer(bob);
        vm.expectRevert(refusal);
        lock.setStandby(relayer);
        vm.expectRevert(refusal);
        lock.setGuardian(relayer);
        vm.expectRevert(refusal);
        lock.setPolicyManager(relayer);
        vm.expectRevert(refusal);
        lock.transferOwnership(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, relayer));
        lock.setTreasury(relayer);
        lock.setRelayer(relayer);
        vm.stopPrank();
        vm.assertEq(lock.relayer(), relayer);
    }

    /// @dev Paused deliveries stay paused: an activation does not replace the admin.
    function test_AnActivationResumesNothing() public {
        fund(address(0), 10);
        vm.prank(guardian);
        lock.pause(true, true);
        activate(lock);
        vm.prank(standby);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(1, bob, 1, 0);
    }

    /// @dev On the partner chain burns go to the new wallet, and the old wallet's tokens stay sealed.
    function test_BurnsGoToTheActivatedWallet() public {
        give(alice, 2 ether);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        activate(bridgeMint);
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        vm.assertEq(bridgedEth.handedIn(relayer), 1 ether);
        vm.assertEq(bridgedEth.handedIn(standby), 1 ether);
        vm.prank(standby);
        bridgeMint.retireOf(relayer, address(bridgedEth), 1 ether);
        vm.assertEq(bridgedEth.totalSupply(), 1 ether);
    }
}
