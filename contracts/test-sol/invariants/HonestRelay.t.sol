// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "../Vm.sol";
import {BridgeChecks} from "./BridgeChecks.sol";
import {BridgeWorld} from "./BridgeWorld.sol";
import {GovernorActions} from "./GovernorActions.sol";
import {RelayerActions} from "./RelayerActions.sol";

/// @dev A bridge whose relayer is honest, and nobody else has to be.
contract HonestRelay is RelayerActions, GovernorActions, BridgeChecks {}

/// @dev What holds while the relayer is honest, whatever everybody else does. How often is in hardhat.config.ts.
contract HonestRelayTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    HonestRelay private world;

    function setUp() external {
        world = new HonestRelay();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    /// @dev A campaign in which nothing happens would prove nothing: in some hundred calls every kind of event happens.
    function test_TheActorsReachEverything() external {
        for (uint256 i = 0; i < 3_000; i++) _act(uint256(keccak256(abi.encode(i))));
        for (uint256 i = 0; i < 4; i++) {
            BridgeWorld.Ledger memory books = world.ledger(i);
            vm.assertGe(books.deposited, 1, "deposited");
            vm.assertGe(books.minted, 1, "minted");
            vm.assertGe(books.burnt, 1, "burnt");
            vm.assertGe(books.released, 1, "released");
            vm.assertGe(books.feesKept, 1, "fees");
            vm.assertGe(books.collected, 1, "collected");
            if (i != 2) vm.assertGe(books.credited, 1, "credited");
            if (i != 2) vm.assertGe(books.claimed, 1, "claimed");
            if (i != 2) vm.assertGe(books.retired, 1, "retired");
            if (i != 2) vm.assertGe(world.refunded(i), 1, "refunded");
        }
        vm.assertGe(world.xcnClaimed(), 1, "native XCN claimed");
    }

    /// @dev All of them after every call, so that a campaign is one of each.
    function invariant_WithAnHonestRelayer() external view {
        world.checkBacking();
        world.checkMovements();
        world.checkRights();
        world.checkPauses();
        world.checkNothingElseStopped();
        world.checkOutflow();
        world.checkFees();
        world.checkCredits();
    }

    function _act(uint256 seed) private {
        (uint256 what, uint256 a, uint256 b) = (seed % 24, seed >> 8, seed >> 16);
        (uint80 amount, uint256 c, bool yes) = (uint80(seed >> 100), seed >> 32, (seed >> 40) % 2 == 0);
        if (what < 4) world.deposit(a, b, amount, c);
        else if (what < 7) world.mintNext(a, b);
        else if (what < 9) world.burn(a, b, amount, c);
        else if (what < 12) world.releaseNext(a, b);
        else if (what == 12) world.claim(a, b, c, yes);
        else if (what == 13) world.claimXcn(a, b);
        else if (what == 14) world.collect(a);
        else if (what == 15) world.retire(a, b, amount);
        else if (what == 16) world.sendToRelayer(a, b, amount);
        else if (what == 17) world.refund(a, b, amount);
        else if (what == 18) world.block_(a, yes);
        else if (what == 19) world.misbehave(yes ? 0 : b, c, amount);
        else if (what == 20) world.changeMood(a, b, c, amount);
        else if (what == 21) world.resume(yes);
        else if (what == 22) world.wait(uint16(a));
        else world.rotateRelayer(a);
    }
}
