// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../../../src/interfaces/IBridgeGovernance.sol";
import {IOffices} from "../../../src/interfaces/IOffices.sol";
import {ISentinel} from "../../../src/interfaces/ISentinel.sol";
import {OfficesFixture} from "../../fixtures/OfficesFixture.sol";

/// @dev The key of a pauser is stolen from an online machine, alone or with the relayer's. The key can stop the bridge
/// until the guardian removes it, and do nothing else.
contract HotPauserTest is OfficesFixture {
    function test_ItOnlyPauses() public {
        (uint256 round, uint256 count) = (timelock.round(), 0);
        bytes[6] memory calls = [
            abi.encodeCall(sentinel.activateStandby, ()),
            abi.encodeCall(sentinel.addPauser, (thief)),
            abi.encodeCall(sentinel.removePauser, (pauser)),
            abi.encodeCall(bridge.pause, (true, true)),
            abi.encodeCall(bridge.unpause, (count, true, true)),
            abi.encodeCall(timelock.voteUnpause, (round, address(bridge), count, true, true))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            address target =
                i < 3
                    ? address(sentinel)
                    : i < 5
                        ? address(bridge)
                        : address(timelock);
            vm.assertFalse(tryCall(pauser, target, calls[i]));
        }
    }

    /// @dev The thief pauses before each vote. One call removes the key and two votes lift the pause: three
    /// transactions, no delay.
    function test_ThreeTransactionsEndIt() public {
        vm.prank(pauser);
        sentinel.pause(true, true);
        voteUnpause(owner, 1);
        vm.prank(pauser);
        sentinel.pause(true, true);
        uint256 round = timelock.round();
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.PauseCountMismatch.selector, 1, 2));
        timelock.voteUnpause(round, address(bridge), 1, true, true);
        vm.prank(guardian);
        sentinel.removePauser(pauser);
        unpauseBy(owner, guardian);
        vm.assertFalse(isStopped());
        vm.assertEq(block.timestamp, BEGAN);
        vm.prank(pauser);
        vm.expectRevert(abi.encodeWithSelector(ISentinel.NotPauser.selector, pauser));
        sentinel.pause(true, true);
    }

    /// @dev The thief cannot revive an old vote: 300 pauses later it lifts no pause and voids no replacement.
    function test_NoNumberOfPausesCompletesAnOldVote() public {
        vm.prank(pauser);
        sentinel.pause(true, true);
        voteUnpause(owner, 1);
        execute(address(bridge), abi.encodeCall(bridge.pause, (true, true)));
        voteReplace(owner, IOffices.Office.Guardian, next);
        bytes memory old = abi.encodeCall(timelock.voteUnpause, (1, address(bridge), 1, true, true));
        for (uint256 i = 0; i < 300; i++) {
            vm.assertFalse(tryCall(recovery, address(timelock), old));
            vm.prank(pauser);
            sentinel.pause(true, true);
        }
        (uint256 until, bool deliveriesPaused, uint256 count) = bridge.pauses();
        vm.assertTrue(deliveriesPaused && until == type(uint32).max && count == 302);
        voteReplace(recovery, IOffices.Office.Guardian, next);
        vm.assertEq(timelock.guardian(), next);
        unpauseBy(owner, recovery);
        vm.assertFalse(isStopped());
    }

    /// @dev With the relayer's key as well, the thief's own pause stops the thief's deliveries.
    function test_WithTheRelayersKeyItGainsNothing() public {
        deposit(100 ether);
        vm.prank(pauser);
        sentinel.pause(true, true);
        vm.assertFalse(trySteal(0));
    }
}
