// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev The native coin and a token are confused (Qubit: a deposit of the zero token minted wrapped ether).
contract NativeConfusionTest is BridgeFixture {
    function test_TheZeroTokenIsNoTokenToDeposit() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0));
        vm.startPrank(bob);
        vm.expectRevert(refusal);
        lock.deposit(address(0), 1 ether, bob);
        vm.expectRevert(refusal);
        lock.depositWithPermit(address(0), 1 ether, bob, block.timestamp, 27, bytes32(0), bytes32(0));
        vm.stopPrank();
    }

    function test_ADepositOfNothingIsNoDeposit() public {
        vm.prank(bob);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.depositNative(bob);
        vm.prank(bob);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.deposit(address(usdc), 0, bob);
    }

    /// @dev Coin reaches the contracts only through the functions that take coin.
    function test_NoOtherFunctionTakesCoins() public {
        vm.deal(bob, 10 ether);
        vm.startPrank(bob);
        bytes[3] memory calls = [
            abi.encodeCall(lock.deposit, (address(usdc), 1, bob)),
            abi.encodeCall(lock.claim, (address(0), bob)),
            bytes("")
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done, ) = address(lock).call{value: 1 ether}(calls[i]);
            vm.assertFalse(done);
        }
        (bool sent, ) = address(bridgeMint).call{value: 1 ether}("");
        vm.assertFalse(sent);
        vm.stopPrank();
    }

    function test_CoinsAreNotReleasedAsTokensNorTokensAsCoins() public {
        fund(address(0), 10 ether);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.release(1, address(0), bob, 1 ether, 0);
        // USDC and XCN are never paid from locked ether.
        vm.prank(relayer);
        (bool done, ) = address(lock).call(abi.encodeCall(lock.release, (1, address(usdc), bob, 1, 0)));
        vm.assertFalse(done && usdc.balanceOf(bob) > 0);
        vm.assertEq(address(lock).balance, 10 ether);
    }

    /// @dev On the partner chain one unit of msg.value is 10^10 units of an XCN amount. The two are never confused.
    function test_CoinsOfTheFloatAreTheAmountToTheUnit() public {
        vm.deal(relayer, 10 ether);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 1, 1));
        bridgeMint.mint{value: 1}(1, address(0), bob, 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InsufficientCollateral.selector, address(0)));
        bridgeMint.mint(1, address(0), bob, 1e10);
        vm.expectRevert(abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 1, 0));
        bridgeMint.mint{value: 1}(1, address(bridgedEth), bob, 1e10);
        bridgeMint.mint{value: 1}(1, address(0), bob, 1e10);
        vm.stopPrank();
        vm.assertEq(bob.balance, 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        bridgeMint.burn(address(0), 5_000 ether, bob, 5_000 ether);
    }
}
