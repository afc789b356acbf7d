// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A leaky bucket over what leaves a contract
/// @notice At most `capacity` leaves at once; what has left drains from the count evenly over `window` seconds. So in any
/// span of t seconds at most capacity + capacity * t / window can leave.
library OutflowLimit {
    /// @notice More than the bucket has room for.
    /// @param room Atomic units that may leave now.
    /// @param asked Atomic units asked for.
    error OutflowLimitExceeded(uint256 room, uint256 asked);

    /// @notice What has left and not drained yet.
    /// @param used Count at the time of the last outflow.
    /// @param updatedAt Unix seconds of the last outflow.
    /// @param capacity Atomic units that fit.
    /// @param window Seconds in which a full bucket drains.
    /// @param timestamp Unix seconds now.
    /// @return level Count now.
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
