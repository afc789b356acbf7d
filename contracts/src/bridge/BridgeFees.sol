// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeMint} from "../interfaces/IBridgeMint.sol";
import {FeeFormula} from "../libraries/FeeFormula.sol";
import {TokenState, TokenStates} from "../libraries/TokenState.sol";
import {BridgeSuccession} from "./BridgeSuccession.sol";

/// @title Fees of withdrawals
/// @notice The fee policy of each token, its bounds, and the fee of an amount.
abstract contract BridgeFees is IBridgeMint, BridgeSuccession {
    /// @dev All that a withdrawal reads of its token, in one slot. Repeats fields of TokenState.
    struct WithdrawalTerms {
        bool mayBegin;
        uint8 unitExponent;
        uint16 bps;
        uint32 maximum;
        uint96 minFee;
        uint96 minAmount;
    }

    mapping(address token => WithdrawalTerms) private _terms;
    /// @inheritdoc IBridgeMint
    mapping(address token => FeePolicy) public feeCeiling;

    /// @inheritdoc IBridgeMint
    function feePolicy(address token) external view returns (uint16 bps, uint96 minFee, uint96 minAmount) {
        WithdrawalTerms storage terms = _terms[token];
        return (terms.bps, terms.minFee, terms.minAmount);
    }

    /// @inheritdoc IBridgeMint
    function setFeePolicy(address token, FeePolicy calldata policy) external onlyPolicyManager {
        _setFeePolicy(token, policy);
    }

    /// @inheritdoc IBridgeMint
    function setFeeCeiling(address token, FeePolicy calldata ceiling) external onlyOwner {
        _setFeeCeiling(token, ceiling);
    }

    /// @dev Copies the fields that a withdrawal reads.
    function _onTokenSet(address token, TokenState state) internal override {
        WithdrawalTerms storage terms = _terms[token];
        terms.mayBegin = state.mayBegin();
        terms.unitExponent = state.unitExponent();
        terms.maximum = state.maximum();
    }

    /// @dev The fee of a withdrawal, in one storage read. Reverts when the withdrawal may not begin.
    function _feeOf(address token, uint256 amount) internal view returns (uint256) {
        WithdrawalTerms storage terms = _terms[token];
        (bool mayBegin, uint8 unitExponent, uint256 bps, uint32 units, uint256 minFee, uint256 minAmount) = (
            terms.mayBegin,
            terms.unitExponent,
            terms.bps,
            terms.maximum,
            terms.minFee,
            terms.minAmount
        );
        // Every policy has a minimum amount above 0, so 0 means that the token has no policy.
        if (!mayBegin || minAmount == 0) revert TokenNotAllowed(token);
        if (amount < minAmount) revert BelowMinimum(amount, minAmount);
        uint256 maximum = TokenStates.toAmount(units, unitExponent);
        if (amount > maximum) revert AboveMaximum(amount, maximum);
        return FeeFormula.feeOf(amount, bps, minFee);
    }

    function _setFeePolicy(address token, FeePolicy memory policy) internal {
        _listed(token);
        FeeFormula.check(policy, feeCeiling[token]);
        _writeFeePolicy(token, policy);
    }

    function _setFeeCeiling(address token, FeePolicy memory ceiling) internal {
        _listed(token);
        if (ceiling.bps >= 10_000) revert RateTooHigh(ceiling.bps);
        FeeFormula.checkMinimum(ceiling);
        feeCeiling[token] = ceiling;
        emit FeeCeilingSet(token, ceiling.bps, ceiling.minFee, ceiling.minAmount);
        WithdrawalTerms storage terms = _terms[token];
        FeePolicy memory policy = FeePolicy(terms.bps, terms.minFee, terms.minAmount);
        (FeePolicy memory lowered, bool isChanged) = FeeFormula.lower(policy, ceiling);
        if (isChanged) _writeFeePolicy(token, lowered);
    }

    function _writeFeePolicy(address token, FeePolicy memory policy) private {
        WithdrawalTerms storage terms = _terms[token];
        terms.bps = policy.bps;
        terms.minFee = policy.minFee;
        terms.minAmount = policy.minAmount;
        emit FeePolicySet(token, policy.bps, policy.minFee, policy.minAmount);
    }
}
