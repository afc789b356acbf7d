// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {Vm} from "../fixtures/Vm.sol";
import {AttesterKeys} from "./AttesterKeys.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev The events that a campaign must reach: without them it would prove nothing.
abstract contract CoverageGoals {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    InvariantHandler internal handler;

    error NeverSeen(bytes32 what, uint256 asset);

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev The campaign calls only the turns.
    function targetSelectors() external view returns (Selectors[] memory selectors) {
        selectors = new Selectors[](1);
        selectors[0].target = address(handler);
        selectors[0].selectors = new bytes4[](1);
        selectors[0].selectors[0] = handler.act.selector;
    }

    /// @dev The test runner's type: a contract and the functions that the campaign calls.
    struct Selectors {
        address target;
        bytes4[] selectors;
    }

    /// @dev Runs after each sequence of a campaign, and checks long sequences.
    function afterInvariant() external view {
        handler.checkEach();
        if (handler.turns() >= 500) _requireUsual();
    }

    /// @dev The events of every long sequence.
    function _requireUsual() internal view virtual {
        bytes32[5] memory usual = [bytes32("deposit"), "mint", "burn", "release", "collect"];
        for (uint256 i = 0; i < usual.length; i++) _require(usual[i], 0, handler.countOf(usual[i]));
    }

    /// @dev The turns of a campaign, with fixed entropy.
    function test_TheActorsReachEverything() external virtual {
        for (uint256 i = 0; i < 7_000; i++) handler.act(i);
        bytes32[6] memory everywhere = [bytes32("deposit"), "mint", "burn", "release", "collect", "ceiling set"];
        bytes32[4] memory ofTokens = [bytes32("credit"), "claim", "retire", "spending what was handed in"];
        for (uint256 asset = 0; asset < 4; asset++) {
            for (uint256 i = 0; i < everywhere.length; i++) _requireOf(everywhere[i], asset);
            // No account refuses XCN on Ethereum, and XCN is not handed in as a bridged token.
            for (uint256 i = 0; i < ofTokens.length && asset != 2; i++) _requireOf(ofTokens[i], asset);
            _requireOf("refund", asset);
            _requireOf("repeat", asset);
            _requireOf("intrusion", asset);
            _requireOf("batch of releases", asset);
            _requireOf("batch of mints", asset);
        }
        _requireSides();
        _requireRare();
        // Re-entry with everything the attack needs: from a delivery on both chains, a claim, a deposit, a release.
        _requireOf("recipient called back", 0);
        _requireOf("recipient called back", 2);
        _requireOf("claimant called back", 0);
        for (uint256 mode = 0; mode <= uint256(type(ChaoticToken.Mode).max); mode++) {
            for (uint256 i = 0; i < 2; i++) {
                _require("mode of the token", mode, handler.seenModes(ChaoticToken.Mode(mode), i));
            }
        }
        _requireMore();
        _check();
        handler.checkEach();
    }

    /// @dev Events that other campaigns do not reach.
    function _requireMore() internal view virtual {}

    function _check() internal view virtual;

    /// @dev The steps of a succession on both sides, and what the first edition still pays afterwards.
    function _requireSuccession() internal view {
        bytes32[3] memory steps = [bytes32("successor announced"), "succession ended", "beginnings closed"];
        for (uint256 i = 0; i < steps.length; i++) {
            _requireOf(steps[i], 0);
            _requireOf(steps[i], 1);
        }
        bytes32[4] memory everywhere = [
            bytes32("collateral handed over"),
            "handed over there",
            "deposit to the successor",
            "withdrawal from the successor"
        ];
        bytes32[4] memory ofTheFirst = [bytes32("mint"), "release", "claim", "collect"];
        for (uint256 asset = 0; asset < 4; asset++) {
            for (uint256 i = 0; i < everywhere.length; i++) _requireOf(everywhere[i], asset);
        }
        for (uint256 i = 0; i < 4; i++) _require(ofTheFirst[i], 0, handler.countOf(ofTheFirst[i]));
    }

    /// @dev Attestations with every flaw, on each kind of call.
    function _requireForgeries() internal view {
        for (uint256 flaw = 0; flaw <= uint256(type(AttesterKeys.Flaw).max); flaw++) {
            _require("flaw of an attestation", flaw, handler.seenFlaws(AttesterKeys.Flaw(flaw)));
        }
        for (uint256 i = 0; i < 4; i++) _requireOf("forged attestation", i);
        for (uint256 i = 0; i < 2; i++) _requireOf("single call refused", i);
    }

    function _requireOf(bytes32 what, uint256 asset) internal view {
        _require(what, asset, handler.countOfAsset(what, asset));
    }

    /// @dev Events that have to happen on Ethereum and on the partner chain.
    function _requireSides() private view {
        bytes32[5] memory both = [
            bytes32("token called back"),
            "credit redirected",
            "pause ended by time",
            "credit of the unreceivable",
            "batch failed"
        ];
        for (uint256 i = 0; i < both.length; i++) {
            _requireOf(both[i], 0);
            _requireOf(both[i], 1);
        }
    }

    function _requireRare() private view {
        bytes32[10] memory stopped = [
            bytes32("deposit paused"),
            "mint paused",
            "burn paused",
            "release paused",
            "mint limited",
            "release limited",
            "deposit above maximum",
            "burn above maximum",
            "float short",
            "refund stopped"
        ];
        for (uint256 i = 0; i < stopped.length; i++) _require(stopped[i], 0, handler.countOf(stopped[i]));
        bytes32[18] memory rare = [
            bytes32("deposit by permit"),
            "bad permit refused",
            "deposit by authorization",
            "authorization refused",
            "native withdrawal",
            "mint from the float",
            "top-up",
            "sweep",
            "claim refused",
            "skipped",
            "fee ceiling set",
            "rotation",
            "standby activated",
            "attesters changed",
            "role holders changed",
            "admin changed",
            "second role refused",
            "release to a contract"
        ];
        for (uint256 i = 0; i < rare.length; i++) _require(rare[i], 0, handler.countOf(rare[i]));
        // Delivered before, not listed, over the limit.
        for (uint256 i = 0; i < 3; i++) _requireOf("skipped", i);
        for (uint256 i = 0; i < 3; i++) {
            _requireOf("credit there", i);
            _requireOf("claim there", i);
        }
    }

    function _require(bytes32 what, uint256 asset, uint256 times) internal pure {
        if (times == 0) revert NeverSeen(what, asset);
    }
}
