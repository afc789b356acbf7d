// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeSuccession} from "../../src/interfaces/IBridgeSuccession.sol";
import {IOffices} from "../../src/interfaces/IOffices.sol";
import {OfficesFixture} from "../fixtures/OfficesFixture.sol";

/// @dev Any two offices end an announced succession immediately, until the first hand-over.
contract SuccessionVotesTest is OfficesFixture {
    uint256 private constant EXIT_WINDOW = 30 days;
    uint256 private announcedAt;

    function setUp() public override {
        super.setUp();
        execute(address(bridge), abi.encodeCall(bridge.announceSuccessor, (address(lock))));
        announcedAt = block.timestamp;
    }

    function setup() internal view override returns (IBridgeGovernance.Setup memory keys) {
        keys = super.setup();
        keys.exitWindow = uint32(EXIT_WINDOW);
    }

    function test_AnyTwoEndASuccession() public {
        address[3] memory accounts = [owner, guardian, recovery];
        for (uint256 i = 0; i < 6; i++) {
            uint256 state = vm.snapshotState();
            voteEnd(accounts[i % 3], address(lock));
            vm.assertEq(successor(), address(lock));
            vm.expectEmit(address(bridge));
            emit IBridgeSuccession.SuccessionEnded(address(lock));
            voteEnd(accounts[(i + 1 + i / 3) % 3], address(lock));
            vm.assertEq(successor(), address(0));
            vm.assertEq(block.timestamp, announcedAt);
            vm.revertToState(state);
        }
    }

    /// @dev A vote names the successor: a later succession has its full window and needs two new votes to end.
    function test_AVoteEndsTheSuccessionThatItNames() public {
        voteEnd(guardian, address(lock));
        execute(address(bridge), abi.encodeCall(bridge.terminateSuccession, ()));
        execute(address(bridge), abi.encodeCall(bridge.announceSuccessor, (address(bridgeMint))));
        bytes memory other = abi.encodeWithSelector(
            IOffices.SuccessorMismatch.selector,
            address(lock),
            address(bridgeMint)
        );
        vm.prank(recovery);
        vm.expectRevert(other);
        timelock.voteEnd(1, address(bridge), address(lock));
        (, , uint256 from, ) = bridge.successionProgress();
        vm.assertEq(from, block.timestamp + EXIT_WINDOW);
        voteEnd(recovery, address(bridgeMint));
        vm.assertEq(successor(), address(bridgeMint));
        voteEnd(guardian, address(bridgeMint));
        vm.assertEq(successor(), address(0));
    }

    function test_BadVotesAreRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IOffices.NotAnOffice.selector, alice));
        vm.prank(alice);
        timelock.voteEnd(1, address(bridge), address(lock));
        vm.startPrank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IOffices.NotAdministered.selector, address(lock)));
        timelock.voteEnd(1, address(lock), address(bridge));
        vm.expectRevert(abi.encodeWithSelector(IOffices.RoundMismatch.selector, uint256(2), uint256(1)));
        timelock.voteEnd(2, address(bridge), address(lock));
        vm.stopPrank();
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(IOffices.SuccessorMismatch.selector, address(0), address(lock)));
        timelock.voteEnd(1, address(bridge), address(0));
    }

    /// @dev Votes fail after the first hand-over.
    function test_NoVoteEndsABegunHandOver() public {
        deposit(2 ether);
        vm.warp(announcedAt + EXIT_WINDOW - DELAY);
        bridge.closeForEver();
        execute(address(bridge), abi.encodeCall(bridge.handOver, (address(0), 1 ether)));
        vm.assertEq(lock.locked(address(0)), 1 ether);
        voteEnd(guardian, address(lock));
        vm.prank(recovery);
        vm.expectRevert(IBridgeSuccession.HandOverHasBegun.selector);
        timelock.voteEnd(1, address(bridge), address(lock));
    }

    function voteEnd(address voter, address named) private {
        uint256 round = timelock.round();
        vm.prank(voter);
        timelock.voteEnd(round, address(bridge), named);
    }

    function successor() private view returns (address announced) {
        (, announced, , ) = bridge.successionProgress();
    }
}
