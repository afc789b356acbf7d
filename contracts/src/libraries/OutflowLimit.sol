// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A leaky bucket over the outflow of a contract
/// @notice At most `capacity` can leave at once. The level drains evenly, a full bucket in `window` seconds, so in any
/// t seconds at most capacity + capacity * t / window can leave.
/// @dev The bucket counts in whole units of a token (see TokenState). Outflows are rounded up, drains are rounded down.
library OutflowLimit {
    /// @notice Outflows that have not drained yet. They drain at the current rate, so lowering the limit does not
    /// forget outflows under the higher one.
    /// @param used Units at the time of the last outflow.
    /// @param updatedAt Unix seconds of the last outflow.
    /// @param capacity Units that can leave at once.
    /// @param window Seconds in which a full bucket drains; 0 disables draining.
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
        // No overflow: all five are below 2^32, and time does not run backwards.
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
