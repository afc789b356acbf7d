// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {AttestedFixture} from "../fixtures/AttestedFixture.sol";
import {ILock} from "../fixtures/Interfaces.sol";

/// @dev Attester signatures are used for another call, later, elsewhere, or twice (Wintermute, Nomad, Ronin). The thief
/// has the relayer's key and a genuine attestation of two of five for three withdrawals.
contract AttestationReplayTest is AttestedFixture {
    /// @dev Order of secp256k1: (r, n - s) with the other parity is a signature of the same message.
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    uint256 private constant PARITY = 1 << 255;
    address private constant THIEF = address(0x7417EF);

    IBridgeLock.Payment[] private payments;
    bytes private encoded;

    function setUp() public override {
        super.setUp();
        vm.warp(1_000_000);
        fund(address(usdc), 1_000);
        setAttesters(lock, 0, 5, 2);
        setAttesters(bridgeMint, 0, 5, 2);
        for (uint256 i = 0; i < 3; i++) payments.push(IBridgeLock.Payment(i, address(usdc), bob, 100 + i, 1));
        encoded = abi.encode(attest(lock, signers(0, 1), termsOf(payments)));
    }

    function genuine() private view returns (IBridgeBase.Attestation memory) {
        return abi.decode(encoded, (IBridgeBase.Attestation));
    }

    /// @dev Only an error of the attestation proves that the attestation stopped the attack.
    function refused(
        ILock end,
        IBridgeLock.Payment[] memory items,
        IBridgeBase.Attestation memory attestation,
        bytes4 reason
    ) private {
        vm.prank(relayer);
        (bool done, bytes memory answer) = address(end).call(abi.encodeCall(end.releaseMany, (items, attestation)));
        vm.assertFalse(done);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(reason));
    }

    function refused(IBridgeBase.Attestation memory attestation, bytes4 reason) private {
        refused(lock, payments, attestation, reason);
        vm.assertEq(usdc.balanceOf(bob), 0);
    }

    /// @dev The signatures cover every word of every item, and the items' number and order.
    function test_AnItemIsChangedLeftOutAddedOrMoved() public {
        IBridgeLock.Payment[] memory items = payments;
        for (uint256 i = 0; i < 3; i++) {
            items[i].withdrawNonce = 77;
            refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
            items = payments;
            items[i].token = address(xcn);
            refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
            items = payments;
            items[i].recipient = THIEF;
            refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
            items = payments;
            items[i].amount += 1;
            refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
            items = payments;
            items[i].fee = 0;
            refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
            items = payments;
            // One item left out: the last one takes its place.
            IBridgeLock.Payment[] memory fewer = new IBridgeLock.Payment[](2);
            (fewer[0], fewer[1]) = (items[i == 0 ? 2 : 0], items[i == 1 ? 2 : 1]);
            refused(lock, fewer, genuine(), IBridgeBase.NotAttester.selector);
        }
        (items[0], items[1]) = (items[1], items[0]);
        refused(lock, items, genuine(), IBridgeBase.NotAttester.selector);
        IBridgeLock.Payment[] memory more = new IBridgeLock.Payment[](4);
        for (uint256 i = 0; i < 3; i++) more[i] = payments[i];
        more[3] = IBridgeLock.Payment(3, address(usdc), THIEF, 1, 0);
        refused(lock, more, genuine(), IBridgeBase.NotAttester.selector);
        vm.assertEq(usdc.balanceOf(THIEF), 0);
    }

    /// @dev The whole batch sent again pays no one. A part of it in a new batch pays only the unpaid items.
    function test_ABatchIsSentAgain() public {
        vm.startPrank(relayer);
        vm.assertEq(lock.releaseMany(payments, genuine()), 7);
        vm.assertEq(lock.releaseMany(payments, genuine()), 0);
        vm.stopPrank();
        vm.assertEq(usdc.balanceOf(bob), 303);
        // Without attesters only the numbers protect: paid ones are skipped, in any selection.
        setAttesters(lock, 0, 0, 0);
        IBridgeLock.Payment[] memory items = new IBridgeLock.Payment[](2);
        (items[0], items[1]) = (payments[2], IBridgeLock.Payment(3, address(usdc), bob, 7, 0));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(items, noAttestation()), 2);
        vm.assertEq(usdc.balanceOf(bob), 310);
    }

    /// @dev Attestations of a previous set are void, even when the same members return.
    function test_TheSetWasRotated() public {
        setAttesters(lock, 0, 5, 2);
        refused(genuine(), IBridgeBase.UnknownAttesterSet.selector);
        // The thief cannot renumber it either: the number is signed.
        IBridgeBase.Attestation memory renumbered = genuine();
        (renumbered.setNumber, , ) = lock.attesters();
        refused(renumbered, IBridgeBase.NotAttester.selector);
        // The thief's own set is not the contract's.
        address[] memory own = new address[](2);
        (own[0], own[1]) = (vm.addr(keys[8]), vm.addr(keys[9]));
        renumbered.attesters = own;
        renumbered.signatures = sign(signers(8, 9), digestOf(lock, renumbered, termsOf(payments)));
        refused(renumbered, IBridgeBase.UnknownAttesterSet.selector);
    }

    /// @dev The call passes the members, which must be those that the contract hashed, in the same order.
    function test_TheMembersAreAltered() public {
        IBridgeBase.Attestation memory altered = genuine();
        altered.attesters = membersOf(0, 4);
        refused(altered, IBridgeBase.UnknownAttesterSet.selector);
        altered.attesters = membersOf(0, 6);
        refused(altered, IBridgeBase.UnknownAttesterSet.selector);
        altered.attesters = membersOf(0, 5);
        (altered.attesters[0], altered.attesters[1]) = (altered.attesters[1], altered.attesters[0]);
        refused(altered, IBridgeBase.UnknownAttesterSet.selector);
    }

    function test_AMemberWasRemoved() public {
        // The set is now attesters 1 to 5, without attester 0.
        setAttesters(lock, 1, 6, 2);
        refused(genuine(), IBridgeBase.UnknownAttesterSet.selector);
        IBridgeBase.Attestation memory consent = attest(lock, signers(0, 1), termsOf(payments));
        refused(consent, IBridgeBase.NotAttester.selector);
        consent = attest(lock, signers(1, 5), termsOf(payments));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(payments, consent), 7);
    }

    function test_TheThresholdWasRaised() public {
        setAttesters(lock, 0, 5, 3);
        refused(genuine(), IBridgeBase.UnknownAttesterSet.selector);
        refused(attest(lock, signers(0, 1), termsOf(payments)), IBridgeBase.WrongSignatureCount.selector);
    }

    /// @dev The expiry is signed and at most ten minutes ahead, so an attestation ends before a reorganisation or a
    /// rotation does.
    function test_ItsEndHasPassed() public {
        vm.warp(1_000_000 + 10 minutes + 1);
        refused(genuine(), IBridgeBase.AttestationExpired.selector);
        IBridgeBase.Attestation memory later = genuine();
        later.validUntil += 10 minutes;
        refused(later, IBridgeBase.NotAttester.selector);
        // A longer attestation is refused, even when attesters sign it.
        later.validUntil = block.timestamp + 10 minutes + 1;
        later.signatures = sign(signers(0, 1), digestOf(lock, later, termsOf(payments)));
        refused(later, IBridgeBase.AttestationTooLong.selector);
        vm.warp(block.timestamp + 1);
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(payments, later), 7);
    }

    function test_AtItsLastSecondItHolds() public {
        vm.warp(1_000_000 + 10 minutes);
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(payments, genuine()), 7);
    }

    /// @dev One signature in two forms counts once, and a malleable one does not count.
    function test_ASignatureIsDoubledReorderedOrMirrored() public {
        IBridgeBase.Attestation memory altered = genuine();
        altered.signatures[1] = altered.signatures[0];
        refused(altered, IBridgeBase.NotAttester.selector);
        altered = genuine();
        (altered.signatures[0], altered.signatures[1]) = (altered.signatures[1], altered.signatures[0]);
        refused(altered, IBridgeBase.NotAttester.selector);
        altered = genuine();
        uint256 word = uint256(altered.signatures[0].yParityAndS);
        // The compact form has 255 bits for s. A high s does not fit: its highest bit becomes the parity.
        uint256 mirrored = ORDER - (word & ~PARITY);
        altered.signatures[0].yParityAndS = bytes32(mirrored | (word & PARITY == 0 ? PARITY : 0));
        refusedAsSigner(altered);
        altered.signatures[0].yParityAndS = bytes32(mirrored);
        refusedAsSigner(altered);
    }

    /// @dev Expects an error for an invalid signature or a stranger's signature.
    function refusedAsSigner(IBridgeBase.Attestation memory altered) private {
        vm.prank(relayer);
        (bool done, bytes memory answer) = address(lock).call(abi.encodeCall(lock.releaseMany, (payments, altered)));
        vm.assertFalse(done);
        bytes4 reason = bytes4(answer);
        vm.assertTrue(
            reason == IBridgeBase.NotAttester.selector ||
                reason == ECDSA.ECDSAInvalidSignature.selector ||
                reason == ECDSA.ECDSAInvalidSignatureS.selector
        );
    }

    /// @dev Another deployment with the same attesters, set number and peer.
    function test_ItIsUsedOnAnotherContract() public {
        ILock second = newLock(setup(), address(xcn), treasury);
        list(second, address(usdc), 0);
        usdc.mint(alice, 1_000);
        vm.startPrank(alice);
        usdc.approve(address(second), 1_000);
        second.deposit(address(usdc), 1_000, bob);
        vm.stopPrank();
        setAttesters(second, 0, 5, 2);
        (uint256 here, , ) = lock.attesters();
        (uint256 there, , ) = second.attesters();
        vm.assertEq(here, there);
        refused(second, payments, genuine(), IBridgeBase.NotAttester.selector);
    }

    /// @dev The same contract at the same address on a fork of the chain.
    function test_ItIsUsedOnAnotherChain() public {
        vm.chainId(777);
        refused(genuine(), IBridgeBase.NotAttester.selector);
        IBridgeBase.Attestation memory forked = attest(lock, signers(0, 1), termsOf(payments));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(payments, forked), 7);
    }

    /// @dev A release has five words, a mint four, and a refund is not a payment: each has its own type.
    function test_ItIsUsedForAnotherFunction() public {
        IBridgeMint.Payment[] memory mints = new IBridgeMint.Payment[](5);
        for (uint256 i = 0; i < 5; i++) mints[i] = IBridgeMint.Payment(i, address(bridgedEth), bob, 100);
        IBridgeLock.Payment[] memory same = new IBridgeLock.Payment[](4);
        // The same twenty words.
        bytes memory words = "";
        for (uint256 i = 0; i < 5; i++) words = bytes.concat(words, abi.encode(mints[i]));
        for (uint256 i = 0; i < 4; i++) {
            bytes memory five = new bytes(160);
            for (uint256 j = 0; j < 160; j++) five[j] = words[i * 160 + j];
            (uint256 a, uint256 b, uint256 c, uint256 d, uint256 e) = abi.decode(
                five,
                (uint256, uint256, uint256, uint256, uint256)
            );
            same[i] = IBridgeLock.Payment(a, address(uint160(b)), address(uint160(c)), d, e);
        }
        IBridgeBase.Attestation memory consent = attest(bridgeMint, signers(0, 1), termsOf(mints));
        refused(lock, same, consent, IBridgeBase.NotAttester.selector);
        consent = attest(lock, signers(0, 1), termsOf("r", relayer, address(usdc), bob, 100));
        refused(consent, IBridgeBase.NotAttester.selector);
    }
}
