// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../interfaces/IBridgeMint.sol";

/// @title The fee of a withdrawal
/// @notice A rate with a minimum, both at or below a ceiling. formal/FeeProofs.sol proves the bounds of the fee.
library FeeFormula {
    /// @notice max(amount * bps / 10000, minFee), the division rounded down.
    /// @param amount Atomic units withdrawn, below 2^96.
    /// @param bps Rate in basis points, below 10,000.
    /// @param minFee Minimum fee in atomic units.
    /// @return fee Atomic units.
    function feeOf(uint256 amount, uint256 bps, uint256 minFee) internal pure returns (uint256 fee) {
        unchecked {
            fee = (amount * bps) / 10_000;
        }
        if (fee < minFee) fee = minFee;
    }

    /// @notice Reverts unless a policy is within its ceiling and always leaves something to deliver.
    /// @param policy The policy.
    /// @param ceiling Its bounds.
    function check(IBridgeMint.FeePolicy memory policy, IBridgeMint.FeePolicy memory ceiling) internal pure {
        _checkCeiling(policy.bps, ceiling.bps);
        _checkCeiling(policy.minFee, ceiling.minFee);
        _checkCeiling(policy.minAmount, ceiling.minAmount);
        checkMinimum(policy);
    }

    /// @notice Reverts unless the minimum amount is above the minimum fee.
    /// @param policy A policy or a ceiling.
    function checkMinimum(IBridgeMint.FeePolicy memory policy) internal pure {
        if (policy.minAmount > policy.minFee) return;
        revert IBridgeMint.MinimumNotAboveFee(policy.minAmount, policy.minFee);
    }

    /// @notice A policy, lowered to a ceiling. Its minimum amount stays above its minimum fee, since that holds for
    /// both policy and ceiling.
    /// @param policy The policy.
    /// @param ceiling Its bounds.
    /// @return lowered The policy within the bounds.
    /// @return isChanged Whether any value was lowered.
    function lower(
        IBridgeMint.FeePolicy memory policy,
        IBridgeMint.FeePolicy memory ceiling
    ) internal pure returns (IBridgeMint.FeePolicy memory lowered, bool isChanged) {
        lowered.bps = policy.bps < ceiling.bps ? policy.bps : ceiling.bps;
        lowered.minFee = policy.minFee < ceiling.minFee ? policy.minFee : ceiling.minFee;
        lowered.minAmount = policy.minAmount < ceiling.minAmount ? policy.minAmount : ceiling.minAmount;
        isChanged = lowered.bps < policy.bps || lowered.minFee < policy.minFee || lowered.minAmount < policy.minAmount;
    }

    function _checkCeiling(uint256 value, uint256 ceiling) private pure {
        if (value > ceiling) revert IBridgeGovernance.AboveCeiling(value, ceiling);
    }
}
