// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeChecks} from "./BridgeChecks.sol";
import {GovernorActions} from "./GovernorActions.sol";
import {RelayerActions} from "./RelayerActions.sol";

/// @dev A bridge whose relayer key is stolen: it delivers whatever it likes, to whom it likes, beside what it should.
contract StolenRelay is RelayerActions, GovernorActions, BridgeChecks {
    /// @dev Numbers that nothing else here uses.
    uint256 private _forged = 1_000;

    /// @dev Takes all that there is room for: only a full bucket shows whether it lets too much through.
    function takeAll(uint256 asset, uint256 seed, bool onLock) external {
        asset %= ASSETS;
        if (onLock) {
            uint256 room = lock.outflowRoom(here[asset]);
            uint256 locked = lock.locked(here[asset]);
            _release(asset, Operation(++_forged, _actor(seed), room < locked ? room : locked, 0));
            return;
        }
        uint256 amount = bridgeMint.outflowRoom(there[asset]);
        if (asset == XCN_ASSET) amount -= amount % UNIT;
        if (_mint(asset, ++_forged, _actor(seed), amount)) _ledgers[asset].minted += amount;
    }

    function forgeMint(uint256 asset, uint8 nonce, uint256 seed, uint80 amount) external {
        asset %= ASSETS;
        uint256 value = asset == XCN_ASSET ? uint256(amount) * UNIT : amount;
        if (_mint(asset, nonce, _actor(seed), value)) {
            _countDelivery(keccak256(abi.encode("mint", uint256(nonce))));
            _ledgers[asset].minted += value;
        }
    }

    function forgeRelease(uint256 asset, uint8 nonce, uint256 seed, uint80 amount, uint80 fee) external {
        asset %= ASSETS;
        bool done = _release(asset, Operation(nonce, _actor(seed), amount, fee));
        if (!done) return;
        if (lock.releasesPaused()) ranWhilePaused++;
        _countDelivery(keccak256(abi.encode(asset == XCN_ASSET ? "intent" : "release", uint256(nonce))));
    }
}

/// @dev What holds even while the relayer's key is in the hands of a thief.
contract StolenRelayTest {
    StolenRelay private world;

    function setUp() external {
        world = new StolenRelay();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    /// @dev All of them after every call, so that a campaign is one of each. What was forged is not backed.
    function invariant_WithAStolenRelayer() external view {
        world.checkMovements();
        world.checkRights();
        world.checkPauses();
        world.checkOutflow();
        world.checkFees();
        world.checkCredits();
    }
}
