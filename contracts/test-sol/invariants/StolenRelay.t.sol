// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "../Vm.sol";
import {BridgeChecks} from "./BridgeChecks.sol";
import {GovernorActions} from "./GovernorActions.sol";
import {RelayerActions} from "./RelayerActions.sol";

/// @dev A bridge whose relayer key is stolen: it delivers whatever it likes, to whom it likes, beside what it should.
contract StolenRelay is RelayerActions, GovernorActions, BridgeChecks {
    /// @dev How often a bucket was emptied.
    uint256 public drained;

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

    /// @dev Takes all there is room for, to the last unit: the next one finds only what has refilled since.
    function drainMints(uint256 asset, uint256 nonce, uint256 seed) external {
        asset %= ASSETS;
        uint256 amount = bridgeMint.outflowRoom(there[asset]);
        if (asset == XCN_ASSET) amount -= amount % UNIT;
        // Numbers that no honest delivery has.
        nonce = (nonce % 1_000_000) + 1_000_000;
        if (!_mint(asset, nonce, _actor(seed), amount)) return;
        _countDelivery(keccak256(abi.encode("mint", nonce)));
        _ledgers[asset].minted += amount;
        drained++;
    }

    function drainReleases(uint256 asset, uint256 nonce, uint256 seed, bool asFee) external {
        asset %= ASSETS;
        uint256 room = lock.outflowRoom(here[asset]);
        uint256 most = lock.locked(here[asset]);
        if (room > most) room = most;
        if (room == 0) return;
        nonce = (nonce % 1_000_000) + 1_000_000;
        uint256 fee = asFee ? room - 1 : 0;
        if (!_release(asset, Operation(nonce, _actor(seed), room - fee, fee))) return;
        if (lock.releasesPaused()) ranWhilePaused++;
        _countDelivery(keccak256(abi.encode(asset == XCN_ASSET ? "intent" : "release", nonce)));
        drained++;
    }
}

/// @dev What holds even while the relayer's key is in the hands of a thief.
contract StolenRelayTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    StolenRelay private world;

    function setUp() external {
        world = new StolenRelay();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    /// @dev A limit that nobody comes near to would hold whatever the contracts do.
    function test_TheThiefEmptiesEveryBucket() external {
        for (uint256 i = 0; i < 4; i++) {
            world.deposit(0, i, 1e20, 1);
            world.setLimit(i, true, 1, 0, 3_600);
            world.drainMints(i, i, 0);
            world.drainReleases(i, i, 0, false);
            vm.assertEq(world.drained(), 2 * i + 2);
        }
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
