// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {BridgeLock} from "../../src/bridge/BridgeLock.sol";
import {BridgeMint} from "../../src/bridge/BridgeMint.sol";
import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {IBridgeMint} from "../../src/bridge/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

contract ConstructorsTest is BridgeFixture {
    function tokensOf(address token) private pure returns (BridgeEnd.TokenSetup[] memory tokens) {
        tokens = new BridgeEnd.TokenSetup[](2);
        tokens[0] = BridgeEnd.TokenSetup(address(0), 10, 7e18, 600);
        tokens[1] = BridgeEnd.TokenSetup(token, 0, 3e6, 60);
    }

    function test_ALockBeginsWithItsTokensAndLimits() public {
        BridgeLock made = newLock(setup(), tokensOf(address(usdc)), address(xcn), treasury);
        (bool allowed, uint256 granularity) = made.tokenSettings(address(0));
        vm.assertTrue(allowed);
        vm.assertEq(granularity, 1e10);
        (uint128 capacity, uint32 window) = made.outflowLimit(address(usdc));
        vm.assertEq(capacity, 3e6);
        vm.assertEq(window, 60);
        vm.assertEq(made.defaultAdmin(), admin);
    }

    function test_AMintBeginsWithItsFeesToo() public {
        BridgeMint.FeeSetup[] memory fees = new BridgeMint.FeeSetup[](2);
        fees[0] = BridgeMint.FeeSetup(address(0), 25, 100, 200);
        fees[1] = BridgeMint.FeeSetup(address(bridgedEth), 0, 0, 1);
        BridgeMint made = newMint(setup(), tokensOf(address(bridgedEth)), fees, UNIT);
        (uint16 bps, uint112 minFee, uint112 minAmount) = made.feePolicy(address(0));
        vm.assertEq(bps, 25);
        vm.assertEq(minFee, 100);
        vm.assertEq(minAmount, 200);
        vm.assertEq(made.quoteFee(address(bridgedEth), 1), 0);
        fees[1].minFee = 1;
        vm.expectRevert(IBridgeMint.InvalidPolicy.selector);
        newMint(setup(), tokensOf(address(bridgedEth)), fees, UNIT);
        BridgeEnd.TokenSetup[] memory tokens = tokensOf(address(bridgedEth));
        tokens[1].window = 0;
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newMint(setup(), tokens, new BridgeMint.FeeSetup[](0), UNIT);
    }
}
