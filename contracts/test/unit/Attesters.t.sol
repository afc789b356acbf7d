// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {AttestedFixture} from "../fixtures/AttestedFixture.sol";

/// @dev Both contracts need two of five attesters: numbers 0 to 4.
contract AttestersTest is AttestedFixture {
    function setUp() public override {
        super.setUp();
        fund(address(0), 10 ether);
        fund(address(usdc), 1_000);
        fund(address(xcn), 10 ether);
        setAttesters(lock, 0, 5, 2);
        setAttesters(bridgeMint, 0, 5, 2);
        vm.deal(bob, 1);
    }

    function releases() private view returns (IBridgeLock.Payment[] memory payments) {
        payments = new IBridgeLock.Payment[](2);
        payments[0] = IBridgeLock.Payment(1, address(usdc), bob, 100, 5);
        payments[1] = IBridgeLock.Payment(2, address(0), bob, 1 ether, 0);
    }

    function mints() private view returns (IBridgeMint.Payment[] memory payments) {
        payments = new IBridgeMint.Payment[](2);
        payments[0] = IBridgeMint.Payment(1, address(bridgedEth), bob, 100);
        payments[1] = IBridgeMint.Payment(2, address(0), bob, 3 * UNIT);
    }

    // ------------------------------------------------------------------------------- What two of five consent to

    function test_AttestedBatchesArePaid() public {
        IBridgeBase.Attestation memory consent = attest(lock, signers(1, 3), termsOf(releases()));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(releases(), consent), 3);
        vm.assertEq(usdc.balanceOf(bob), 100);
        vm.assertEq(bob.balance, 1 ether + 1);
        consent = attest(bridgeMint, signers(0, 4), termsOf(mints()));
        vm.deal(relayer, 3);
        vm.prank(relayer);
        vm.assertEq(bridgeMint.mintMany{value: 3}(mints(), consent), 3);
        vm.assertEq(bridgedEth.balanceOf(bob), 100);
        vm.assertEq(bob.balance, 1 ether + 4);
    }

    function test_AnAttestedIntentIsPaid() public {
        IBridgeLock.Intent memory intent = intentOf(bob, 1 ether, "one");
        IBridgeBase.Attestation memory consent = attest(lock, signers(0, 1), termsOf(intent, TRANSFER, 5));
        vm.startPrank(relayer);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        lock.releaseIntent(intent, TRANSFER, 6, consent);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        lock.releaseIntent(intent, "another transfer", 5, consent);
        intent.signature = "another signature";
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        lock.releaseIntent(intent, TRANSFER, 5, consent);
        intent = intentOf(alice, 1 ether, "one");
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        lock.releaseIntent(intent, TRANSFER, 5, consent);
        lock.releaseIntent(intentOf(bob, 1 ether, "one"), TRANSFER, 5, consent);
        vm.stopPrank();
        vm.assertEq(xcn.balanceOf(bob), 1 ether - 5);
    }

    /// @dev A refund names the wallet, the token, the recipient and the amount.
    function test_AttestedRefundsArePaid() public {
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(1, address(bridgedEth), alice, 1 ether);
        IBridgeBase.Attestation memory consent = attest(bridgeMint, signers(0, 1), termsOf(payments));
        vm.prank(relayer);
        bridgeMint.mintMany(payments, consent);
        vm.prank(alice);
        bridgedEth.transfer(relayer, 1 ether);
        consent = attest(bridgeMint, signers(0, 1), termsOf("r", relayer, address(bridgedEth), alice, 4));
        vm.startPrank(relayer);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        bridgeMint.refund("r", address(bridgedEth), alice, 5, consent);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        bridgeMint.refund("r", address(bridgedEth), bob, 4, consent);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        bridgeMint.refund("s", address(bridgedEth), alice, 4, consent);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        bridgeMint.refundOf("r", bob, address(bridgedEth), alice, 4, consent);
        bridgeMint.refund("r", address(bridgedEth), alice, 4, consent);
        vm.assertEq(bridgedEth.balanceOf(alice), 4);
        consent = attest(bridgeMint, signers(2, 3), termsOf("n", relayer, address(0), bob, 5 * UNIT));
        vm.deal(relayer, 10);
        vm.expectPartialRevert(IBridgeBase.NotAttester.selector);
        bridgeMint.refundNative{value: 6}("n", bob, consent);
        bridgeMint.refundNative{value: 5}("n", bob, consent);
        vm.stopPrank();
        vm.assertEq(bob.balance, 6);
    }

    /// @dev The single-delivery functions take no attestation, so they accept only a threshold of 0.
    function test_SingleCallsNeedABatchOfOne() public {
        bytes memory refusal = abi.encodeWithSelector(IBridgeBase.AttestationRequired.selector, 2);
        vm.startPrank(relayer);
        vm.expectRevert(refusal);
        lock.release(1, address(usdc), bob, 1, 0);
        vm.expectRevert(refusal);
        lock.releaseNative(1, bob, 1, 0);
        vm.expectRevert(refusal);
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        vm.stopPrank();
        setAttesters(lock, 0, 0, 0);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 1, 0);
        vm.assertEq(usdc.balanceOf(bob), 1);
    }

    /// @dev Attested or not, only the relayer calls, and the pause stops it.
    function test_ConsentAloneDeliversNothing() public {
        IBridgeBase.Attestation memory consent = attest(lock, signers(0, 1), termsOf(releases()));
        vm.prank(vm.addr(keys[0]));
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, vm.addr(keys[0])));
        lock.releaseMany(releases(), consent);
        vm.prank(guardian);
        lock.pause(false, true);
        vm.prank(relayer);
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.releaseMany(releases(), consent);
    }

    // ------------------------------------------------------------------------------------------- Who must sign

    function refused(uint256[] memory chosen, bytes memory refusal) private {
        IBridgeBase.Attestation memory consent = attest(lock, chosen, termsOf(releases()));
        vm.prank(relayer);
        vm.expectRevert(refusal);
        lock.releaseMany(releases(), consent);
    }

    function notAttester(uint256 number) private view returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.NotAttester.selector, vm.addr(keys[number]));
    }

    function test_TwoDifferentMembersSignInTheOrderOfTheSet() public {
        refused(new uint256[](0), abi.encodeWithSelector(IBridgeBase.WrongSignatureCount.selector, 0, 2));
        refused(signers(0), abi.encodeWithSelector(IBridgeBase.WrongSignatureCount.selector, 1, 2));
        refused(new uint256[](3), abi.encodeWithSelector(IBridgeBase.WrongSignatureCount.selector, 3, 2));
        refused(signers(1, 1), notAttester(1));
        refused(signers(3, 1), notAttester(1));
        refused(signers(0, 9), notAttester(9));
        refused(signers(9, 0), notAttester(9));
        // Number 5 was never added.
        refused(signers(4, 5), notAttester(5));
    }

    /// @dev For every set size and threshold k, signatures pass if and only if they are of k different members in
    /// ascending order. Number 9 is a stranger.
    function testFuzz_KOfNMeansKDistinctMembers(uint256 seed) public {
        uint256 members = 1 + (seed % 9);
        uint256 threshold = 1 + ((seed >> 8) % members);
        setAttesters(lock, 0, members, threshold);
        uint256[] memory chosen = new uint256[](threshold);
        bool valid = true;
        for (uint256 i = 0; i < threshold; i++) {
            // Usually the next one, so that valid lists are frequent.
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            chosen[i] = random % 4 == 0 ? (random >> 8) % 10 : i;
            if (chosen[i] >= members || (i > 0 && chosen[i] <= chosen[i - 1])) valid = false;
        }
        IBridgeBase.Attestation memory consent = attest(lock, chosen, termsOf(releases()));
        vm.prank(relayer);
        (bool done, ) = address(lock).call(abi.encodeCall(lock.releaseMany, (releases(), consent)));
        vm.assertEq(done, valid);
        vm.assertEq(usdc.balanceOf(bob), valid ? 100 : 0);
    }

    function test_NineOfNine() public {
        setAttesters(lock, 0, 9, 9);
        uint256[] memory all = new uint256[](9);
        for (uint256 i = 0; i < 9; i++) all[i] = i;
        IBridgeBase.Attestation memory consent = attest(lock, all, termsOf(releases()));
        vm.prank(relayer);
        vm.assertEq(lock.releaseMany(releases(), consent), 3);
    }

    /// @dev A signature that recovers to no account does not count for the zero address, which is never a member.
    function test_AnUnrecoverableSignatureIsRefused() public {
        IBridgeBase.Attestation memory consent = attest(lock, signers(0, 1), termsOf(releases()));
        consent.signatures[0].r = 0;
        vm.prank(relayer);
        vm.expectRevert(ECDSA.ECDSAInvalidSignature.selector);
        lock.releaseMany(releases(), consent);
    }

    // -------------------------------------------------------------------------------------------------- Sets

    function test_ASetIsAscendingAndAtMostNine() public {
        address[] memory members = membersOf(0, 3);
        (members[0], members[1]) = (members[1], members[0]);
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AttestersNotSorted.selector, members[1]));
        lock.setAttesters(members, 1);
        members[0] = members[1];
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AttestersNotSorted.selector, members[1]));
        lock.setAttesters(members, 1);
        members = new address[](1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AttestersNotSorted.selector, address(0)));
        lock.setAttesters(members, 1);
        members = membersOf(0, 10);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.TooManyAttesters.selector, 10));
        lock.setAttesters(members, 1);
        members = membersOf(0, 3);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ThresholdOutOfRange.selector, 4, 0, 3));
        lock.setAttesters(members, 4);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.AttestersSet(3, members, 3);
        lock.setAttesters(members, 3);
        vm.stopPrank();
        (uint256 number, address[] memory read, uint256 threshold) = lock.attesters();
        vm.assertEq(number, 3);
        vm.assertEq(keccak256(abi.encode(read)), keccak256(abi.encode(members)));
        vm.assertEq(threshold, 3);
    }

    /// @dev A threshold left at zero cost another bridge 12 million, so the deployment fixes a minimum.
    function test_TheThresholdIsNeverBelowItsMinimum() public {
        IBridgeGovernance.Setup memory keys_ = setup();
        keys_.minimumThreshold = 2;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ThresholdOutOfRange.selector, 0, 2, 0));
        newLock(keys_, address(xcn), treasury);
        keys_.attesters = membersOf(0, 3);
        keys_.threshold = 1;
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ThresholdOutOfRange.selector, 1, 2, 3));
        newMint(keys_, UNIT);
        keys_.threshold = 2;
        lock = newLock(keys_, address(xcn), treasury);
        vm.assertEq(lock.minimumThreshold(), 2);
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ThresholdOutOfRange.selector, 1, 2, 3));
        lock.setAttesters(keys_.attesters, 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.ThresholdOutOfRange.selector, 0, 2, 0));
        lock.setAttesters(new address[](0), 0);
        lock.setAttesters(keys_.attesters, 3);
        lock.setAttesters(keys_.attesters, 2);
        vm.stopPrank();
    }
}
