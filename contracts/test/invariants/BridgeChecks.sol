// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridge} from "../fixtures/Interfaces.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {HostileActor} from "./HostileActor.sol";
import {BridgeState} from "./BridgeState.sol";

/// @dev The invariants, read from the contracts and compared with the ledger. They are in the handler and not in the
/// tests because internal reads are several times faster, and a campaign makes a hundred thousand of them.
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
        checkCredits(turns % PARTIES);
        checkFloat();
        checkSettings(turns % ASSETS);
    }

    /// @dev Runs the checks that look at one account or asset per turn, for all of them.
    function checkEach() external view {
        for (uint256 i = 0; i < PARTIES; i++) checkCredits(i);
        for (uint256 i = 0; i < ASSETS; i++) checkSettings(i);
    }

    /// @dev To the last unit: the collateral equals circulating tokens, pending operations, credits and fees.
    function checkBacking() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 circulating =
                i == XCN_ASSET
                    ? books.minted - books.burnt
                    : IBridgedToken(there[i]).totalSupply() - (books.burnt - books.retired);
            uint256 owed = circulating + books.toMint + books.toRelease;
            owed += books.credited - books.claimed + books.feesKept - books.collected + books.donated;
            if (_balance(here[i], address(lock)) + _heldBySuccessor(i) != owed)
                revert Broken("the collateral backs everything", i);
        }
    }

    /// @dev A pause stops only its direction: no claim, no collection of fees, no retirement.
    function checkPauses() public view {
        if (ranWhilePaused != 0) revert Broken("a pause stops what it must", ASSETS);
        if (exitsStopped != 0) revert Broken("no pause stops a claim", ASSETS);
        if (stoppedWithoutCause != 0) revert Broken("a pause stops nothing else", ASSETS);
        for (uint256 i = 0; i < 2; i++) {
            PauseState storage pauses = _pauses[i == 0];
            (uint256 until, bool deliveries, uint256 count) = _governed(i == 0).pauses();
            if (deliveries != pauses.deliveries) revert Broken("only the admin ends a pause of deliveries", i);
            if (until != pauses.beginningsUntil || count != pauses.count) revert Broken("pauses are counted", i);
        }
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
            IBridgedToken token = IBridgedToken(there[i]);
            if (token.totalSupply() != books.minted - books.retired) revert Broken("supply is minted less retired", i);
            (uint256 held, uint256 handedIn) = (0, 0);
            for (uint256 k = 0; k < _wallets.length; k++) {
                held += token.balanceOf(_wallets[k]);
                handedIn += token.handedIn(_wallets[k]);
            }
            if (held + books.retired + books.refunded != books.burnt + books.sent) {
                revert Broken("the wallets hold what was handed in", i);
            }
            if (handedIn + books.retired != books.burnt) revert Broken("no refund of what was handed in", i);
        }
    }

    /// @dev Collateral leaves only by releases, claims of refused releases, collected fees, and to a successor.
    function checkMovements() public view {
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            uint256 left = books.released + books.claimed + books.collected + books.handedOver;
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

    /// @dev An account's credit equals its refused payments less its claims, and the contract's balance covers all
    /// credits.
    function checkCredits(uint256 party) public view {
        address account = _party(party);
        for (uint256 i = 0; i < ASSETS; i++) {
            Ledger storage books = _ledgers[i];
            if (lock.claimable(here[i], account) != _credits[true][i][account]) {
                revert Broken("an account may claim what it was refused", i);
            }
            if (bridgeMint.claimable(there[i], account) != _credits[false][i][account]) {
                revert Broken("an account may claim what it was refused there", i);
            }
            uint256 total = books.credited - books.claimed;
            if (lock.totalClaimable(here[i]) != total) revert Broken("claims are the sum of credits", i);
            uint256 reserved = total + lock.feesAccrued(here[i]);
            if (_balance(here[i], address(lock)) < reserved) revert Broken("credits and fees are covered", i);
            total = books.creditedThere - books.claimedThere;
            if (bridgeMint.totalClaimable(there[i]) != total) revert Broken("claims are the sum of credits there", i);
            // BridgeMint holds bridged tokens for their creditors only.
            if (i == XCN_ASSET) continue;
            if (_balance(there[i], address(bridgeMint)) != total) revert Broken("tokens cover the credits there", i);
        }
    }

    /// @dev The coin in BridgeMint is its float and the credits of native XCN.
    function checkFloat() public view {
        Ledger storage books = _ledgers[XCN_ASSET];
        uint256 credits = books.creditedThere - books.claimedThere;
        if (address(bridgeMint).balance * UNIT != _float + credits)
            revert Broken("coin is float and credits", XCN_ASSET);
        if (bridgeMint.float() != _float) revert Broken("the float is the rest of the coin", XCN_ASSET);
    }

    /// @dev Settings are those that the role holders set last, and within their ceilings.
    function checkSettings(uint256 asset) public view {
        for (uint256 i = 0; i < 2; i++) {
            IBridge bridge = _governed(i == 0);
            Settings storage settings = _settings[i == 0][asset];
            address token = _token(i == 0, asset);
            (uint256 capacity, uint256 window) = bridge.outflowLimit(token);
            uint256 maxAmount = bridge.maxAmount(token);
            IBridgeGovernance.Limits memory ceiling = bridge.limitCeiling(token);
            bytes32 found = keccak256(abi.encode(capacity, window, maxAmount, ceiling));
            if (found != keccak256(abi.encode(settings.limits, settings.ceiling)))
                revert Broken("limits as set", asset);
            if (capacity > ceiling.capacity || window < ceiling.window || maxAmount > ceiling.maxAmount) {
                revert Broken("no limit is above its ceiling", asset);
            }
            (bool mayBegin, bool mayDeliver, , ) = bridge.tokenSettings(token);
            if (mayBegin != settings.mayBegin || mayDeliver != settings.mayDeliver) {
                revert Broken("listings as set", asset);
            }
            if (bridge.relayer() != _relayer || bridge.standby() != _standby) revert Broken("keys as set", i);
        }
    }

    /// @dev Collateral that a successor holds; none by default.
    function _heldBySuccessor(uint256) internal view virtual returns (uint256) {
        return 0;
    }
}
