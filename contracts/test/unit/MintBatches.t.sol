// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

/// @dev Batches of mints.
contract MintBatchesTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function setUp() public override {
        super.setUp();
        vm.deal(relayer, 1_000);
        // The account exists; otherwise each payment would need the gas of a new one.
        vm.deal(bob, 1);
    }

    function item(uint256 nonce, address token, uint256 amount) private view returns (IBridgeMint.Payment memory) {
        return IBridgeMint.Payment(nonce, token, bob, amount);
    }

    function send(uint256 value, IBridgeMint.Payment[] memory payments) private returns (uint256) {
        vm.prank(relayer);
        return bridgeMint.mintMany{value: value}(payments, noAttestation());
    }

    function refused(uint256 value, IBridgeMint.Payment[] memory payments, bytes memory refusal) private {
        vm.prank(relayer);
        vm.expectRevert(refusal);
        bridgeMint.mintMany{value: value}(payments, noAttestation());
        for (uint256 i = 0; i < payments.length; i++) vm.assertFalse(bridgeMint.isMinted(payments[i].depositNonce));
    }

    function expectSkip(uint256 nonce, IBridgeBase.SkipReason reason) private {
        vm.expectEmit(address(bridgeMint));
        emit IBridgeBase.Skipped(nonce, reason);
    }

    function topUp(uint256 value) private {
        vm.deal(alice, value);
        vm.prank(alice);
        bridgeMint.topUp{value: value}();
    }

    function test_ABatchMintsAndPaysCoins() public {
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](3);
        payments[0] = item(1, address(bridgedEth), 5 ether);
        payments[1] = item(2, NATIVE, 10 * UNIT);
        payments[2] = item(3, NATIVE, 20 * UNIT);
        for (uint256 i = 0; i < 3; i++) {
            bytes32 id = idOf(PEER_CHAIN, peer, i + 1);
            vm.expectEmit(address(bridgeMint));
            emit IBridgeMint.Mint(id, payments[i].token, bob, payments[i].amount);
        }
        vm.assertEq(send(30, payments), 7);
        vm.assertEq(bridgedEth.balanceOf(bob), 5 ether);
        vm.assertEq(bob.balance, 31);
        vm.assertEq(relayer.balance, 970);
        vm.assertEq(address(bridgeMint).balance, 0);
        vm.assertTrue(bridgeMint.isMinted(1) && bridgeMint.isMinted(2) && bridgeMint.isMinted(3));
    }

    /// @dev The coin of skipped items returns to the relayer, to the unit, and the float does not change.
    function test_TheCoinOfSkippedItemsReturns() public {
        topUp(7);
        vm.prank(relayer);
        bridgeMint.mint{value: 1}(1, NATIVE, alice, UNIT);
        setLimit(bridgeMint, address(bridgedEth), 1 ether, WINDOW);
        setListing(bridgeMint, address(bridgedEth), true, true);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](5);
        payments[0] = item(1, NATIVE, 100 * UNIT);
        payments[1] = item(2, address(bridgedEth), 2 ether);
        payments[2] = item(3, address(usdc), 5);
        payments[3] = item(4, NATIVE, 20 * UNIT);
        payments[4] = item(4, NATIVE, 3 * UNIT);
        expectSkip(1, IBridgeBase.SkipReason.AlreadyDelivered);
        expectSkip(2, IBridgeBase.SkipReason.OverLimit);
        expectSkip(3, IBridgeBase.SkipReason.NotDeliverable);
        expectSkip(4, IBridgeBase.SkipReason.AlreadyDelivered);
        vm.assertEq(send(123, payments), 1 << 3);
        vm.assertEq(bob.balance, 21);
        vm.assertEq(relayer.balance, 1_000 - 1 - 20);
        vm.assertEq(bridgeMint.float(), 7 * UNIT);
        vm.assertEq(bridgedEth.totalSupply(), 0);
    }

    /// @dev Without value the float pays, and nothing returns.
    function test_WithoutValueTheFloatPays() public {
        topUp(30);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](3);
        payments[0] = item(1, NATIVE, 20 * UNIT);
        payments[1] = item(2, NATIVE, 11 * UNIT);
        payments[2] = item(3, NATIVE, 10 * UNIT);
        expectSkip(2, IBridgeBase.SkipReason.FundsShort);
        vm.assertEq(send(0, payments), 5);
        vm.assertEq(bob.balance, 31);
        vm.assertEq(relayer.balance, 1_000);
        vm.assertEq(bridgeMint.float(), 0);
        // The number is not used up: with value, or with more float, it is delivered.
        vm.assertEq(send(41, payments), 2);
        vm.assertEq(bob.balance, 42);
        vm.assertEq(relayer.balance, 1_000 - 11);
    }

    /// @dev No slot and no balance changes.
    function test_ASkippedItemWritesNothing() public {
        setLimit(bridgeMint, address(bridgedEth), 1 ether, WINDOW);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](3);
        payments[0] = item(1, NATIVE, UNIT);
        payments[1] = item(2, address(bridgedEth), 2 ether);
        payments[2] = item(3, address(usdc), 5);
        vm.record();
        vm.assertEq(send(0, payments), 0);
        (, bytes32[] memory writes) = vm.accesses(address(bridgeMint));
        vm.assertEq(writes.length, 0);
        vm.assertEq(bridgeMint.outflowRoom(address(bridgedEth)), 1 ether);
        for (uint256 i = 1; i < 4; i++) vm.assertFalse(bridgeMint.isMinted(i));
        setLimit(bridgeMint, address(bridgedEth), 2 ether, WINDOW);
        topUp(1);
        vm.assertEq(send(0, payments), 3);
    }

    /// @dev The value is the sum of all native items, including those that are skipped: the relayer knows it in
    /// advance.
    function test_AnotherValueRevertsTheBatch() public {
        topUp(1_000);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](2);
        payments[0] = item(1, NATIVE, 10 * UNIT);
        payments[1] = item(2, address(bridgedEth), 1);
        refused(9, payments, abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 9, 10 * UNIT));
        refused(11, payments, abi.encodeWithSelector(IBridgeMint.ValueMismatch.selector, 11, 10 * UNIT));
        payments[0] = item(1, NATIVE, 10 * UNIT + 1);
        refused(10, payments, abi.encodeWithSelector(IBridgeBase.Dust.selector, 10 * UNIT + 1, UNIT));
        refused(0, payments, abi.encodeWithSelector(IBridgeBase.Dust.selector, 10 * UNIT + 1, UNIT));
        payments[0] = item(1, NATIVE, 0);
        refused(0, payments, abi.encodeWithSelector(IBridgeBase.ZeroAmount.selector));
        IBridgeMint.Payment[] memory many = new IBridgeMint.Payment[](257);
        refused(0, many, abi.encodeWithSelector(IBridgeBase.TooManyPayments.selector, 257));
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, bob));
        bridgeMint.mintMany(payments, noAttestation());
        vm.prank(guardian);
        bridgeMint.pause(false, true);
        refused(0, payments, abi.encodeWithSelector(IBridgeBase.Paused.selector));
    }

    /// @dev A relayer that refuses the coin of a skipped item loses nothing: the batch reverts.
    function test_ARelayerThatRefusesItsCoinLosesNothing() public {
        address wallet = address(new RejectingReceiver());
        vm.prank(admin);
        bridgeMint.setRelayer(wallet);
        vm.deal(wallet, 30);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](2);
        payments[0] = item(1, NATIVE, 10 * UNIT);
        payments[1] = item(1, NATIVE, 20 * UNIT);
        vm.prank(wallet);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.NativeTransferFailed.selector, wallet));
        bridgeMint.mintMany{value: 30}(payments, noAttestation());
        vm.assertFalse(bridgeMint.isMinted(1));
        vm.assertEq(wallet.balance, 30);
    }

    /// @dev Without a skipped item no coin returns, and such a relayer delivers.
    function test_ARelayerThatRefusesCoinDeliversWhatIsPaidInFull() public {
        address wallet = address(new RejectingReceiver());
        vm.prank(admin);
        bridgeMint.setRelayer(wallet);
        vm.deal(wallet, 10);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = item(1, NATIVE, 10 * UNIT);
        vm.prank(wallet);
        vm.assertEq(bridgeMint.mintMany{value: 10}(payments, noAttestation()), 1);
        vm.assertEq(bob.balance, 11);
    }

    function test_ACreditedItemIsPaidAndKeepsItsCoin() public {
        address rejecting = address(new RejectingReceiver());
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](3);
        payments[0] = item(1, NATIVE, 10 * UNIT);
        payments[1] = IBridgeMint.Payment(2, NATIVE, rejecting, 20 * UNIT);
        payments[2] = IBridgeMint.Payment(3, address(bridgedEth), peer, 5);
        vm.assertEq(send(30, payments), 7);
        vm.assertEq(bridgeMint.claimable(NATIVE, rejecting), 20 * UNIT);
        vm.assertEq(bridgeMint.claimable(address(bridgedEth), peer), 5);
        vm.assertEq(address(bridgeMint).balance, 20);
        vm.assertEq(bridgeMint.float(), 0);
        vm.assertEq(relayer.balance, 970);
    }
}
