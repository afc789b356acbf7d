// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Reach} from "./Reach.sol";
import {Turns} from "./Turns.sol";

/// @dev A bridge whose relayer key is stolen: it delivers whatever it likes, to whom it likes, beside what it should.
contract StolenRelay is Turns {
    /// @dev Numbers that nothing else here uses.
    uint256 private _forged = 1_000_000_000;

    function _steal(uint256 asset, uint256 seed) internal override {
        uint256 what = seed % 8;
        seed >>= 8;
        if (what == 0) _takeAll(asset, seed, true);
        else if (what == 1) _takeAll(asset, seed, false);
        else if (what < 4) _forgeMint(asset, seed, _amount(seed >> 64, asset));
        else if (what < 7) _forgeRelease(asset, seed, _amount(seed >> 64, asset));
        else if (asset != XCN_ASSET) _refund(asset, _actor(seed), _amount(seed >> 64, asset));
        _saw("theft", what % ASSETS);
    }

    /// @dev Takes all that there is room for: only a full bucket shows whether it lets too much through.
    function _takeAll(uint256 asset, uint256 seed, bool onLock) private {
        if (onLock) {
            uint256 room = lock.outflowRoom(here[asset]);
            uint256 locked = lock.locked(here[asset]);
            _release(asset, Operation(++_forged, _actor(seed), room < locked ? room : locked, 0));
            return;
        }
        uint256 amount = bridgeMint.outflowRoom(there[asset]);
        if (asset == XCN_ASSET) amount -= amount % UNIT;
        _mint(asset, ++_forged, _actor(seed), amount);
    }

    /// @dev A number that began, or will, or never does.
    function _forgeMint(uint256 asset, uint256 seed, uint256 amount) private {
        _mint(asset, (seed >> 8) % (lock.depositNonce() + 16), _actor(seed), amount);
    }

    function _forgeRelease(uint256 asset, uint256 seed, uint256 amount) private {
        uint256 next = asset == XCN_ASSET ? _intents + 1 : bridgeMint.withdrawNonce();
        uint256 fee = (seed >> 32) % 2 == 0 ? 0 : amount / 10;
        _release(asset, Operation((seed >> 8) % (next + 16), _actor(seed), amount, fee));
    }
}

/// @dev What holds even while the relayer's key is in the hands of a thief.
contract StolenRelayTest is Reach {
    function setUp() external {
        world = new StolenRelay();
    }

    /// @dev All of them after every call, so that a campaign is one of each. What was forged is not backed.
    function invariant_WithAStolenRelayer() external view {
        _check();
    }

    function _check() internal view override {
        world.checkAll();
    }
}
