// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A leaky bucket over what leaves a contract
/// @notice At most `capacity` leaves in one moment. Outflows drain from the count evenly, a full bucket in `window`
/// seconds. So in any span of t seconds at most capacity + capacity * t / window can leave.
/// @dev The bucket counts in units of a power of ten of atomic units, so that it shares a slot with the rest of a
/// token's state. Outflows are rounded up to whole units.
library OutflowLimit {
    /// @notice Finds the smallest unit in which a capacity is a whole number and both it and what has left fit 40 bits.
    /// @dev Any capacity of up to 12 significant digits has one, unless far more has left than it.
    /// @param capacity Atomic units that may leave in one moment.
    /// @param left Atomic units that have left and not drained yet.
    /// @return exact Whether there is such a unit; the others are 0 if not.
    /// @return capacityUnits The capacity in units.
    /// @return leftUnits What has left in units, rounded up.
    /// @return exponent The unit is ten to the power of this.
    function split(
        uint256 capacity,
        uint256 left
    ) internal pure returns (bool exact, uint40 capacityUnits, uint40 leftUnits, uint8 exponent) {
        while (capacity > type(uint40).max || left > type(uint40).max) {
            if (capacity % 10 != 0) return (false, 0, 0, 0);
            capacity /= 10;
            left = ceilDiv(left, 10);
            ++exponent;
        }
        // Fits: the loop ends below 2^40.
        return (true, uint40(capacity), uint40(left), exponent);
    }

    /// @notice Outflows that have not drained yet. They drain no faster than the capacity allows, so a lower limit does
    /// not forget the outflows under a higher one.
    /// @param used Units at the time of the last outflow.
    /// @param updatedAt Unix seconds of the last outflow.
    /// @param capacity Units that may leave in one moment.
    /// @param window Seconds in which that many drain; 0 means that nothing drains.
    /// @param timestamp Unix seconds now.
    /// @return Units now.
    function level(
        uint256 used,
        uint256 updatedAt,
        uint256 capacity,
        uint256 window,
        uint256 timestamp
    ) internal pure returns (uint256) {
        if (window == 0) return used;
        uint256 drained = (capacity * (timestamp - updatedAt)) / window;
        return used > drained ? used - drained : 0;
    }

    /// @notice Divides and rounds up.
    /// @param amount The dividend.
    /// @param unit The divisor, not 0.
    /// @return The quotient.
    function ceilDiv(uint256 amount, uint256 unit) internal pure returns (uint256) {
        return amount == 0 ? 0 : (amount - 1) / unit + 1;
    }
}
