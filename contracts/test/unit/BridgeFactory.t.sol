// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeFactory} from "../../src/deploy/BridgeFactory.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ITestToken} from "../fixtures/Interfaces.sol";

/// @dev Has no code after its construction.
contract Nothing {
    constructor() {
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}

/// @dev Reverts in its construction.
contract Refusing {
    constructor() {
        revert("no");
    }
}

/// @dev An empty contract.
contract Other {}

/// @dev Its constructor calls the factory again with its own salt.
contract Greedy {
    constructor(BridgeFactory factory, bytes32 salt) {
        factory.deploy(salt, type(Other).creationCode);
    }
}

contract BridgeFactoryTest is BridgeFixture {
    BridgeFactory private factory;
    bytes32 private constant SALT = "salt";

    function setUp() public override {
        super.setUp();
        factory = BridgeFactory(Artifact.create("BridgeFactory", ""));
    }

    function test_TheAddressDependsOnDeployerAndSaltOnly() public {
        address expected = factory.addressOf(alice, SALT);
        vm.expectEmit(address(factory));
        emit BridgeFactory.Deployed(alice, SALT, expected);
        bytes memory code = usdcCode();
        vm.prank(alice);
        address deployed = factory.deploy(SALT, code);
        vm.assertEq(deployed, expected);
        vm.assertEq(ITestToken(deployed).decimals(), 6);
        vm.assertEq(factory.deployedAtBlock(deployed), block.number);
        vm.assertEq(factory.deployedAtBlock(alice), 0);
        vm.assertFalse(factory.addressOf(bob, SALT) == expected);
        vm.assertFalse(factory.addressOf(alice, "other") == expected);
    }

    function test_NobodyTakesAnAddressOfSomebodyElse() public {
        address expected = factory.addressOf(alice, SALT);
        vm.prank(bob);
        vm.assertFalse(factory.deploy(SALT, usdcCode()) == expected);
        vm.assertEq(expected.code.length, 0);
    }

    function test_ASaltIsUsedOnce() public {
        vm.startPrank(alice);
        address deployed = factory.deploy(SALT, usdcCode());
        vm.expectRevert(abi.encodeWithSelector(BridgeFactory.AlreadyDeployed.selector, deployed));
        factory.deploy(SALT, usdcCode());
        vm.stopPrank();
    }

    function test_WhatLeavesNoCodeFailsAndLeavesTheSaltFree() public {
        bytes[2] memory useless = [type(Nothing).creationCode, type(Refusing).creationCode];
        vm.startPrank(alice);
        for (uint256 i = 0; i < 2; i++) {
            vm.expectRevert(BridgeFactory.DeploymentFailed.selector);
            factory.deploy(SALT, useless[i]);
        }
        factory.deploy(SALT, usdcCode());
        vm.stopPrank();
    }

    function test_AConstructorCannotTakeItsOwnAddressAgain() public {
        // The caller is the new contract itself, so it gets another address. Alice's addresses are untouched.
        bytes memory creation = abi.encodePacked(type(Greedy).creationCode, abi.encode(factory, SALT));
        vm.prank(alice);
        address deployed = factory.deploy(SALT, creation);
        vm.assertEq(deployed, factory.addressOf(alice, SALT));
        vm.assertEq(factory.addressOf(deployed, SALT).code.length > 0, true);
    }

    function usdcCode() private view returns (bytes memory) {
        return vm.getCode("TestUSDC");
    }
}
