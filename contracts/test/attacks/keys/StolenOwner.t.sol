// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOffices} from "../../../src/interfaces/IOffices.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev The key of the timelock's owner is stolen, alone or with the relayer's. Guardian and recovery replace it with
/// two transactions, before anything that it announced is ready.
contract StolenOwnerTest is OfficesFixture {
    function setUp() public override {
        super.setUp();
        deposit(1_000 ether);
    }

    /// @dev Two transactions, plus one for each announced call. No delay.
    function test_TwoVotesReplaceIt() public {
        bytes memory coup = abi.encodeCall(bridge.setRelayer, (thief));
        bytes32 id = schedule(address(bridge), coup);
        voteReplace(owner, IOffices.Office.Guardian, thief);
        replace(IOffices.Office.Owner, next, guardian, recovery);
        vm.assertEq(block.timestamp, BEGAN);
        vm.warp(BEGAN + DELAY);
        vm.assertFalse(tryExecute(owner, address(bridge), coup));
        vm.prank(guardian);
        timelock.cancel(id);
        vm.assertFalse(tryExecute(next, address(bridge), coup));
        vm.assertEq(bridge.relayer(), relayer);
        vm.assertEq(timelock.guardian(), guardian);
    }

    /// @dev The owner replaces another office by an announced call, which the guardian cancels.
    function test_ItFillsNoOtherOfficeWhileTheGuardianWatches() public {
        for (uint256 i = 1; i < 3; i++) {
            bytes memory grab = abi.encodeCall(timelock.replace, (IOffices.Office(i), thief));
            bytes32 id = schedule(address(timelock), grab);
            vm.prank(guardian);
            timelock.cancel(id);
            vm.warp(block.timestamp + DELAY);
            vm.assertFalse(tryExecute(owner, address(timelock), grab));
        }
        vm.assertEq(timelock.guardian(), guardian);
        vm.assertEq(timelock.recovery(), recovery);
    }

    /// @dev If no office acts within the delay, the thief holds two offices and takes the third immediately.
    function test_WhatNoOfficeStopsHappens() public {
        execute(address(timelock), abi.encodeCall(timelock.replace, (IOffices.Office.Recovery, thief)));
        replace(IOffices.Office.Guardian, bob, owner, thief);
        vm.assertEq(timelock.guardian(), bob);
    }

    /// @dev With the relayer's key the thief takes only what leaves before a pauser acts.
    function test_WithTheRelayersKeyItTakesNoMoreThanAlone() public {
        vm.assertTrue(trySteal(0));
        vm.prank(pauser);
        sentinel.pause(true, true);
        bytes memory lift = abi.encodeCall(bridge.unpause, (1, true, true));
        schedule(address(bridge), lift);
        replace(IOffices.Office.Owner, next, guardian, recovery);
        vm.prank(guardian);
        sentinel.activateStandby();
        unpauseBy(guardian, recovery);
        vm.assertEq(block.timestamp, BEGAN);
        vm.assertFalse(isStopped());
        vm.assertFalse(trySteal(1));
    }
}
