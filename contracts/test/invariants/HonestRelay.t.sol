// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge with an honest relayer. Everybody else may be hostile.
contract HonestRelay is InvariantHandler {}

/// @dev Invariants with an honest relayer. hardhat.config.ts says how often they are checked.
contract HonestRelayTest is CoverageGoals {
    function setUp() external {
        handler = new HonestRelay();
    }

    /// @dev One function checks all of them after every call, so that one campaign is enough.
    function invariant_WithAnHonestRelayer() external view {
        _check();
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
    }
}
