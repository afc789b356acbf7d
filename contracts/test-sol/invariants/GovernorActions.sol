// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestUSDC} from "../../src/testing/TestUSDC.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {HostileActor} from "./HostileActor.sol";
import {BridgeWorld} from "./BridgeWorld.sol";

/// @dev What those who rule do, and what changes around the bridge: pauses, keys, limits, fees, listings, moods and time.
abstract contract GovernorActions is BridgeWorld {
    function pause(bool onLock, bool inbound, bool outbound) external {
        vm.prank(GUARDIAN);
        if (onLock) lock.pause(inbound, outbound);
        else bridgeMint.pause(inbound, outbound);
    }

    function resume(bool onLock) external {
        vm.prank(ADMIN);
        if (onLock) lock.setPause(false, false);
        else bridgeMint.setPause(false, false);
    }

    function rotateRelayer(uint256 seed) external {
        _relayer = _wallets[seed % _wallets.length];
        vm.startPrank(ADMIN);
        lock.setRelayer(_relayer);
        bridgeMint.setRelayer(_relayer);
        vm.stopPrank();
    }

    function setTreasury(uint256 seed) external {
        vm.prank(ADMIN);
        lock.setTreasury(_treasuries[seed % 2]);
    }

    /// @dev A guardian comes, pauses, and goes; a policy manager cannot pause.
    function changeRoles(uint160 seed, bool outbound) external {
        address keeper = address(uint160(0xEE00) + (seed % 8));
        bytes32 role = lock.GUARDIAN_ROLE();
        vm.prank(ADMIN);
        lock.grantRole(role, keeper);
        vm.prank(keeper);
        lock.pause(false, outbound);
        vm.prank(ADMIN);
        lock.revokeRole(role, keeper);
        vm.prank(keeper);
        (bool paused, ) = address(lock).call(abi.encodeCall(lock.pause, (true, true)));
        if (paused) unauthorised++;
        vm.prank(POLICY_MANAGER);
        (paused, ) = address(bridgeMint).call(abi.encodeCall(bridgeMint.pause, (true, true)));
        if (paused) unauthorised++;
    }

    function setLimit(uint256 asset, bool onLock, uint40 digits, uint8 exponent, uint16 window) external {
        // Wide enough often that operations get through, and tight enough often that they do not.
        _limit(asset % ASSETS, onLock, uint128(digits) * uint128(10) ** (6 + (exponent % 11)), uint32(window) + 1);
    }

    function setFeePolicy(uint256 asset, uint16 bps, uint32 minFee) external {
        vm.prank(POLICY_MANAGER);
        bridgeMint.setFeePolicy(there[asset % ASSETS], bps % 1_000, minFee, uint112(minFee) + 1_000);
    }

    function delist(uint256 asset, bool onLock, bool allowed) external {
        asset %= ASSETS;
        uint8 exponent = asset == XCN_ASSET ? 10 : 0;
        vm.prank(ADMIN);
        if (onLock) lock.setToken(here[asset], allowed, exponent);
        else bridgeMint.setToken(there[asset], allowed, exponent);
    }

    function block_(uint256 seed, bool blocked) external {
        // Now and then the bridge itself.
        _usdc.setBlocklisted(seed % 16 == 0 ? address(lock) : _actor(seed), blocked);
        chaos.setBlocked(_actor(seed), blocked);
    }

    function misbehave(uint256 mode, uint256 attackSeed, uint96 amount) external {
        chaos.setMode(ChaoticToken.Mode(mode % (uint256(type(ChaoticToken.Mode).max) + 1)));
        chaos.setAttack(address(lock), _attack(attackSeed, amount));
    }

    function changeMood(uint256 seed, uint256 mood, uint256 attackSeed, uint96 amount) external {
        HostileActor actor = HostileActor(payable(actors[2 + (seed % 3)]));
        HostileActor.Mood chosen = HostileActor.Mood(mood % 4);
        if (attackSeed % 5 != 0) actor.setMood(chosen, address(lock), _attack(attackSeed, amount));
        else {
            bytes memory attack = abi.encodeCall(bridgeMint.claimFor, (address(0), _actor(attackSeed)));
            actor.setMood(chosen, address(bridgeMint), attack);
        }
    }

    function wait(uint16 elapsed) external {
        _time += elapsed;
        vm.warp(_time);
    }

    /// @dev Anybody tries whatever only somebody may.
    function intrude(uint256 seed, uint256 what, uint256 asset, uint96 amount) external {
        asset %= ASSETS;
        address intruder =
            seed % 4 == 0
                ? GUARDIAN
                : seed % 4 == 1
                    ? POLICY_MANAGER
                    : _actor(seed);
        bytes[14] memory calls = [
            abi.encodeCall(lock.setRelayer, (intruder)),
            abi.encodeCall(lock.setTreasury, (intruder)),
            abi.encodeCall(lock.setToken, (here[asset], true, 0)),
            abi.encodeCall(lock.setPause, (false, false)),
            abi.encodeCall(lock.grantRole, (bytes32(0), intruder)),
            abi.encodeCall(lock.beginDefaultAdminTransfer, (intruder)),
            abi.encodeCall(lock.release, (what, here[asset], intruder, amount, 0)),
            abi.encodeCall(lock.releaseNative, (what, intruder, amount, 0)),
            abi.encodeCall(lock.releaseIntent, (bytes32(what), intruder, amount, 0)),
            abi.encodeCall(bridgeMint.mint, (what, there[asset], intruder, amount)),
            abi.encodeCall(bridgeMint.refund, (there[asset], intruder, amount)),
            abi.encodeCall(bridgeMint.retire, (there[asset], amount)),
            abi.encodeCall(bridgeMint.retireOf, (_relayer, there[asset], amount)),
            abi.encodeCall(bridgeMint.setRelayer, (intruder))
        ];
        uint256 chosen = what % calls.length;
        vm.prank(intruder);
        (bool done, ) = (chosen < 9 ? address(lock) : address(bridgeMint)).call(calls[chosen]);
        if (done) unauthorised++;
    }

    /// @dev The relayer wallets, of now and of before, try to spend what was handed in.
    function spendHandedIn(uint256 seed, uint256 asset, uint96 amount) external {
        asset %= ASSETS;
        if (asset == XCN_ASSET || amount == 0) return;
        address wallet = _wallets[seed % _wallets.length];
        if (!bridgeMint.isRelayerWallet(wallet)) return;
        uint256 balance = _balance(there[asset], wallet);
        if (balance == 0) return;
        uint256 value = 1 + (amount % balance);
        vm.prank(wallet);
        (bool moved, ) = there[asset].call(abi.encodeCall(TestUSDC(address(0)).transfer, (actors[0], value)));
        vm.prank(wallet);
        TestUSDC(there[asset]).approve(actors[0], value);
        vm.prank(actors[0]);
        (bool pulled, ) = there[asset].call(
            abi.encodeCall(TestUSDC(address(0)).transferFrom, (wallet, actors[0], value))
        );
        if (moved || pulled) spentHandedIn++;
        vm.prank(wallet);
        (bool burnt, ) = address(bridgeMint).call(
            abi.encodeCall(bridgeMint.burn, (there[asset], value, actors[0], type(uint256).max))
        );
        if (burnt) spentHandedIn++;
    }

    /// @dev Calls that must not work from within a call of the bridge.
    function _attack(uint256 seed, uint96 amount) private view returns (bytes memory) {
        if (seed % 4 == 0) return abi.encodeCall(lock.claimFor, (here[seed % ASSETS], _actor(seed)));
        if (seed % 4 == 1) return abi.encodeCall(lock.collectFees, (here[seed % ASSETS]));
        if (seed % 4 == 2) return abi.encodeCall(lock.deposit, (here[CHAOS], amount, _actor(seed)));
        return abi.encodeCall(lock.depositNative, (actors[0]));
    }
}
