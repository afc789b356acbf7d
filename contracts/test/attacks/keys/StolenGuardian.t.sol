// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../../src/interfaces/IBridgeMint.sol";
import {IOffices} from "../../../src/interfaces/IOffices.sol";
import {ISentinel} from "../../../src/interfaces/ISentinel.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev The guardian's key is stolen, alone or with the relayer's. At worst the thief stops the bridge until owner and
/// recovery replace the key, and activates the relayer that the admin chose. The key moves no funds.
contract StolenGuardianTest is OfficesFixture {
    function setUp() public override {
        super.setUp();
        fund(address(0), 100 ether);
    }

    /// @dev Refuses every setting and delivery except the guardian's two functions.
    function test_TheKeyMovesNothing() public {
        address thief = guardian;
        bytes[16] memory calls = [
            abi.encodeCall(lock.unpause, (0, true, true)),
            abi.encodeCall(lock.setRelayer, (bob)),
            abi.encodeCall(lock.setStandby, (bob)),
            abi.encodeCall(lock.setGuardian, (bob)),
            abi.encodeCall(lock.setPolicyManager, (bob)),
            abi.encodeCall(lock.setAttesters, (new address[](0), 0)),
            abi.encodeCall(lock.listToken, (listing(bob, 0))),
            abi.encodeCall(lock.setListing, (address(0), true, true)),
            abi.encodeCall(lock.setLimitCeiling, (address(0), IBridgeGovernance.Limits(HIGHEST, 60, HIGHEST))),
            abi.encodeCall(lock.setOutflowLimit, (address(0), HIGHEST, 60)),
            abi.encodeCall(lock.setMaxAmount, (address(0), 0)),
            abi.encodeCall(lock.transferOwnership, (bob)),
            abi.encodeCall(lock.acceptOwnership, ()),
            abi.encodeCall(lock.setTreasury, (bob)),
            abi.encodeCall(lock.redirectCredit, (address(0), peer, bob)),
            abi.encodeCall(lock.releaseNative, (1, bob, 1 ether, 0))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(thief);
            (bool done, ) = address(lock).call(calls[i]);
            vm.assertFalse(done);
        }
        vm.startPrank(thief);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotPolicyManager.selector, thief));
        bridgeMint.setFeePolicy(address(0), IBridgeMint.FeePolicy(0, 0, 1));
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, thief));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        vm.stopPrank();
        vm.assertEq(address(lock).balance, 100 ether);
    }

    /// @dev The thief adds a thousand pausers, pauses in every block and cancels every repair. Owner and recovery
    /// replace the key and lift its pauses: four transactions, no delay, and all of its pausers are revoked.
    function test_FourVotesEndItsRule() public {
        vm.startPrank(guardian);
        for (uint160 i = 1; i <= 1_000; i++) sentinel.addPauser(address(0xFA00 + i));
        sentinel.pause(true, true);
        vm.stopPrank();
        for (uint256 i = 0; i < 3; i++) {
            bytes32 repair = schedule(address(bridge), abi.encodeCall(bridge.setGuardian, (next)));
            vm.startPrank(guardian);
            timelock.cancel(repair);
            sentinel.pause(true, true);
            vm.stopPrank();
        }
        replace(IOffices.Office.Guardian, next, owner, recovery);
        unpauseBy(owner, recovery);
        vm.assertEq(block.timestamp, BEGAN);
        vm.assertFalse(isStopped());
        address[3] memory former = [guardian, address(0xFA01), address(uint160(0xFA00 + 1_000))];
        for (uint256 i = 0; i < 3; i++) {
            vm.prank(former[i]);
            vm.expectRevert(abi.encodeWithSelector(ISentinel.NotPauser.selector, former[i]));
            sentinel.pause(true, true);
        }
        vm.prank(next);
        sentinel.addPauser(pauser);
    }

    /// @dev With the relayer's key as well: the thief does not pause and cannot activate a relayer of its own. A pauser
    /// stops it.
    function test_WithTheRelayersKeyAPauserStopsIt() public {
        deposit(100 ether);
        vm.assertTrue(trySteal(0));
        vm.prank(pauser);
        sentinel.pause(false, true);
        vm.assertFalse(trySteal(1));
        vm.prank(guardian);
        sentinel.removePauser(pauser);
        vm.assertFalse(trySteal(1));
        replace(IOffices.Office.Guardian, next, owner, recovery);
        vm.prank(next);
        sentinel.activateStandby();
        unpauseBy(owner, recovery);
        vm.assertFalse(trySteal(1));
        vm.assertEq(block.timestamp, BEGAN);
    }

    /// @dev With the relayer's key as well, the standby gains the thief nothing: the admin chose it, and it activates
    /// once.
    function test_WithTheRelayersKeyItCannotChooseTheRelayer() public {
        vm.startPrank(guardian);
        lock.activateStandby();
        vm.expectRevert(IBridgeGovernance.NoStandby.selector);
        lock.activateStandby();
        vm.stopPrank();
        vm.assertEq(lock.relayer(), standby);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, relayer));
        lock.releaseNative(1, bob, 1 ether, 0);
    }

    /// @dev A thief with the relayer's key waits for the pause to end. A pause of deliveries does not end: only the
    /// admin resumes them, and rotates the key first.
    function test_AThiefWhoWaitsOutAPauseGetsNothing() public {
        vm.prank(guardian);
        lock.pause(true, true);
        vm.prank(guardian);
        bridgeMint.pause(true, true);
        for (uint256 i = 1; i <= 10; i++) {
            vm.warp(BEGAN + i * 8 days);
            vm.startPrank(relayer);
            vm.expectRevert(IBridgeBase.Paused.selector);
            lock.releaseNative(1, bob, 1 ether, 0);
            vm.expectRevert(IBridgeBase.Paused.selector);
            bridgeMint.mint(1, address(bridgedEth), bob, 1 ether);
            vm.expectRevert(IBridgeBase.Paused.selector);
            bridgeMint.refund("refund", address(bridgedEth), bob, 1, noAttestation());
            vm.stopPrank();
        }
        // Deposits resume after seven days, and none of their funds leave either.
        depositWithValue(alice, 1 ether, bob);
        vm.prank(guardian);
        lock.activateStandby();
        unpause(lock, true, true);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, relayer));
        lock.releaseNative(1, bob, 1 ether, 0);
        vm.assertEq(address(lock).balance, 101 ether);
    }

    /// @dev An unpause that was announced for an old pause does not lift the one against the thief.
    function test_AnAnnouncedUnpauseDoesNotHelpTheThief() public {
        vm.prank(guardian);
        lock.pause(false, true);
        (, , uint256 announced) = lock.pauses();
        // Between the announcement and its execution the relayer's key is stolen.
        vm.prank(guardian);
        lock.pause(false, true);
        vm.prank(admin);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeGovernance.PauseCountMismatch.selector, announced, announced + 1)
        );
        lock.unpause(announced, true, true);
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseNative(1, bob, 1 ether, 0);
    }
}
