// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A bridge with an honest relayer. All others may be hostile. The threshold of attesters changes.
contract HonestRelay is InvariantHandler {}

/// @dev Invariants with an honest relayer. hardhat.config.ts sets how often they are checked.
contract HonestRelayTest is CoverageGoals {
    function setUp() external {
        handler = new HonestRelay();
    }

    /// @dev One function checks all of them after every call, so that one campaign is enough.
    function invariant_WithAnHonestRelayer() external view {
        _check();
    }

    /// @dev After any sequence of turns, each asset can be wound down until no account holds any of it.
    function testFuzz_WindDownLetsEveryHolderOut(uint256 entropy, uint256 asset) external {
        for (uint256 i = 0; i < 150; i++) handler.act(uint256(keccak256(abi.encode(entropy, i))));
        handler.windDown(asset % 4);
        _check();
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
    }

    function _requireMore() internal view override {
        _requireForgeries();
        // A batch finds the float short only where no account forges mints from it.
        _requireOf("skipped", 3);
    }
}
