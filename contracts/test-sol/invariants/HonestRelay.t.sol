// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Reach} from "./Reach.sol";
import {Turns} from "./Turns.sol";

/// @dev A bridge whose relayer is honest, and nobody else has to be.
contract HonestRelay is Turns {}

/// @dev What holds while the relayer is honest, whatever everybody else does. How often is in hardhat.config.ts.
contract HonestRelayTest is Reach {
    function setUp() external {
        world = new HonestRelay();
    }

    /// @dev All of them after every call, so that a campaign is one of each.
    function invariant_WithAnHonestRelayer() external view {
        _check();
    }

    function _check() internal view override {
        world.checkAll();
        world.checkBacking();
    }
}
