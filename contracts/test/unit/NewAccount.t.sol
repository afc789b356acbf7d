// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {GasEater} from "../mocks/HostileReceivers.sol";

/// @dev Native XCN for an account that is new on the partner chain. That chain creates an account for about 587,000 gas
/// and may charge the paying call. With a contract's gas limit that call would always fail.
contract NewAccountTest is BridgeFixture {
    uint256 private constant CREATION_GAS = 610_000;

    function deliver(address recipient) private {
        vm.deal(relayer, 500);
        vm.prank(relayer);
        bridgeMint.mint{value: 500}(1, address(0), recipient, 500 * UNIT);
    }

    function test_ANewcomerGetsTheGasThatItsAccountCosts() public {
        vm.assertGe(bridgeMint.NEW_ACCOUNT_GAS(), CREATION_GAS);
        vm.expectCall(bob, 500, uint64(bridgeMint.NEW_ACCOUNT_GAS()), "");
        deliver(bob);
        vm.assertEq(bob.balance, 500);
        vm.assertEq(bridgeMint.claimable(address(0), bob), 0);
    }

    function test_AContractGetsNoMoreThanBefore() public {
        address eater = address(new GasEater());
        vm.expectCall(eater, 500, uint64(DELIVERY_GAS), "");
        deliver(eater);
        vm.assertEq(bridgeMint.claimable(address(0), eater), 500 * UNIT);
    }

    /// @dev A precompiled contract has no code either. It may use all the gas and refuse.
    function test_APrecompiledContractThatRefusesIsCredited() public {
        address blake2 = address(9);
        uint256 before = gasleft();
        deliver(blake2);
        vm.assertLe(before - gasleft(), 1_000_000);
        vm.assertEq(bridgeMint.claimable(address(0), blake2), 500 * UNIT);
    }
}
