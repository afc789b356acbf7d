// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ILock, IMint} from "../fixtures/Interfaces.sol";

contract ConstructorsTest is BridgeFixture {
    function tokensOf(address token) private pure returns (IBridgeGovernance.TokenSetup[] memory tokens) {
        tokens = new IBridgeGovernance.TokenSetup[](2);
        tokens[0] = IBridgeGovernance.TokenSetup(
            address(0),
            10,
            15,
            IBridgeGovernance.Limits(7e18, 600, 2e18),
            IBridgeGovernance.Limits(8e18, 300, 3e18)
        );
        tokens[1] = IBridgeGovernance.TokenSetup(
            token,
            0,
            3,
            IBridgeGovernance.Limits(3e6, 60, 1e6),
            IBridgeGovernance.Limits(3e6, 60, 1e6)
        );
    }

    function test_ALockBeginsWithItsTokensAndLimits() public {
        ILock made = newLock(setup(), tokensOf(address(usdc)), address(xcn), treasury);
        (bool mayBegin, bool mayDeliver, uint256 granularity, uint256 unit) = made.tokenSettings(address(0));
        vm.assertTrue(mayBegin && mayDeliver);
        vm.assertEq(granularity, 1e10);
        vm.assertEq(unit, 1e15);
        (uint256 capacity, uint256 window) = made.outflowLimit(address(usdc));
        vm.assertEq(capacity, 3e6);
        vm.assertEq(window, 60);
        vm.assertEq(made.maxAmount(address(0)), 2e18);
        IBridgeGovernance.Limits memory ceiling = made.limitCeiling(address(0));
        vm.assertEq(ceiling.capacity, 8e18);
        vm.assertEq(ceiling.window, 300);
        vm.assertEq(ceiling.maxAmount, 3e18);
        vm.assertEq(made.owner(), admin);
        vm.assertEq(made.guardian(), guardian);
        vm.assertEq(made.policyManager(), policyManager);
        vm.assertEq(made.standby(), standby);
        vm.assertEq(made.peer(), peer);
        vm.assertEq(made.peerChainId(), PEER_CHAIN);
        vm.assertEq(made.xcn(), address(xcn));
    }

    function test_AMintBeginsWithItsFeesToo() public {
        IBridgeMint.FeeSetup[] memory fees = new IBridgeMint.FeeSetup[](2);
        fees[0] = IBridgeMint.FeeSetup(
            address(0),
            IBridgeMint.FeePolicy(25, 100, 200),
            IBridgeMint.FeePolicy(50, 1_000, 2_000)
        );
        fees[1] = IBridgeMint.FeeSetup(
            address(bridgedEth),
            IBridgeMint.FeePolicy(0, 0, 1),
            IBridgeMint.FeePolicy(0, 0, 1)
        );
        IMint made = newMint(setup(), tokensOf(address(bridgedEth)), fees, UNIT);
        (uint16 bps, uint96 minFee, uint96 minAmount) = made.feePolicy(address(0));
        vm.assertTrue(bps == 25 && minFee == 100 && minAmount == 200);
        (bps, minFee, minAmount) = made.feeCeiling(address(0));
        vm.assertTrue(bps == 50 && minFee == 1_000 && minAmount == 2_000);
        vm.assertEq(made.quoteFee(address(bridgedEth), 1), 0);
        vm.assertEq(made.nativeUnit(), UNIT);
        fees[1].policy.minFee = 1;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, 1, 0));
        newMint(setup(), tokensOf(address(bridgedEth)), fees, UNIT);
        fees[1].policy.minFee = 0;
        fees[1].token = address(usdc);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, address(usdc)));
        newMint(setup(), tokensOf(address(bridgedEth)), fees, UNIT);
        IBridgeGovernance.TokenSetup[] memory tokens = tokensOf(address(bridgedEth));
        tokens[1].limits.window = 0;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.InvalidWindow.selector, 0));
        newMint(setup(), tokens, new IBridgeMint.FeeSetup[](0), UNIT);
    }

    function test_WhatIsMissingIsNamed() public {
        vm.expectRevert(IBridgeGovernance.ZeroAddress.selector);
        newLock(setup(), address(0), treasury);
        vm.expectRevert(IBridgeGovernance.ZeroAddress.selector);
        newLock(setup(), address(xcn), address(0));
        vm.expectRevert(IBridgeMint.ZeroUnit.selector);
        newMint(setup(), 0);
    }

    function test_NobodyBeginsWithTwoRoles() public {
        IBridgeGovernance.Setup memory bad = setup();
        bad.relayer = bad.admin;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, admin));
        newLock(bad, address(xcn), treasury);
        bad = setup();
        bad.guardian = bad.relayer;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, relayer));
        newLock(bad, address(xcn), treasury);
        bad = setup();
        bad.standby = bad.policyManager;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, policyManager));
        newMint(bad, UNIT);
        bad = setup();
        bad.attesters = new address[](1);
        bad.attesters[0] = standby;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, standby));
        newMint(bad, UNIT);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.RoleTaken.selector, guardian));
        newLock(setup(), address(xcn), guardian);
    }

    /// @dev The treasury is never a listed token, at any position of the list.
    function test_TheTreasuryIsNotAToken() public {
        for (uint256 place = 0; place < 3; place++) {
            IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](place + 1);
            for (uint256 i = 0; i < place; i++) tokens[i] = listing(address(uint160(0xC0 + i)), 0);
            tokens[place] = listing(address(usdc), 0);
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, address(usdc)));
            newLock(setup(), tokens, address(xcn), address(usdc));
        }
    }

    /// @dev Without the native coin, the zero address is not one of the compared tokens.
    function test_ALockWithoutNativeCoinRefusesTheZeroRecipient() public {
        IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](3);
        tokens[0] = listing(address(usdc), 0);
        tokens[1] = listing(address(xcn), 10);
        tokens[2] = listing(address(bridgedEth), 0);
        ILock made = newLock(setup(), tokens, address(xcn), treasury);
        usdc.mint(alice, 1);
        vm.startPrank(alice);
        usdc.approve(address(made), 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, address(0)));
        made.deposit(address(usdc), 1, address(0));
        vm.stopPrank();
    }
}
