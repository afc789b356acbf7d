// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A model of one outflow limit that does not use the contracts' arithmetic. Stores the outflow and refill up to
/// some earlier moments, and reports when the outflow since then exceeds capacity and refill.
contract OutflowModel {
    uint256 private constant MOMENTS = 12;

    struct Moment {
        uint256 leftBefore;
        uint256 refilledBefore;
        uint256 highestCapacity;
    }

    Moment[MOMENTS] private _moments;
    uint256 private _left;
    /// @dev Atomic units times 10^18, so that rounding loses nothing.
    uint256 private _refilled;
    uint256 private _capacity;
    uint256 private _window = 1;
    uint256 private _since;
    uint256 private _count;

    /// @dev Sets or changes the limit.
    function setLimit(uint256 capacity, uint256 window, uint256 time) external {
        _pass(time);
        (_capacity, _window) = (capacity, window);
        for (uint256 i = 0; i < MOMENTS; i++) {
            if (_moments[i].highestCapacity < capacity) _moments[i].highestCapacity = capacity;
        }
    }

    /// @dev Records an outflow in atomic units. Returns whether it was within the limit.
    function record(uint256 amount, uint256 time) external returns (bool within) {
        within = true;
        _pass(time);
        // A new moment replaces an old one, not always the oldest, so that long spans are watched too.
        uint256 place = _count < MOMENTS ? _count : uint256(keccak256(abi.encode(_count))) % MOMENTS;
        _moments[place] = Moment(_left, _refilled, _capacity);
        _count++;
        _left += amount;
        uint256 known = _count < MOMENTS ? _count : MOMENTS;
        for (uint256 i = 0; i < known; i++) {
            Moment storage moment = _moments[i];
            uint256 allowed = moment.highestCapacity * 1e18 + (_refilled - moment.refilledBefore);
            if ((_left - moment.leftBefore) * 1e18 > allowed) within = false;
        }
    }

    function _pass(uint256 time) private {
        _refilled += ((time - _since) * _capacity * 1e18) / _window + 1;
        _since = time;
    }
}
