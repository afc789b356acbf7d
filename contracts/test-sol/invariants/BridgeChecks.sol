// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {HostileActor} from "./HostileActor.sol";
import {BridgeWorld} from "./BridgeWorld.sol";

/// @dev What must hold after every call, read from the contracts and compared with the books. Here, and not in the tests,
/// since reading from within is several times as fast and a campaign does it a hundred thousand times.
abstract contract BridgeChecks is BridgeWorld {
    error Broken(string invariant, uint256 asset);

    /// @dev To the last unit: what the lock holds backs what circulates and what is under way, all credits and all fees.
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

    /// @dev Every pause stopped what it must, and none a claim or a collection of fees.
    function checkPauses() external view {
        if (ranWhilePaused != 0) revert Broken("a pause stops what it must", ASSETS);
        if (exitsStopped != 0) revert Broken("no pause stops a claim", ASSETS);
    }

    /// @dev And nothing else.
    function checkNothingElseStopped() external view {
        if (stoppedWithoutCause != 0) revert Broken("a pause stops nothing else", ASSETS);
    }

    /// @dev An id is used once; nobody did what its role does not allow; no call came in from within a call.
    function checkRights() external view {
        if (deliveredTwice != 0) revert Broken("an id is used once", ASSETS);
        if (unauthorised != 0) revert Broken("no role does more than it may", ASSETS);
        if (spentHandedIn != 0) revert Broken("what was handed in stays handed in", ASSETS);
        if (chaos.reentered()) revert Broken("no token calls from within", CHAOS);
        for (uint256 i = 2; i < 5; i++) {
            if (HostileActor(payable(actors[i])).reentered()) revert Broken("no recipient calls from within", i);
        }
    }

    /// @dev Collateral leaves by releases, by claims of them and by fees of them: by nothing else.
    function checkMovements() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 left = books.released + books.claimed + books.collected;
            if (_balance(here[i], address(lock)) + left != books.deposited + books.donated) {
                revert Broken("collateral moves by release only", i);
            }
        }
    }

    function checkOutflow() external view {
        if (overLimit != 0) revert Broken("outflow stays within capacity and refill", ASSETS);
    }

    /// @dev Fees move to the treasury only, and never reach what is owed to others.
    function checkFees() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            if (lock.feesAccrued(here[i]) != books.feesKept - books.collected) revert Broken("fees are kept", i);
            uint256 arrived = _balance(here[i], _treasuries[0]) + _balance(here[i], _treasuries[1]);
            // A token that taxes transfers keeps part of it, which is its business; more cannot arrive.
            if (arrived > books.collected || (i != CHAOS && arrived < books.collected)) {
                revert Broken("fees move to the treasury only", i);
            }
        }
    }

    function checkCredits() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 sum = 0;
            for (uint256 k = 0; k < actors.length; k++) sum += lock.claimable(here[i], actors[k]);
            uint256 total = lock.totalClaimable(here[i]);
            if (sum != total || sum != books.credited - books.claimed)
                revert Broken("claims are the sum of credits", i);
            uint256 reserved = total + lock.feesAccrued(here[i]);
            if (_balance(here[i], address(lock)) < reserved) revert Broken("credits and fees are covered", i);
        }
        // Native XCN that was refused waits on the partner chain, in coins.
        if (address(bridgeMint).balance * UNIT != bridgeMint.totalClaimable(address(0))) {
            revert Broken("coins cover the credits of native XCN", XCN_ASSET);
        }
    }
}
