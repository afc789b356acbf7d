// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {Vm} from "../fixtures/Vm.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev The events that a campaign has to reach: one in which nothing happens would prove nothing.
abstract contract CoverageGoals {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    InvariantHandler internal handler;

    error NeverSeen(bytes32 what, uint256 asset);

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Runs after each sequence of a campaign, and checks the long ones.
    function afterInvariant() external view {
        if (handler.turns() < 500) return;
        bytes32[5] memory usual = [bytes32("deposit"), "mint", "burn", "release", "collect"];
        for (uint256 i = 0; i < usual.length; i++) _require(usual[i], 0, handler.countOf(usual[i]));
    }

    /// @dev The turns of a campaign, with fixed entropy.
    function test_TheActorsReachEverything() external {
        for (uint256 i = 0; i < 4_000; i++) handler.act(i);
        bytes32[5] memory everywhere = [bytes32("deposit"), "mint", "burn", "release", "collect"];
        bytes32[6] memory ofTokens = [
            bytes32("credit"),
            "claim",
            "retire",
            "refund",
            "release to a contract",
            "spending what was handed in"
        ];
        bytes32[6] memory stopped = [
            bytes32("deposit paused"),
            "mint paused",
            "burn paused",
            "release paused",
            "mint limited",
            "release limited"
        ];
        for (uint256 asset = 0; asset < 4; asset++) {
            for (uint256 i = 0; i < everywhere.length; i++) _requireOf(everywhere[i], asset);
            // Nobody refuses XCN on Ethereum, and XCN is not handed in as a bridged token.
            for (uint256 i = 0; i < ofTokens.length && asset != 2; i++) _requireOf(ofTokens[i], asset);
        }
        for (uint256 i = 0; i < stopped.length; i++) _require(stopped[i], 0, handler.countOf(stopped[i]));
        bytes32[8] memory rare = [
            bytes32("refund stopped"),
            "deposit by permit",
            "bad permit refused",
            "credit there",
            "claim there",
            "rotation",
            "role holders changed",
            "admin changed"
        ];
        for (uint256 i = 0; i < rare.length; i++) _require(rare[i], 0, handler.countOf(rare[i]));
        // Re-entry with everything the attack needs: from a delivery on both chains, a claim, a deposit, a release.
        _requireOf("recipient called back", 0);
        _requireOf("recipient called back", 2);
        _requireOf("claimant called back", 0);
        for (uint256 i = 0; i < 2; i++) _requireOf("token called back", i);
        for (uint256 i = 0; i < 3; i++) _requireOf("repeat", i);
        for (uint256 i = 0; i < 4; i++) _requireOf("intrusion", i);
        for (uint256 mode = 0; mode <= uint256(type(ChaoticToken.Mode).max); mode++) {
            for (uint256 i = 0; i < 2; i++) {
                _require("mode of the token", mode, handler.seenModes(ChaoticToken.Mode(mode), i));
            }
        }
        _check();
    }

    function _check() internal view virtual;

    function _requireOf(bytes32 what, uint256 asset) internal view {
        _require(what, asset, handler.countOfAsset(what, asset));
    }

    function _require(bytes32 what, uint256 asset, uint256 times) private pure {
        if (times == 0) revert NeverSeen(what, asset);
    }
}
