// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeGovernance} from "../interfaces/IBridgeGovernance.sol";
import {TokenState, TokenStates} from "../libraries/TokenState.sol";
import {BridgeRoles} from "./BridgeRoles.sol";

/// @title Listed tokens and their limits in both bridge contracts
/// @notice The admin lists tokens and bounds their limits; the policy manager moves the limits within the bounds.
abstract contract BridgeTokens is BridgeRoles {
    // ------------------------------------------------------------------------------------------------- State

    /// @dev Bounds of a token's limits, in its unit and in minutes. Only setters and views read it.
    struct LimitCeiling {
        uint32 capacity;
        uint32 maximum;
        uint16 window;
    }

    /// @dev The native coin.
    address internal constant NATIVE = address(0);
    /// @dev In State.flags: more tokens are listed than the three immutables hold.
    uint8 internal constant MORE_TOKENS = 0x20;
    /// @dev The first listed tokens, which are never recipients. As immutables they cost a delivery no storage read.
    address internal immutable _token0;
    address internal immutable _token1;
    address internal immutable _token2;

    mapping(address token => TokenState) internal _tokens;
    mapping(address token => LimitCeiling) private _ceilings;

    modifier onlyPolicyManager() {
        if (msg.sender != policyManager) revert NotPolicyManager(msg.sender);
        _;
    }

    constructor(Setup memory setup, TokenSetup[] memory tokens) BridgeRoles(setup) {
        for (uint256 i = 0; i < tokens.length; ++i) _listToken(tokens[i]);
        if (tokens.length <= 3) _state.flags &= ~MORE_TOKENS;
        // The zero address fills the rest: it is never a recipient either.
        _token0 = tokens.length > 0 ? tokens[0].token : NATIVE;
        _token1 = tokens.length > 1 ? tokens[1].token : NATIVE;
        _token2 = tokens.length > 2 ? tokens[2].token : NATIVE;
    }

    // ---------------------------------------------------------------------------------------------- Settings

    /// @inheritdoc IBridgeGovernance
    function listToken(TokenSetup calldata listed) external onlyOwner {
        _listToken(listed);
    }

    /// @inheritdoc IBridgeGovernance
    function setListing(address token, bool mayBegin, bool mayDeliver) external onlyOwner {
        _setToken(token, _listed(token).withListing(mayBegin, mayDeliver));
        emit ListingSet(token, mayBegin, mayDeliver);
    }

    /// @inheritdoc IBridgeGovernance
    function setLimitCeiling(address token, Limits calldata ceiling) external onlyOwner {
        _setLimitCeiling(token, ceiling);
    }

    /// @inheritdoc IBridgeGovernance
    function setOutflowLimit(address token, uint256 capacity, uint256 window) external onlyPolicyManager {
        _setOutflowLimit(token, capacity, window);
    }

    /// @inheritdoc IBridgeGovernance
    function setMaxAmount(address token, uint256 amount) external onlyPolicyManager {
        _setMaxAmount(token, amount);
    }

    /// @inheritdoc IBridgeGovernance
    function tokenSettings(
        address token
    ) external view returns (bool mayBegin, bool mayDeliver, uint256 granularity, uint256 unit) {
        TokenState state = _tokens[token];
        if (!state.isListed()) return (false, false, 0, 0);
        return (state.mayBegin(), state.mayDeliver(), state.granularity(), state.unit());
    }

    /// @inheritdoc IBridgeGovernance
    function outflowLimit(address token) external view returns (uint256 capacity, uint256 window) {
        TokenState state = _tokens[token];
        return (state.capacity() * state.unit(), uint256(state.window()) * 1 minutes);
    }

    /// @inheritdoc IBridgeGovernance
    function maxAmount(address token) external view returns (uint256) {
        return _tokens[token].maxAmount();
    }

    /// @inheritdoc IBridgeGovernance
    function limitCeiling(address token) external view returns (Limits memory ceiling) {
        LimitCeiling storage stored = _ceilings[token];
        uint256 unit = _tokens[token].unit();
        return Limits(stored.capacity * unit, uint256(stored.window) * 1 minutes, stored.maximum * unit);
    }

    // --------------------------------------------------------------------------------------------- Internals

    /// @dev Called when the listing or the limits of a token changed.
    function _onTokenSet(address token, TokenState state) internal virtual {}

    /// @dev The state of a listed token. Reverts with NotListed.
    function _listed(address token) internal view returns (TokenState state) {
        state = _tokens[token];
        if (!state.isListed()) revert NotListed(token);
    }

    function _listToken(TokenSetup memory listed) private {
        address token = listed.token;
        if (_tokens[token].isListed()) revert AlreadyListed(token);
        _requireExponent(listed.granularityExponent);
        _requireExponent(listed.unitExponent);
        _setToken(token, TokenStates.listed(listed.granularityExponent, listed.unitExponent));
        _state.flags |= MORE_TOKENS;
        emit TokenListed(token, listed.granularityExponent, listed.unitExponent);
        emit ListingSet(token, true, true);
        _setLimitCeiling(token, listed.ceiling);
        _setOutflowLimit(token, listed.limits.capacity, listed.limits.window);
        _setMaxAmount(token, listed.limits.maxAmount);
    }

    function _setLimitCeiling(address token, Limits memory ceiling) private {
        TokenState state = _listed(token);
        LimitCeiling memory bound = LimitCeiling(
            _toUnits(ceiling.capacity, state.unit()),
            _toUnits(ceiling.maxAmount, state.unit()),
            _toMinutes(ceiling.window)
        );
        _ceilings[token] = bound;
        emit LimitCeilingSet(token, ceiling.capacity, ceiling.window, ceiling.maxAmount);
        // Before its first limit a token has no window and nothing to lower.
        if (state.window() == 0) return;
        uint32 capacity = state.capacity() < bound.capacity ? state.capacity() : bound.capacity;
        uint16 window = state.window() > bound.window ? state.window() : bound.window;
        if (capacity != state.capacity() || window != state.window()) {
            state = _writeLimit(token, state, capacity, window);
        }
        if (state.maximum() > bound.maximum) _writeMaximum(token, state, bound.maximum);
    }

    function _setOutflowLimit(address token, uint256 capacity, uint256 window) private {
        TokenState state = _listed(token);
        LimitCeiling storage ceiling = _ceilings[token];
        uint32 units = _toUnits(capacity, state.unit());
        uint16 windowMinutes = _toMinutes(window);
        if (units > ceiling.capacity) revert AboveCeiling(capacity, ceiling.capacity * state.unit());
        if (windowMinutes < ceiling.window) revert WindowBelowFloor(window, uint256(ceiling.window) * 1 minutes);
        _writeLimit(token, state, units, windowMinutes);
    }

    function _setMaxAmount(address token, uint256 amount) private {
        TokenState state = _listed(token);
        uint32 units = _toUnits(amount, state.unit());
        uint32 ceiling = _ceilings[token].maximum;
        if (units > ceiling) revert AboveCeiling(amount, ceiling * state.unit());
        _writeMaximum(token, state, units);
    }

    function _writeLimit(
        address token,
        TokenState state,
        uint32 capacity,
        uint16 window
    ) private returns (TokenState changed) {
        changed = state.withLimit(capacity, window);
        _setToken(token, changed);
        emit OutflowLimitSet(token, capacity * state.unit(), uint256(window) * 1 minutes);
    }

    function _writeMaximum(address token, TokenState state, uint32 maximum) private {
        _setToken(token, state.withMaximum(maximum));
        emit MaxAmountSet(token, maximum * state.unit());
    }

    function _setToken(address token, TokenState state) private {
        _tokens[token] = state;
        _onTokenSet(token, state);
    }

    function _requireExponent(uint8 exponent) private pure {
        if (exponent > TokenStates.MAX_EXPONENT) revert ExponentTooLarge(exponent);
    }

    function _toUnits(uint256 amount, uint256 unit) private pure returns (uint32) {
        uint256 units = amount / unit;
        if (units * unit != amount || units > type(uint32).max) revert NotInUnits(amount, unit);
        return uint32(units);
    }

    function _toMinutes(uint256 window) private pure returns (uint16) {
        uint256 count = window / 1 minutes;
        if (count * 1 minutes != window || count == 0 || count > type(uint16).max) revert InvalidWindow(window);
        return uint16(count);
    }
}
