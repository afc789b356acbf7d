// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OutflowLimit} from "./OutflowLimit.sol";

/// @notice A token's listing, limits and reserve in one word, which a delivery reads once and writes once. A struct
/// would cost 1,500 gas more (measured), since Solidity writes its fields one by one.
/// @dev From the lowest bit: reserved (96 bits, atomic units), used, capacity, maximum (32 each, units), updatedAt (32,
/// Unix seconds), window (16, minutes), unit exponent (8), granularity exponent (5), listed, may begin, may deliver.
type TokenState is uint256;

using TokenStates for TokenState global;

/// @title The fields of a token's state
/// @notice Reads and changes fields of a copy, which the caller writes to storage.
library TokenStates {
    /// @notice Exponents are at most this, so that a limit of 2^32 units fits 96 bits.
    uint256 internal constant MAX_EXPONENT = 18;

    uint256 private constant LISTED = 1 << 253;
    uint256 private constant MAY_BEGIN = 1 << 254;
    uint256 private constant MAY_DELIVER = 1 << 255;
    uint256 private constant GRANULARITY_AT = 248;
    uint256 private constant UNIT_AT = 240;
    uint256 private constant WINDOW_AT = 224;
    uint256 private constant UPDATED_AT = 192;
    uint256 private constant MAXIMUM_AT = 160;
    uint256 private constant CAPACITY_AT = 128;
    uint256 private constant USED_AT = 96;

    // ------------------------------------------------------------------------------------------------- Reads

    /// @notice Whether the token was ever listed.
    /// @param state State of the token.
    /// @return Whether it was.
    function isListed(TokenState state) internal pure returns (bool) {
        return TokenState.unwrap(state) & LISTED != 0;
    }

    /// @notice Whether operations may begin here.
    /// @param state State of the token.
    /// @return Whether they may.
    function mayBegin(TokenState state) internal pure returns (bool) {
        return TokenState.unwrap(state) & MAY_BEGIN != 0;
    }

    /// @notice Whether operations may be delivered here.
    /// @param state State of the token.
    /// @return Whether they may.
    function mayDeliver(TokenState state) internal pure returns (bool) {
        return TokenState.unwrap(state) & MAY_DELIVER != 0;
    }

    /// @notice Amounts are multiples of this.
    /// @param state State of the token.
    /// @return Atomic units.
    function granularity(TokenState state) internal pure returns (uint256) {
        return powerOfTen((TokenState.unwrap(state) >> GRANULARITY_AT) & 0x1f);
    }

    /// @notice The exponent of `unit`.
    /// @param state State of the token.
    /// @return At most 18.
    function unitExponent(TokenState state) internal pure returns (uint8) {
        return uint8(TokenState.unwrap(state) >> UNIT_AT);
    }

    /// @notice Limits are multiples of this.
    /// @param state State of the token.
    /// @return Atomic units.
    function unit(TokenState state) internal pure returns (uint256) {
        return powerOfTen(unitExponent(state));
    }

    /// @notice The time in which a used-up capacity refills.
    /// @param state State of the token.
    /// @return Minutes; 0 before the first limit.
    function window(TokenState state) internal pure returns (uint16) {
        return uint16(TokenState.unwrap(state) >> WINDOW_AT);
    }

    /// @notice The outflow that can leave at once.
    /// @param state State of the token.
    /// @return Units.
    function capacity(TokenState state) internal pure returns (uint32) {
        return uint32(TokenState.unwrap(state) >> CAPACITY_AT);
    }

    /// @notice The maximum of an operation that begins here.
    /// @param state State of the token.
    /// @return Units.
    function maximum(TokenState state) internal pure returns (uint32) {
        return uint32(TokenState.unwrap(state) >> MAXIMUM_AT);
    }

    /// @notice The maximum of an operation that begins here.
    /// @param state State of the token.
    /// @return Atomic units.
    function maxAmount(TokenState state) internal pure returns (uint256) {
        return toAmount(maximum(state), unitExponent(state));
    }

    /// @notice Fees and credits.
    /// @param state State of the token.
    /// @return Atomic units.
    function reserved(TokenState state) internal pure returns (uint256) {
        return uint96(TokenState.unwrap(state));
    }

    /// @notice Outflows that have not drained yet.
    /// @param state State of the token.
    /// @return Units now.
    function level(TokenState state) internal view returns (uint256) {
        uint256 used = uint32(TokenState.unwrap(state) >> USED_AT);
        uint256 updatedAt = uint32(TokenState.unwrap(state) >> UPDATED_AT);
        return
            OutflowLimit.level(used, updatedAt, capacity(state), uint256(window(state)) * 1 minutes, block.timestamp);
    }

    /// @notice The room of the outflow limit now.
    /// @param state State of the token.
    /// @return Atomic units.
    function room(TokenState state) internal view returns (uint256) {
        (uint256 most, uint256 used) = (capacity(state), level(state));
        // A lowered capacity can be below the level.
        return most > used ? (most - used) * unit(state) : 0;
    }

    // ----------------------------------------------------------------------------------------------- Changes

    /// @notice Counts an outflow, if the limit has room.
    /// @param state State of the token.
    /// @param asked Atomic units, the fee included.
    /// @return hasRoom Whether there is room.
    /// @return counted State with the outflow, if there is room.
    function count(TokenState state, uint256 asked) internal view returns (bool hasRoom, TokenState counted) {
        uint256 used = level(state) + OutflowLimit.ceilDiv(asked, unit(state));
        if (used > capacity(state)) return (false, state);
        return (true, _withUsed(state, used));
    }

    /// @notice Sets fees and credits.
    /// @param state State of the token.
    /// @param amount Atomic units, below 2^96.
    /// @return The new state.
    function withReserved(TokenState state, uint256 amount) internal pure returns (TokenState) {
        return _with(state, 0, type(uint96).max, amount);
    }

    /// @notice Sets a limit. Drains up to now at the old rate first: the new rate must not apply to the past. Earlier
    /// outflows stay counted.
    /// @param state State of the token.
    /// @param newCapacity Units.
    /// @param newWindow Minutes.
    /// @return The new state.
    function withLimit(TokenState state, uint32 newCapacity, uint16 newWindow) internal view returns (TokenState) {
        TokenState settled = _withUsed(state, level(state));
        settled = _with(settled, CAPACITY_AT, type(uint32).max, newCapacity);
        return _with(settled, WINDOW_AT, type(uint16).max, newWindow);
    }

    /// @notice Sets the maximum of an operation.
    /// @param state State of the token.
    /// @param newMaximum Units.
    /// @return The new state.
    function withMaximum(TokenState state, uint32 newMaximum) internal pure returns (TokenState) {
        return _with(state, MAXIMUM_AT, type(uint32).max, newMaximum);
    }

    /// @notice Sets the open directions of the token.
    /// @param state State of the token.
    /// @param begin Whether operations may begin here.
    /// @param deliver Whether operations may be delivered here.
    /// @return The new state.
    function withListing(TokenState state, bool begin, bool deliver) internal pure returns (TokenState) {
        uint256 word = TokenState.unwrap(state) & ~(MAY_BEGIN | MAY_DELIVER);
        return TokenState.wrap(word | (begin ? MAY_BEGIN : 0) | (deliver ? MAY_DELIVER : 0));
    }

    /// @notice The state of a token that is listed for both directions and has no limit yet.
    /// @param granularityExponent At most 18.
    /// @param newUnitExponent At most 18.
    /// @return The state.
    function listed(uint8 granularityExponent, uint8 newUnitExponent) internal pure returns (TokenState) {
        uint256 exponents = (uint256(granularityExponent) << GRANULARITY_AT) | (uint256(newUnitExponent) << UNIT_AT);
        return TokenState.wrap(LISTED | MAY_BEGIN | MAY_DELIVER | exponents);
    }

    /// @notice Ten to a power.
    /// @param exponent At most 77.
    /// @return The power.
    function powerOfTen(uint256 exponent) internal pure returns (uint256) {
        unchecked {
            return 10 ** exponent;
        }
    }

    /// @notice Units as an amount.
    /// @param units Units.
    /// @param exponent Exponent of the unit, at most 18.
    /// @return Atomic units, below 2^96.
    function toAmount(uint32 units, uint8 exponent) internal pure returns (uint256) {
        unchecked {
            return units * powerOfTen(exponent);
        }
    }

    /// @dev `used` fits 32 bits: it is at most the capacity or the previous `used`.
    function _withUsed(TokenState state, uint256 used) private view returns (TokenState) {
        uint256 time = uint32(block.timestamp);
        return _with(_with(state, USED_AT, type(uint32).max, used), UPDATED_AT, type(uint32).max, time);
    }

    function _with(TokenState state, uint256 shift, uint256 mask, uint256 value) private pure returns (TokenState) {
        return TokenState.wrap((TokenState.unwrap(state) & ~(mask << shift)) | (value << shift));
    }
}
