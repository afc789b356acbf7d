// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeSuccession} from "../../src/interfaces/IBridgeSuccession.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridge, ILock, IOwnable} from "../fixtures/Interfaces.sol";
import {SuccessionFixture} from "../fixtures/SuccessionFixture.sol";

/// @dev Each call of a succession, with every refusal.
contract SuccessionTest is SuccessionFixture {
    // ---------------------------------------------------------------------------------------------- Announce

    function test_AnAnnouncementBeginsTheWholeWindow() public {
        (uint256 window, address successor, uint256 from, bool begun) = lock.successionProgress();
        vm.assertTrue(window == EXIT_WINDOW && successor == address(0) && from == 0 && !begun);
        vm.expectEmit(address(lock));
        emit IBridgeSuccession.SuccessorAnnounced(address(nextLock), BEGAN + EXIT_WINDOW);
        announce(lock, address(nextLock));
        (, successor, from, begun) = lock.successionProgress();
        vm.assertTrue(successor == address(nextLock) && from == BEGAN + EXIT_WINDOW && !begun);
        // Nothing else changes: operations still begin.
        depositWithValue(alice, 1 ether, bob);
    }

    function test_AnnouncementsAreRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, guardian));
        vm.prank(guardian);
        lock.announceSuccessor(address(nextLock));
        refuseAnnouncement(address(0), abi.encodeWithSelector(IBridgeGovernance.ZeroAddress.selector));
        address[6] memory holders = [admin, guardian, policyManager, relayer, standby, treasury];
        for (uint256 i = 0; i < 6; i++) {
            bytes memory taken = abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, holders[i]);
            refuseAnnouncement(holders[i], taken);
        }
        address[4] memory ends = [address(lock), peer, address(usdc), address(xcn)];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory invalid = abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, ends[i]);
            refuseAnnouncement(ends[i], invalid);
        }
        refuseAnnouncement(bob, abi.encodeWithSelector(IBridgeSuccession.SuccessorWithoutCode.selector, bob));
        announce(lock, address(nextLock));
        refuseAnnouncement(
            address(nextMint),
            abi.encodeWithSelector(IBridgeSuccession.SuccessorTaken.selector, address(nextLock))
        );
    }

    function test_AnExitWindowOfZeroForbidsSuccessions() public {
        IBridgeGovernance.Setup memory keys = setup();
        keys.exitWindow = 0;
        ILock forbidding = newLock(keys, address(xcn), treasury);
        vm.prank(admin);
        vm.expectRevert(IBridgeSuccession.SuccessionForbidden.selector);
        forbidding.announceSuccessor(address(nextLock));
    }

    // --------------------------------------------------------------------------------------------- Terminate

    function test_AnEndedSuccessionIsFollowedByAWholeWindow() public {
        announce(lock, address(nextMint));
        vm.warp(BEGAN + EXIT_WINDOW + 9 days);
        vm.expectEmit(address(lock));
        emit IBridgeSuccession.SuccessionEnded(address(nextMint));
        terminate(lock);
        vm.assertEq(getSuccessor(lock), address(0));
        announce(lock, address(nextLock));
        vm.assertEq(handOverFrom(lock), BEGAN + 2 * EXIT_WINDOW + 9 days);
        vm.expectRevert(abi.encodeWithSelector(IBridgeSuccession.TooEarly.selector, handOverFrom(lock) - 3 days));
        lock.closeForEver();
    }

    function test_NothingEndsAfterTheFirstHandOver() public {
        vm.prank(admin);
        vm.expectRevert(IBridgeSuccession.NoSuccessor.selector);
        lock.terminateSuccession();
        fund(ETH, 2);
        closeBoth();
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, guardian));
        lock.terminateSuccession();
        handOver(lock, ETH, 1);
        vm.prank(admin);
        vm.expectRevert(IBridgeSuccession.HandOverHasBegun.selector);
        lock.terminateSuccession();
        // A refused hand-over of coin does not count as begun.
        vm.prank(admin);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        bridgeMint.handOver(ETH, 0);
        terminate(bridgeMint);
    }

    // ------------------------------------------------------------------------------------------------- Close

    function test_AnybodyClosesInTheLastThreeDays() public {
        vm.expectRevert(IBridgeSuccession.NoSuccessor.selector);
        lock.closeForEver();
        announce(lock, address(nextLock));
        uint256 opens = BEGAN + EXIT_WINDOW - 3 days;
        vm.warp(opens - 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeSuccession.TooEarly.selector, opens));
        lock.closeForEver();
        vm.warp(opens);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.PauseSet(type(uint32).max, false, 0, bob);
        vm.expectEmit(address(lock));
        emit IBridgeSuccession.BeginningsClosed(address(nextLock), BEGAN + EXIT_WINDOW);
        vm.prank(bob);
        lock.closeForEver();
        vm.expectRevert(IBridgeSuccession.BeginningsAreClosed.selector);
        lock.closeForEver();
    }

    /// @dev Closing late delays the hand-over: at least a day always remains.
    function test_ADayRemainsAfterClosing() public {
        announce(lock, address(nextLock));
        vm.warp(BEGAN + EXIT_WINDOW - 1 days);
        lock.closeForEver();
        vm.assertEq(handOverFrom(lock), BEGAN + EXIT_WINDOW);
        announce(bridgeMint, address(nextMint));
        vm.warp(handOverFrom(bridgeMint) + 5 days);
        bridgeMint.closeForEver();
        vm.assertEq(handOverFrom(bridgeMint), block.timestamp + 1 days);
    }

    /// @dev A local environment may have a window of an hour.
    function test_AShortWindowClosesFromTheBeginning() public {
        IBridgeGovernance.Setup memory keys = setup();
        keys.exitWindow = 1 hours;
        ILock short = newLock(keys, address(xcn), treasury);
        announce(short, address(nextLock));
        short.closeForEver();
        vm.assertEq(handOverFrom(short), BEGAN + 1 days);
    }

    /// @dev Neither an unpause, nor another succession, nor a listing reopens beginnings. Deliveries continue.
    function test_NothingOpensBeginningsAgain() public {
        vm.prank(guardian);
        lock.pause(true, true);
        give(alice, 1 ether);
        vm.deal(address(lock), 1 ether);
        closeBoth();
        unpause(lock, true, true);
        unpause(bridgeMint, true, true);
        terminate(lock);
        announce(lock, address(nextMint));
        unpause(lock, true, true);
        (uint256 until, bool deliveries, ) = lock.pauses();
        vm.assertEq(until, type(uint32).max);
        vm.assertFalse(deliveries);
        vm.expectRevert(IBridgeSuccession.BeginningsAreClosed.selector);
        lock.closeForEver();
        vm.deal(alice, 2 ether);
        vm.startPrank(alice);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.depositNative{value: 1}(bob);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        vm.expectRevert(IBridgeBase.Paused.selector);
        bridgeMint.withdrawNative{value: 1e12}(bob, 1e22);
        vm.stopPrank();
        vm.prank(relayer);
        lock.releaseNative(0, bob, 1, 0);
        give(alice, 1);
    }

    // ---------------------------------------------------------------------------------------------- Hand over

    function test_CollateralGoesToTheSuccessor() public {
        fund(ETH, 5 ether);
        fund(address(usdc), 700);
        closeBoth();
        vm.expectEmit(address(lock));
        emit IBridgeSuccession.HandedOver(address(nextLock), ETH, 2 ether);
        vm.expectEmit(address(nextLock));
        emit IBridgeBase.ToppedUp(address(lock), 2 ether);
        handOver(lock, ETH, 2 ether);
        vm.assertTrue(hasBegun(lock));
        handOver(lock, ETH, 3 ether);
        handOver(lock, address(usdc), 700);
        vm.assertEq(nextLock.locked(ETH), 5 ether);
        vm.assertEq(nextLock.locked(address(usdc)), 700);
        vm.assertEq(lock.locked(ETH) + lock.locked(address(usdc)), 0);
    }

    function test_FloatAndTokensGoToTheSuccessor() public {
        addFloat(9);
        give(alice, 3 ether);
        closeBoth();
        handOver(bridgeMint, ETH, 4 * UNIT);
        vm.assertEq(nextMint.float(), 4 * UNIT);
        vm.assertEq(bridgeMint.float(), 5 * UNIT);
        vm.expectEmit(address(bridgedEth));
        emit IBridgedToken.SuccessorNamed(address(nextMint));
        handOver(bridgeMint, address(bridgedEth), 0);
        vm.assertEq(bridgedEth.successor(), address(nextMint));
        vm.assertEq(bridgedEth.bridge(), address(bridgeMint));
        // Both editions mint while the old one drains; users burn in the new one.
        give(alice, 1 ether);
        vm.startPrank(relayer);
        nextMint.mint(0, address(bridgedEth), alice, 1 ether);
        vm.startPrank(alice);
        nextMint.burn(address(bridgedEth), 5 ether, bob, 0);
        vm.startPrank(relayer);
        nextMint.retire(address(bridgedEth), 4 ether);
        bridgeMint.retire(address(bridgedEth), 1 ether);
        vm.stopPrank();
        vm.assertEq(bridgedEth.totalSupply(), 0);
    }

    function test_HandOversAreRefused() public {
        fund(ETH, 10);
        fund(address(usdc), 10);
        refuseHandOver(lock, ETH, 1, abi.encodeWithSelector(IBridgeSuccession.NoSuccessor.selector));
        announce(lock, address(nextLock));
        vm.warp(BEGAN + EXIT_WINDOW + 1);
        refuseHandOver(lock, ETH, 1, abi.encodeWithSelector(IBridgeSuccession.BeginningsAreOpen.selector));
        lock.closeForEver();
        uint256 from = BEGAN + EXIT_WINDOW + 1 days + 1;
        vm.warp(from - 1);
        refuseHandOver(lock, ETH, 1, abi.encodeWithSelector(IBridgeSuccession.TooEarly.selector, from));
        vm.warp(from);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IOwnable.OwnableUnauthorizedAccount.selector, relayer));
        lock.handOver(ETH, 1);
        address foreign = address(bridgedEth);
        refuseHandOver(lock, foreign, 1, abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, foreign));
        for (uint256 i = 0; i < 2; i++) {
            address token = i == 0 ? ETH : address(usdc);
            refuseHandOver(lock, token, 0, abi.encodeWithSelector(IBridgeBase.ZeroAmount.selector));
            refuseHandOver(lock, token, 11, abi.encodeWithSelector(IBridgeSuccession.AboveFree.selector, 11, 10));
        }
        vm.assertFalse(hasBegun(lock));
    }

    function test_HandOversThereAreRefused() public {
        addFloat(9);
        closeBoth();
        address token = address(bridgedEth);
        bytes memory above = abi.encodeWithSelector(IBridgeSuccession.AboveFree.selector, 10 * UNIT, 9 * UNIT);
        refuseHandOver(bridgeMint, ETH, 10 * UNIT, above);
        refuseHandOver(bridgeMint, ETH, UNIT + 1, abi.encodeWithSelector(IBridgeBase.Dust.selector, UNIT + 1, UNIT));
        refuseHandOver(bridgeMint, token, 1, abi.encodeWithSelector(IBridgeSuccession.AboveFree.selector, 1, 0));
        // A token of another bridge that the admin listed here.
        IBridgedToken foreign = newToken("Foreign", "F", 18, peer);
        list(bridgeMint, address(foreign), 0);
        bytes memory notBridge = abi.encodeWithSelector(IBridgedToken.NotBridge.selector, address(bridgeMint));
        refuseHandOver(bridgeMint, address(foreign), 0, notBridge);
        handOver(bridgeMint, token, 0);
        bytes memory set = abi.encodeWithSelector(IBridgedToken.SuccessorSet.selector, address(nextMint));
        refuseHandOver(bridgeMint, token, 0, set);
    }

    /// @dev Credits and fees are not handed over, and are paid afterwards.
    function test_CreditsAndFeesStay() public {
        fund(ETH, 100);
        vm.startPrank(relayer);
        lock.releaseNative(0, address(lock), 20, 5);
        lock.releaseNative(1, bob, 10, 3);
        vm.stopPrank();
        closeBoth();
        refuseHandOver(lock, ETH, 63, abi.encodeWithSelector(IBridgeSuccession.AboveFree.selector, 63, 62));
        handOver(lock, ETH, 62);
        vm.assertEq(address(lock).balance, 28);
        lock.collectFees(ETH);
        vm.prank(admin);
        lock.redirectCredit(ETH, address(lock), alice);
        lock.claimFor(ETH, alice);
        vm.assertEq(address(lock).balance, 0);
    }

    // ------------------------------------------------------------------------------------------ Bridged token

    /// @dev The successor may call every function of the bridge except nameSuccessor.
    function test_TheTokenObeysBridgeAndSuccessorOnly() public {
        address successor = address(nextMint);
        vm.prank(successor);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.NotBridge.selector, successor));
        bridgedEth.nameSuccessor(successor);
        refuseFrom(successor);
        vm.prank(address(bridgeMint));
        bridgedEth.nameSuccessor(successor);
        refuseFrom(alice);
        vm.startPrank(successor);
        bridgedEth.mint(alice, 3);
        bridgedEth.mint(bob, 1);
        bridgedEth.bridgeTransfer(alice, relayer, 2);
        vm.stopPrank();
        vm.prank(bob);
        bridgedEth.transfer(relayer, 1);
        vm.startPrank(successor);
        bridgedEth.bridgeRefund(relayer, bob, 1);
        bridgedEth.retire(relayer, 2);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.NotBridge.selector, successor));
        bridgedEth.nameSuccessor(alice);
        vm.stopPrank();
        vm.assertEq(bridgedEth.totalSupply(), 2);
    }

    // ---------------------------------------------------------------------------------------------- Internals

    function refuseAnnouncement(address successor, bytes memory reason) private {
        vm.prank(admin);
        vm.expectRevert(reason);
        lock.announceSuccessor(successor);
    }

    function refuseHandOver(IBridge end, address token, uint256 amount, bytes memory reason) private {
        vm.prank(admin);
        vm.expectRevert(reason);
        end.handOver(token, amount);
    }

    function refuseFrom(address caller) private {
        bytes memory reason = abi.encodeWithSelector(IBridgedToken.NotBridge.selector, caller);
        vm.startPrank(caller);
        vm.expectRevert(reason);
        bridgedEth.mint(caller, 1);
        vm.expectRevert(reason);
        bridgedEth.bridgeTransfer(alice, caller, 1);
        vm.expectRevert(reason);
        bridgedEth.bridgeRefund(relayer, caller, 1);
        vm.expectRevert(reason);
        bridgedEth.retire(relayer, 1);
        vm.stopPrank();
    }
}
