// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOffices} from "../../../src/interfaces/IOffices.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev The recovery's key is stolen, alone or with the relayer's. Alone it does nothing; owner and guardian replace it
/// with two transactions.
contract StolenRecoveryTest is OfficesFixture {
    function test_ItDoesNothing() public {
        bytes memory nothing = "";
        bytes32 id = schedule(address(bridge), abi.encodeCall(bridge.setStandby, (address(0))));
        address target = address(timelock);
        vm.assertFalse(tryCall(recovery, target, abi.encodeCall(timelock.cancel, (id))));
        bytes memory announcement = abi.encodeCall(timelock.schedule, (target, 0, nothing, 0, 0, DELAY));
        vm.assertFalse(tryCall(recovery, target, announcement));
        vm.assertFalse(tryCall(recovery, address(sentinel), abi.encodeCall(sentinel.pause, (true, true))));
        vm.assertFalse(tryCall(recovery, address(sentinel), abi.encodeCall(sentinel.addPauser, (thief))));
        // The thief votes itself into every office a thousand times, and no vote is executed.
        for (uint256 i = 0; i < 1_000; i++) {
            voteReplace(recovery, IOffices.Office(i % 3), address(uint160(0xE000 + i)));
        }
        voteUnpause(recovery, 0);
        vm.assertEq(timelock.round(), 1);
        replace(IOffices.Office.Recovery, next, owner, guardian);
        vm.assertEq(timelock.recovery(), next);
        vm.assertEq(block.timestamp, BEGAN);
    }

    /// @dev With the relayer's key as well, the thief lifts no pause.
    function test_WithTheRelayersKeyItGainsNothing() public {
        deposit(100 ether);
        vm.prank(pauser);
        sentinel.pause(false, true);
        voteUnpause(recovery, 1);
        vm.assertFalse(trySteal(0));
    }
}
