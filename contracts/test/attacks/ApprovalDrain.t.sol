// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Users gave the bridge an unlimited approval, which an attacker makes the bridge spend (Li.Fi, Socket,
/// Multichain).
contract ApprovalDrainTest is BridgeFixture {
    function setUp() public override {
        super.setUp();
        usdc.mint(alice, 1_000e6);
        vm.prank(alice);
        usdc.approve(address(lock), type(uint256).max);
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), alice, 10 ether);
        vm.prank(alice);
        bridgedEth.approve(address(bridgeMint), type(uint256).max);
    }

    /// @dev The contracts call listed tokens only, with their own arguments, and take tokens from their caller only.
    function test_AnApprovalServesItsOwnerOnly() public {
        address[4] memory thieves = [bob, relayer, admin, guardian];
        for (uint256 i = 0; i < thieves.length; i++) {
            vm.startPrank(thieves[i]);
            (bool done, ) = address(lock).call(abi.encodeCall(lock.deposit, (address(usdc), 1e6, bob)));
            vm.assertFalse(done);
            (done, ) = address(bridgeMint).call(
                abi.encodeCall(bridgeMint.burn, (address(bridgedEth), 1 ether, bob, 1 ether))
            );
            vm.assertFalse(done);
            // As if the bridge were a router: call data for a token instead of a token or a recipient.
            (done, ) = address(lock).call(abi.encodeCall(IERC20.transferFrom, (alice, bob, 1e6)));
            vm.assertFalse(done);
            (done, ) = address(bridgeMint).call(abi.encodeCall(IERC20.transferFrom, (alice, bob, 1)));
            vm.assertFalse(done);
            (done, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.bridgeTransfer, (alice, bob, 1)));
            vm.assertFalse(done);
            (done, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.bridgeRefund, (alice, bob, 1)));
            vm.assertFalse(done);
            (done, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.retire, (alice, 1)));
            vm.assertFalse(done);
            vm.stopPrank();
        }
        vm.assertEq(usdc.balanceOf(alice), 1_000e6);
        vm.assertEq(bridgedEth.balanceOf(alice), 10 ether);
    }

    /// @dev The contracts hold collateral and never approve any account to take it.
    function test_TheBridgeApprovesNobody() public {
        fund(address(usdc), 500e6);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 100e6, 1e6);
        lock.collectFees(address(usdc));
        address[6] memory others = [bob, relayer, admin, guardian, policyManager, treasury];
        for (uint256 i = 0; i < others.length; i++) {
            vm.assertEq(usdc.allowance(address(lock), others[i]), 0);
        }
    }
}
