// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IBridge} from "../fixtures/Interfaces.sol";

/// @dev No account holds two roles. Tries every setter with the holder of every role, on both contracts.
contract DistinctRolesTest is BridgeFixture {
    address private immutable nextAdmin = address(0xD1);
    address[2] private members = [address(0xD2), address(0xD3)];

    function setUp() public override {
        super.setUp();
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = i == 0 ? IBridge(address(lock)) : IBridge(address(bridgeMint));
            vm.startPrank(admin);
            bridge.setAttesters(setOf(members[0], members[1]), 0);
            bridge.transferOwnership(nextAdmin);
            vm.stopPrank();
        }
    }

    function setOf(address first, address second) private pure returns (address[] memory set) {
        set = new address[](2);
        (set[0], set[1]) = first < second ? (first, second) : (second, first);
    }

    function setters(IBridge bridge, address account) private pure returns (bytes[5] memory calls) {
        calls[0] = abi.encodeCall(bridge.setRelayer, (account));
        calls[1] = abi.encodeCall(bridge.setStandby, (account));
        calls[2] = abi.encodeCall(bridge.setGuardian, (account));
        calls[3] = abi.encodeCall(bridge.setPolicyManager, (account));
        calls[4] = abi.encodeCall(bridge.transferOwnership, (account));
    }

    function refuse(address target, bytes memory call, address holder) private {
        vm.prank(admin);
        (bool done, bytes memory answer) = target.call(call);
        vm.assertFalse(done);
        bytes memory expected = abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, holder);
        vm.assertEq(keccak256(answer), keccak256(expected));
    }

    function check(IBridge bridge, address[8] memory holders, uint256 count) private {
        for (uint256 i = 0; i < count; i++) {
            bytes[5] memory calls = setters(bridge, holders[i]);
            for (uint256 k = 0; k < 5; k++) refuse(address(bridge), calls[k], holders[i]);
            // Members of the current set may be members of the next one.
            if (holders[i] == members[0] || holders[i] == members[1]) continue;
            address[] memory set = setOf(holders[i], address(0xE0));
            refuse(address(bridge), abi.encodeCall(bridge.setAttesters, (set, 0)), holders[i]);
        }
    }

    function test_NoSetterGivesASecondRoleHere() public {
        address[8] memory holders = [admin, nextAdmin, guardian, policyManager, relayer, standby, members[1], treasury];
        check(lock, holders, 8);
        for (uint256 i = 0; i < 8; i++) {
            refuse(address(lock), abi.encodeCall(lock.setTreasury, (holders[i])), holders[i]);
        }
    }

    function test_NoSetterGivesASecondRoleThere() public {
        address[8] memory holders = [
            admin,
            nextAdmin,
            guardian,
            policyManager,
            relayer,
            standby,
            members[0],
            members[1]
        ];
        check(bridgeMint, holders, 8);
    }

    /// @dev An account that gave up its role can take another one.
    function test_AFormerHolderIsFree() public {
        vm.startPrank(admin);
        lock.setGuardian(bob);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.PolicyManagerChanged(policyManager, guardian);
        lock.setPolicyManager(guardian);
        lock.setTreasury(policyManager);
        lock.setAttesters(new address[](0), 0);
        lock.setStandby(members[0]);
        lock.transferOwnership(treasury);
        vm.stopPrank();
        vm.prank(treasury);
        lock.acceptOwnership();
        vm.assertEq(lock.owner(), treasury);
        vm.assertEq(lock.policyManager(), guardian);
        vm.assertEq(lock.standby(), members[0]);
    }

    /// @dev An offer to the zero address withdraws the previous offer.
    function test_AnOfferIsWithdrawn() public {
        vm.startPrank(admin);
        // Without a standby, that role's account is the zero address.
        lock.setStandby(address(0));
        lock.transferOwnership(address(0));
        vm.assertEq(lock.pendingOwner(), address(0));
        lock.setGuardian(nextAdmin);
        vm.stopPrank();
        vm.assertEq(lock.guardian(), nextAdmin);
    }

    /// @dev An account that is offered the admin's role cannot take another role before it accepts.
    function test_AnOfferedAccountStaysFreeOfOtherRoles() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, nextAdmin));
        lock.setAttesters(setOf(nextAdmin, bob), 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, nextAdmin));
        lock.setTreasury(nextAdmin);
        vm.stopPrank();
    }
}
