// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {
    DataBomber,
    GasEater,
    GasHungryReceiver,
    ReentrantReceiver,
    RejectingReceiver
} from "../mocks/HostileReceivers.sol";

/// @dev A recipient tries to make its batch skip another item, revert, or exceed its gas limit. The relayer computes
/// the limit in advance: a share, 1/63 of it, and 100,000 for each native item.
contract BatchRecipientsTest is BridgeFixture {
    address private constant NATIVE = address(0);
    uint256 private constant ITEMS = 12;
    /// @dev A precompiled contract: it has no code, uses all its gas, and refuses.
    address private constant BLAKE2 = address(9);
    address private constant NEWCOMER = address(0x4E3);

    ReentrantReceiver private reentrant;
    address[8] private hostile;

    function setUp() public override {
        super.setUp();
        reentrant = new ReentrantReceiver();
        reentrant.setAccepts(true);
        hostile = [
            address(new GasEater()),
            address(new RejectingReceiver()),
            address(new DataBomber()),
            address(new GasHungryReceiver()),
            address(reentrant),
            BLAKE2,
            NEWCOMER,
            relayer
        ];
        fund(NATIVE, 100 ether);
        vm.deal(relayer, 1_000);
        setFees(NATIVE, IBridgeMint.FeePolicy(0, 0, 1));
    }

    function itemGas(uint256 share) private pure returns (uint256) {
        return share + share / 63 + 100_000;
    }

    /// @dev The recipient of item i: the last one is honest, the others are hostile.
    function recipientOf(uint256 seed, uint256 i) private view returns (address) {
        return i + 1 == ITEMS ? bob : hostile[uint256(keccak256(abi.encode(seed, i))) % hostile.length];
    }

    /// @dev The calls of the re-entrant recipient. Only the last two work, and they pay coin in.
    function reenter(address end, uint256 seed) private {
        bytes[5] memory attacks = [
            abi.encodeCall(lock.claimFor, (NATIVE, hostile[1])),
            abi.encodeCall(lock.collectFees, (NATIVE)),
            abi.encodeCall(lock.depositNative, (bob)),
            abi.encodeCall(lock.topUp, ()),
            abi.encodeCall(bridgeMint.withdrawNative, (bob, 0))
        ];
        reentrant.setAttack(end, seed % 5 < 2 ? 0 : 1, attacks[seed % 5]);
    }

    function testFuzz_ABatchOfReleasesIsPaidWithinItsGas(uint256 seed) public {
        reenter(address(lock), seed);
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](ITEMS);
        for (uint256 i = 0; i < ITEMS; i++) {
            payments[i] = IBridgeLock.Payment(i * 300, NATIVE, recipientOf(seed, i), 1 ether, 1);
        }
        bytes memory call = abi.encodeCall(lock.releaseMany, (payments, noAttestation()));
        vm.prank(relayer);
        (bool done, bytes memory answer) = address(lock).call{gas: ITEMS * itemGas(DELIVERY_GAS)}(call);
        vm.assertTrue(done);
        vm.assertEq(abi.decode(answer, (uint256)), (1 << ITEMS) - 1);
        vm.assertEq(bob.balance, 1 ether);
        vm.assertEq(lock.feesAccrued(NATIVE), ITEMS);
        // Received or credited, except one wei per item: the re-entrant recipient pays that much in.
        uint256 received = bob.balance;
        for (uint256 i = 0; i < hostile.length - 1; i++) received += hostile[i].balance;
        uint256 total = received + lock.totalClaimable(NATIVE);
        vm.assertTrue(total <= ITEMS * 1 ether && total >= ITEMS * (1 ether - 1));
    }

    /// @dev Paid by the value sent or by the float.
    function testFuzz_ABatchOfMintsIsPaidWithinItsGas(uint256 seed, bool fromFloat) public {
        reenter(address(bridgeMint), seed);
        if (fromFloat) {
            vm.prank(relayer);
            bridgeMint.topUp{value: 100}();
        }
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](ITEMS);
        uint256 gasLimit = 0;
        for (uint256 i = 0; i < ITEMS; i++) {
            address recipient = recipientOf(seed, i);
            payments[i] = IBridgeMint.Payment(i * 300, NATIVE, recipient, 2 * UNIT);
            gasLimit += itemGas(recipient.code.length == 0 ? bridgeMint.NEW_ACCOUNT_GAS() : DELIVERY_GAS);
        }
        vm.assertLe(gasLimit, 1 << 24);
        bytes memory call = abi.encodeCall(bridgeMint.mintMany, (payments, noAttestation()));
        vm.prank(relayer);
        (bool done, bytes memory answer) = address(bridgeMint).call{gas: gasLimit, value: fromFloat ? 0 : 2 * ITEMS}(
            call
        );
        vm.assertTrue(done);
        vm.assertEq(abi.decode(answer, (uint256)), (1 << ITEMS) - 1);
        vm.assertEq(bob.balance, 2);
        vm.assertEq(relayer.balance, fromFloat ? 900 : 1_000 - 2 * ITEMS);
    }
}
