// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The fee of a withdrawal
/// @notice A rate, and never less than a minimum. What it can and cannot come to is proven in formal/FeeProofs.sol.
library FeeFormula {
    /// @notice max(amount * bps / 10000, minFee), the division rounded down.
    /// @param amount Atomic units withdrawn.
    /// @param bps Rate in basis points.
    /// @param minFee Least fee in atomic units.
    /// @return fee Atomic units.
    function feeOf(uint256 amount, uint256 bps, uint256 minFee) internal pure returns (uint256 fee) {
        fee = (amount * bps) / 10_000;
        if (fee < minFee) fee = minFee;
    }
}
