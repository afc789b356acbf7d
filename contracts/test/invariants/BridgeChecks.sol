// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {HostileActor} from "./HostileActor.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev The invariants, read from the contracts and compared with the ledger. They are here and not in the tests
/// because internal reads are several times as fast, and a campaign makes a hundred thousand of them.
abstract contract BridgeChecks is BridgeState {
    error Broken(string invariant, uint256 asset);

    /// @dev Invariants that hold with any relayer.
    function checkAll() external view {
        checkRights();
        checkMovements();
        checkSupply();
        checkPauses();
        checkOutflow();
        checkFees();
        checkCredits();
    }

    /// @dev To the last unit: the collateral equals circulating tokens, pending operations, credits and fees.
    function checkBacking() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 circulating =
                i == XCN_ASSET
                    ? books.minted - books.burnt
                    : BridgedToken(there[i]).totalSupply() - (books.burnt - books.retired);
            uint256 owed = circulating + books.toMint + books.toRelease;
            owed += lock.totalClaimable(here[i]) + lock.feesAccrued(here[i]) + books.donated;
            if (_balance(here[i], address(lock)) != owed) revert Broken("the collateral backs everything", i);
        }
    }

    /// @dev A pause stops its direction and nothing else: no claim, no collection of fees, no retirement.
    function checkPauses() public view {
        if (ranWhilePaused != 0) revert Broken("a pause stops what it must", ASSETS);
        if (exitsStopped != 0) revert Broken("no pause stops a claim", ASSETS);
        if (stoppedWithoutCause != 0) revert Broken("a pause stops nothing else", ASSETS);
    }

    /// @dev An id is used once, no account exceeds its role, and no re-entrant call succeeds.
    function checkRights() public view {
        if (deliveredTwice != 0) revert Broken("an id is used once", ASSETS);
        if (unauthorised != 0) revert Broken("no role does more than it may", ASSETS);
        if (wrongEffects != 0) revert Broken("a call does what it says", ASSETS);
        if (spentHandedIn != 0) revert Broken("what was handed in stays handed in", ASSETS);
        if (chaos.outcome() == ReentrantAttacker.Outcome.Worked) revert Broken("no token calls from within", CHAOS);
        for (uint256 i = 2; i < 5; i++) {
            if (ReentrantAttacker(actors[i]).outcome() == ReentrantAttacker.Outcome.Worked) {
                revert Broken("no recipient calls from within", i);
            }
        }
    }

    /// @dev Bridged tokens appear by mints and vanish by retirements. The wallets hold tokens that were handed in and
    /// not refunded.
    function checkSupply() public view {
        for (uint256 i = 0; i < ASSETS; i++) {
            if (i == XCN_ASSET) continue;
            Ledger storage books = _ledgers[i];
            BridgedToken token = BridgedToken(there[i]);
            if (token.totalSupply() != books.minted - books.retired) revert Broken("supply is minted less retired", i);
            uint256 held = 0;
            for (uint256 k = 0; k < _wallets.length; k++) held += token.balanceOf(_wallets[k]);
            if (held + books.retired + books.refunded != books.burnt + books.sent) {
                revert Broken("the wallets hold what was handed in", i);
            }
        }
    }

    /// @dev Collateral leaves only by releases, claims of refused releases, and collected fees.
    function checkMovements() public view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 left = books.released + books.claimed + books.collected;
            if (_balance(here[i], address(lock)) + left != books.deposited + books.donated) {
                revert Broken("collateral moves by release only", i);
            }
        }
    }

    function checkOutflow() public view {
        if (overLimit != 0) revert Broken("outflow stays within capacity and refill", ASSETS);
    }

    /// @dev Fees move to the treasury only, and never use funds that the bridge owes to others.
    function checkFees() public view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            if (lock.feesAccrued(here[i]) != books.feesKept - books.collected) revert Broken("fees are kept", i);
            uint256 arrived = _balance(here[i], _treasuries[0]) + _balance(here[i], _treasuries[1]);
            // A token that taxes transfers keeps part of the fees; more than the collected fees cannot arrive.
            if (arrived > books.collected || (i != CHAOS && arrived < books.collected)) {
                revert Broken("fees move to the treasury only", i);
            }
        }
    }

    /// @dev Each account's credit equals its refused payments less its claims, and the contract's balance covers all
    /// credits.
    function checkCredits() public view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            for (uint256 k = 0; k < actors.length; k++) {
                if (lock.claimable(here[i], actors[k]) != _creditsHere[i][actors[k]]) {
                    revert Broken("an account may claim what it was refused", i);
                }
            }
            uint256 total = lock.totalClaimable(here[i]);
            if (total != books.credited - books.claimed) revert Broken("claims are the sum of credits", i);
            uint256 reserved = total + lock.feesAccrued(here[i]);
            if (_balance(here[i], address(lock)) < reserved) revert Broken("credits and fees are covered", i);
        }
        // Refused native XCN stays in BridgeMint, in coins.
        uint256 waiting = 0;
        for (uint256 k = 0; k < actors.length; k++) {
            uint256 credit = bridgeMint.claimable(address(0), actors[k]);
            if (credit != _creditsThere[actors[k]])
                revert Broken("an account may claim what it was refused", XCN_ASSET);
            waiting += credit;
        }
        if (waiting != bridgeMint.totalClaimable(address(0))) revert Broken("claims are the sum of credits", XCN_ASSET);
        if (address(bridgeMint).balance * UNIT != waiting) {
            revert Broken("coins cover the credits of native XCN", XCN_ASSET);
        }
    }
}
