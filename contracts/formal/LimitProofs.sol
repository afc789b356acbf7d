// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OutflowLimit} from "../src/bridge/OutflowLimit.sol";

/// @dev Each assertion is proven by the compiler for all numbers that the contract can store: `run prove`. Together they say
/// that what leaves in a span of t seconds is at most capacity + capacity * t / window.
contract LimitProofs {
    /// @dev Waiting never fills a bucket.
    function theLevelNeverGrows(uint40 used, uint32 since, uint40 capacity, uint24 window, uint32 time) external pure {
        require(time >= since);
        assert(OutflowLimit.level(used, since, capacity, window, time) <= used);
    }

    /// @dev It drains no faster than a full bucket in a window.
    function itDrainsNoFaster(uint40 used, uint32 since, uint40 capacity, uint24 window, uint32 time) external pure {
        require(time >= since && window > 0);
        uint256 drained = used - OutflowLimit.level(used, since, capacity, window, time);
        assert(drained * window <= uint256(capacity) * (time - since));
    }

    /// @dev Without a window nothing drains.
    function withoutAWindowNothingDrains(uint40 used, uint32 since, uint40 capacity, uint32 time) external pure {
        require(time >= since);
        assert(OutflowLimit.level(used, since, capacity, 0, time) == used);
    }

    /// @dev After a window everything that fitted has drained.
    function afterAWindowItIsEmpty(uint40 used, uint32 since, uint40 capacity, uint24 window) external pure {
        require(used <= capacity && window > 0);
        assert(OutflowLimit.level(used, since, capacity, window, uint256(since) + window) == 0);
    }

    /// @dev Counted in whole units an outflow is never less than it is, and never a whole unit more.
    function roundingIsUpAndLessThanAUnit(uint96 amount, uint96 unit) external pure {
        require(unit > 0);
        uint256 units = OutflowLimit.ceilDiv(amount, unit);
        assert(units * unit >= amount);
        assert(units * unit < uint256(amount) + unit);
    }
}
