// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A leaky bucket over what leaves a contract
/// @notice At most `capacity` leaves at once; what has left drains from the count evenly over `window` seconds. So in any
/// span of t seconds at most capacity + capacity * t / window can leave.
/// @dev The bucket counts in units of a power of ten of atomic units, so that all of it shares a slot with the rest of a
/// token's state. A unit is never above 10^-11 of the capacity, and outflows are rounded up to whole units.
library OutflowLimit {
    /// @notice Splits a capacity into a number of units that fits 40 bits and the smallest exponent of ten for it.
    /// @dev Any number of up to 12 significant digits has one.
    /// @param capacity Atomic units.
    /// @return exact Whether there is such a pair; the others are 0 if not.
    /// @return units Units of 10^exponent.
    /// @return exponent Exponent of ten.
    function split(uint256 capacity) internal pure returns (bool exact, uint40 units, uint8 exponent) {
        while (capacity > type(uint40).max) {
            if (capacity % 10 != 0) return (false, 0, 0);
            capacity /= 10;
            ++exponent;
        }
        // Fits: the loop ends below 2^40.
        return (true, uint40(capacity), exponent);
    }

    /// @notice What has left and not drained yet.
    /// @param used Units at the time of the last outflow, at most `capacity`.
    /// @param updatedAt Unix seconds of the last outflow.
    /// @param capacity Units that fit.
    /// @param window Seconds in which a full bucket drains.
    /// @param timestamp Unix seconds now.
    /// @return level Units now, at most `capacity`.
    function level(
        uint256 used,
        uint256 updatedAt,
        uint256 capacity,
        uint256 window,
        uint256 timestamp
    ) internal pure returns (uint256) {
        uint256 elapsed = timestamp - updatedAt;
        if (elapsed >= window) return 0;
        uint256 drained = (capacity * elapsed) / window;
        return used > drained ? used - drained : 0;
    }
}
