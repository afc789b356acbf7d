// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A leaky bucket over the outflow of a contract
/// @notice At most `capacity` leaves in one moment. Outflows drain from the count evenly, a full bucket in `window`
/// seconds. So in any span of t seconds at most capacity + capacity * t / window can leave.
/// @dev The bucket counts in whole units of a token (see TokenState). Outflows are rounded up, drains are rounded down.
library OutflowLimit {
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
        // Nothing overflows: all five are below 2^32, and time does not run backwards.
        unchecked {
            uint256 drained = (capacity * (timestamp - updatedAt)) / window;
            return used > drained ? used - drained : 0;
        }
    }

    /// @notice Divides and rounds up.
    /// @param amount The dividend.
    /// @param unit The divisor, not 0.
    /// @return The quotient.
    function ceilDiv(uint256 amount, uint256 unit) internal pure returns (uint256) {
        unchecked {
            return amount == 0 ? 0 : (amount - 1) / unit + 1;
        }
    }
}
