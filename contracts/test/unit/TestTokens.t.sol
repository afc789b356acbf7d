// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestUSDC} from "../../src/mocks/TestUSDC.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

contract TestTokensTest is BridgeFixture {
    function test_DecimalsAreThoseOfTheRealTokens() public view {
        vm.assertEq(usdc.decimals(), 6);
        vm.assertEq(xcn.decimals(), 18);
    }

    function test_ABlockedAccountNeitherSendsNorReceives() public {
        usdc.mint(alice, 10);
        usdc.setBlocklisted(alice, true);
        bytes memory refusal = abi.encodeWithSelector(TestUSDC.Blocklisted.selector, alice);
        vm.prank(alice);
        vm.expectRevert(refusal);
        usdc.transfer(bob, 1);
        vm.expectRevert(refusal);
        usdc.mint(alice, 1);
        usdc.setBlocklisted(alice, false);
        vm.prank(alice);
        usdc.transfer(bob, 1);
        vm.assertEq(usdc.balanceOf(bob), 1);
    }

    function test_OthersNeedAnAllowanceForABridgedToken() public {
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), alice, 10);
        vm.prank(alice);
        bridgedEth.approve(bob, 4);
        vm.prank(bob);
        bridgedEth.transferFrom(alice, bob, 4);
        vm.prank(bob);
        (bool moved, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.transferFrom, (alice, bob, 1)));
        vm.assertFalse(moved);
        vm.assertEq(bridgedEth.balanceOf(alice), 6);
    }
}
