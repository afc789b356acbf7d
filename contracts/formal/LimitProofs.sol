// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OutflowLimit} from "../src/libraries/OutflowLimit.sol";

/// @dev The compiler proves each assertion for all values that the contract can store: `run prove`. Together they show
/// that in any t seconds at most capacity + capacity * t / window can leave.
contract LimitProofs {
    /// @dev Waiting never raises the level.
    function theLevelNeverGrows(
        uint32 used,
        uint32 since,
        uint32 capacity,
        uint16 minutes_,
        uint32 time
    ) external pure {
        require(time >= since);
        assert(OutflowLimit.level(used, since, capacity, uint256(minutes_) * 60, time) <= used);
    }

    /// @dev A bucket drains no faster than one capacity in a window.
    function itDrainsNoFaster(uint32 used, uint32 since, uint32 capacity, uint16 minutes_, uint32 time) external pure {
        require(time >= since && minutes_ > 0);
        uint256 drained = used - OutflowLimit.level(used, since, capacity, uint256(minutes_) * 60, time);
        assert(drained * (uint256(minutes_) * 60) <= uint256(capacity) * (time - since));
    }

    /// @dev Without a window nothing drains.
    function withoutAWindowNothingDrains(uint32 used, uint32 since, uint32 capacity, uint32 time) external pure {
        require(time >= since);
        assert(OutflowLimit.level(used, since, capacity, 0, time) == used);
    }

    /// @dev After a window a bucket is empty.
    function afterAWindowItIsEmpty(uint32 used, uint32 since, uint32 capacity, uint16 minutes_) external pure {
        require(used <= capacity && minutes_ > 0);
        assert(
            OutflowLimit.level(
                used,
                since,
                capacity,
                uint256(minutes_) * 60,
                uint256(since) + uint256(minutes_) * 60
            ) == 0
        );
    }

    /// @dev An outflow is rounded up to whole units, by less than one unit.
    function roundingIsUpAndLessThanAUnit(uint96 amount, uint96 unit) external pure {
        require(unit > 0);
        uint256 units = OutflowLimit.ceilDiv(amount, unit);
        assert(units * unit >= amount);
        assert(units * unit < uint256(amount) + unit);
    }
}
