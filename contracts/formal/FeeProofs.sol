// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeFormula} from "../src/libraries/FeeFormula.sol";

/// @dev The compiler proves each assertion for all inputs: `run prove`.
contract FeeProofs {
    /// @dev Under every valid policy and for every valid amount, something arrives.
    function somethingArrives(uint96 amount, uint16 bps, uint96 minFee, uint96 minAmount) external pure {
        require(bps < 10_000 && minAmount > minFee && amount >= minAmount);
        assert(FeeFormula.feeOf(amount, bps, minFee) < amount);
    }

    function theMinimumIsKept(uint96 amount, uint16 bps, uint96 minFee) external pure {
        assert(FeeFormula.feeOf(amount, bps, minFee) >= minFee);
    }

    /// @dev A fee is the minimum, or at most the rate.
    function neverMoreThanTheRateOrTheMinimum(uint96 amount, uint16 bps, uint96 minFee) external pure {
        uint256 fee = FeeFormula.feeOf(amount, bps, minFee);
        assert(fee == minFee || fee * 10_000 <= uint256(amount) * bps);
    }
}
