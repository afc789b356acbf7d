// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {SuccessionActions} from "./SuccessionActions.sol";

/// @dev A bridge with an honest relayer that a second edition succeeds. Everybody else may be hostile.
contract SucceededBridge is SuccessionActions {}

/// @dev Solvency to the unit over both editions, while the first one drains.
contract SuccessionCampaignTest is CoverageGoals {
    function setUp() external {
        handler = new SucceededBridge();
    }

    function invariant_WithASuccession() external view {
        _check();
    }

    /// @dev Soon nothing begins here any more, so the goals are those of the succession.
    function test_TheActorsReachEverything() external override {
        for (uint256 i = 0; i < 3_000; i++) handler.act(i);
        _requireSuccession();
        _check();
        handler.checkEach();
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
        SucceededBridge(address(handler)).checkSuccession();
    }
}
