// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge whose relayer is honest, and nobody else has to be.
contract HonestRelay is InvariantHandler {}

/// @dev What holds while the relayer is honest, whatever everybody else does. How often is in hardhat.config.ts.
contract HonestRelayTest is CoverageGoals {
    function setUp() external {
        handler = new HonestRelay();
    }

    /// @dev All of them after every call, so that a campaign is one of each.
    function invariant_WithAnHonestRelayer() external view {
        _check();
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
    }
}
