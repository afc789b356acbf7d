// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOffices} from "../../../src/interfaces/IOffices.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev Two offices are stolen, with and without the relayer's key. Any two are the admin: they take the third
/// immediately, and everything else after the delay, which is the time to leave.
contract StolenOfficesTest is OfficesFixture {
    IOffices.Office[2][3] private pairs = [
        [IOffices.Office.Owner, IOffices.Office.Guardian],
        [IOffices.Office.Owner, IOffices.Office.Recovery],
        [IOffices.Office.Guardian, IOffices.Office.Recovery]
    ];

    function setUp() public override {
        super.setUp();
        deposit(1_000 ether);
    }

    /// @dev Before the end of the delay a pair moves no funds. After it, all of them.
    function test_APairReachesEverythingAfterTheDelay() public {
        for (uint256 i = 0; i < 3; i++) {
            uint256 state = vm.snapshotState();
            address thiefsOwner = takeAll(pairs[i]);
            bytes memory coup = abi.encodeCall(bridge.setRelayer, (thief));
            schedule(address(bridge), coup);
            vm.warp(BEGAN + DELAY - 1);
            vm.assertFalse(tryExecute(thiefsOwner, address(bridge), coup));
            vm.assertEq(address(bridge).balance, 1_000 ether);
            vm.warp(BEGAN + DELAY);
            vm.assertTrue(tryExecute(thiefsOwner, address(bridge), coup));
            vm.prank(thief);
            bridge.releaseNative(0, alice, 1_000 ether, 0);
            vm.assertEq(alice.balance, 1_000 ether);
            vm.revertToState(state);
        }
    }

    /// @dev With the relayer's key a pair lifts every pause, so the room of the limit leaves immediately.
    function test_APairWithTheRelayersKeyTakesTheLimitImmediately() public {
        for (uint256 i = 0; i < 3; i++) {
            uint256 state = vm.snapshotState();
            vm.prank(pauser);
            sentinel.pause(true, true);
            vm.assertFalse(trySteal(0));
            unpauseBy(getAccount(pairs[i][0]), getAccount(pairs[i][1]));
            vm.assertTrue(trySteal(0));
            vm.assertEq(block.timestamp, BEGAN);
            vm.revertToState(state);
        }
    }

    /// @dev The pair gives all three offices to accounts of the thief. Returns the new owner.
    function takeAll(IOffices.Office[2] memory pair) private returns (address) {
        IOffices.Office third = IOffices.Office(3 - uint256(pair[0]) - uint256(pair[1]));
        replace(third, bob, getAccount(pair[0]), getAccount(pair[1]));
        vm.assertEq(block.timestamp, BEGAN);
        return timelock.owner();
    }

    function getAccount(IOffices.Office office) private view returns (address) {
        return [timelock.owner(), timelock.guardian(), timelock.recovery()][uint256(office)];
    }
}
