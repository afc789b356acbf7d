// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../../src/interfaces/IBridgeMint.sol";
import {AttestedFixture} from "../../fixtures/AttestedFixture.sol";
import {IBridge} from "../../fixtures/Interfaces.sol";

/// @dev The relayer's key is stolen, and the threshold is 2 of 5. The thief also has one attester's key and every
/// attestation ever published, and calls anything. The thief takes only what the wallet itself holds.
contract StolenKeyAttestedTest is AttestedFixture {
    address private constant NATIVE = address(0);
    address private constant THIEF = address(0x7417EF);
    uint256 private constant BEGAN = 1_000_000;
    /// @dev The working balance of the wallet.
    uint256 private constant WORKING = 500;

    IBridgeLock.Payment[] private published;
    bytes private oldConsent;

    function setUp() public override {
        super.setUp();
        vm.warp(BEGAN);
        fund(NATIVE, 1_000 ether);
        fund(address(usdc), 1_000_000e6);
        fund(address(xcn), 1_000 ether);
        vm.deal(alice, 10_000);
        vm.prank(alice);
        bridgeMint.topUp{value: 10_000}();
        give(alice, 100 ether);
        vm.startPrank(alice);
        bridgeMint.burn(address(bridgedEth), 40 ether, alice, 1 ether);
        bridgedEth.transfer(relayer, 10 ether);
        vm.stopPrank();
        setAttesters(lock, 0, 5, 2);
        setAttesters(bridgeMint, 0, 5, 2);
        // A genuine batch, before the theft.
        published.push(IBridgeLock.Payment(0, address(usdc), bob, 100e6, 1e6));
        IBridgeBase.Attestation memory consent = attest(lock, signers(0, 1), termsOf(published));
        oldConsent = abi.encode(consent);
        vm.prank(relayer);
        lock.releaseMany(published, consent);
        vm.deal(relayer, WORKING);
    }

    /// @dev One move of the thief: any function with any consent that the thief can forge.
    function move(uint256 random) private returns (bool) {
        uint256 amount = 1 + ((random >> 64) % 10 ether);
        uint256 nonce = (random >> 32) % 8;
        uint256 kind = random % 14;
        uint256 value = kind == 13 || kind == 5 ? (random >> 128) % WORKING : 0;
        address end = kind < 5 ? address(lock) : address(bridgeMint);
        bytes memory call;
        if (kind == 0) call = abi.encodeCall(lock.release, (nonce, address(usdc), THIEF, amount, 0));
        if (kind == 1) call = abi.encodeCall(lock.releaseNative, (nonce, THIEF, amount, 0));
        if (kind == 2) call = releaseBatch(random, nonce, amount);
        if (kind == 3) {
            IBridgeLock.Intent memory intent = intentOf(THIEF, amount, "invented");
            call = abi.encodeCall(
                lock.releaseIntent,
                (intent, TRANSFER, 0, madeUp(random, address(lock), termsOf(intent, TRANSFER, 0)))
            );
        }
        if (kind == 4) call = abi.encodeCall(lock.claim, (NATIVE, THIEF));
        if (kind == 5) call = abi.encodeCall(bridgeMint.mint, (nonce, NATIVE, THIEF, UNIT * (1 + value)));
        if (kind == 6) call = abi.encodeCall(bridgeMint.mint, (nonce, address(bridgedEth), THIEF, amount));
        if (kind == 7) call = mintBatch(random, nonce, NATIVE, UNIT * (1 + (amount % 100)));
        if (kind == 8) call = mintBatch(random, nonce, address(bridgedEth), amount);
        if (kind == 9) call = refund(random, amount);
        if (kind == 10) call = abi.encodeCall(bridgeMint.burn, (address(bridgedEth), amount, THIEF, amount));
        if (kind == 11) (end, call) = (address(bridgedEth), abi.encodeCall(bridgedEth.transfer, (THIEF, amount)));
        if (kind == 12) (end, call) = (address(bridgedEth), abi.encodeCall(bridgedEth.approve, (THIEF, amount)));
        if (kind == 13) {
            bytes memory terms = termsOf("n", relayer, NATIVE, THIEF, value * UNIT);
            IBridgeBase.Attestation memory consent = madeUp(random, address(bridgeMint), terms);
            call = abi.encodeCall(bridgeMint.refundNative, ("n", THIEF, consent));
        }
        vm.prank(relayer);
        (bool done, ) = end.call{value: value}(call);
        // An approval succeeds but is useless; everything else fails.
        return done && kind != 12;
    }

    /// @dev Signed by the thief's attester and strangers, twice by that attester, copied from an earlier one, or
    /// unsigned.
    function madeUp(
        uint256 random,
        address end,
        bytes memory terms
    ) private view returns (IBridgeBase.Attestation memory consent) {
        uint256 kind = (random >> 8) % 5;
        if (kind == 0) return noAttestation();
        if (kind == 1) return abi.decode(oldConsent, (IBridgeBase.Attestation));
        uint256[] memory chosen = signers(2, 9);
        if (kind == 2) chosen = signers(2, 2);
        if (kind == 3) chosen = signers(2);
        consent = attest(IBridge(end), chosen, terms);
        // A genuine attester's signatures of another message.
        if (kind == 4) {
            consent.signatures[1] = abi.decode(oldConsent, (IBridgeBase.Attestation)).signatures[1];
        }
    }

    function releaseBatch(uint256 random, uint256 nonce, uint256 amount) private view returns (bytes memory) {
        IBridgeLock.Payment[] memory items = new IBridgeLock.Payment[](1 + ((random >> 16) % 3));
        for (uint256 i = 0; i < items.length; i++) {
            address token = [NATIVE, address(usdc), address(xcn)][(random >> (24 + i)) % 3];
            items[i] = IBridgeLock.Payment(nonce + i, token, THIEF, amount, 0);
        }
        return abi.encodeCall(lock.releaseMany, (items, madeUp(random, address(lock), termsOf(items))));
    }

    function mintBatch(
        uint256 random,
        uint256 nonce,
        address token,
        uint256 amount
    ) private view returns (bytes memory) {
        IBridgeMint.Payment[] memory items = new IBridgeMint.Payment[](1);
        items[0] = IBridgeMint.Payment(nonce, token, THIEF, amount);
        return abi.encodeCall(bridgeMint.mintMany, (items, madeUp(random, address(bridgeMint), termsOf(items))));
    }

    function refund(uint256 random, uint256 amount) private view returns (bytes memory) {
        bytes memory terms = termsOf("t", relayer, address(bridgedEth), THIEF, amount);
        IBridgeBase.Attestation memory consent = madeUp(random, address(bridgeMint), terms);
        if (random >> 255 == 0) {
            return abi.encodeCall(bridgeMint.refund, ("t", address(bridgedEth), THIEF, amount, consent));
        }
        return abi.encodeCall(bridgeMint.refundOf, ("t", relayer, address(bridgedEth), THIEF, amount, consent));
    }

    function testFuzz_TheKeyAloneTakesNothingOfTheBridge(uint256 seed) public {
        bytes32 before = state();
        for (uint256 i = 0; i < 40; i++) {
            if (i % 10 == 0) vm.warp(BEGAN + i * 30);
            vm.assertFalse(move(uint256(keccak256(abi.encode(seed, i)))));
        }
        vm.assertEq(state(), before);
        vm.assertEq(THIEF.balance, 0);
        vm.assertEq(bridgedEth.balanceOf(THIEF), 0);
        // Tokens that users handed in, and those sent by mistake, stay sealed.
        vm.prank(THIEF);
        (bool done, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.transferFrom, (relayer, THIEF, 1)));
        vm.assertFalse(done);
        // The wallet's own coin is the thief's.
        vm.prank(relayer);
        (done, ) = THIEF.call{value: WORKING}("");
        vm.assertEq(THIEF.balance, WORKING);
    }

    /// @dev Everything that the bridge holds, owes and has delivered.
    function state() private view returns (bytes32 hash) {
        address[4] memory tokens = [NATIVE, address(usdc), address(xcn), address(bridgedEth)];
        for (uint256 i = 0; i < 4; i++) {
            hash = keccak256(
                abi.encode(
                    hash,
                    lock.locked(tokens[i]),
                    lock.feesAccrued(tokens[i]),
                    lock.totalClaimable(tokens[i]),
                    bridgeMint.totalClaimable(tokens[i])
                )
            );
        }
        for (uint256 i = 0; i < 10; i++) hash = keccak256(abi.encode(hash, lock.isReleased(i), bridgeMint.isMinted(i)));
        hash = keccak256(abi.encode(hash, bridgedEth.totalSupply(), bridgedEth.balanceOf(relayer)));
        return keccak256(abi.encode(hash, bridgeMint.float(), address(lock).balance, bridgeMint.withdrawNonce()));
    }

    /// @dev The key can still make the relayer's calls that move no value.
    function test_TheKeyRetiresAndNothingElse() public {
        vm.prank(relayer);
        bridgeMint.retire(address(bridgedEth), 40 ether);
        vm.assertEq(bridgedEth.totalSupply(), 60 ether);
        // The retirement destroyed tokens whose withdrawals Ethereum pays: no other account lost anything.
        vm.assertEq(bridgedEth.balanceOf(alice), 50 ether);
    }

    /// @dev With as many attester keys as the threshold, the limits are the last line of defence, as without attesters.
    function test_WithTheThresholdsKeysTheLimitRemains() public {
        IBridgeLock.Payment[] memory items = new IBridgeLock.Payment[](2);
        setLimit(lock, NATIVE, 100 ether, WINDOW);
        items[0] = IBridgeLock.Payment(5, NATIVE, THIEF, 100 ether, 0);
        items[1] = IBridgeLock.Payment(6, NATIVE, THIEF, 1, 0);
        IBridgeBase.Attestation memory consent = attest(lock, signers(2, 4), termsOf(items));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(items, consent), 1);
        vm.assertEq(THIEF.balance, 100 ether);
        // Rotating the set ends the theft without a new relayer.
        setAttesters(lock, 5, 9, 2);
        vm.warp(BEGAN + 1 hours);
        vm.prank(relayer);
        (bool done, ) = address(lock).call(abi.encodeCall(lock.releaseMany, (items, consent)));
        vm.assertFalse(done);
    }
}
