// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";

/// @dev Differential: a batch of random items, in any order, with numbers, assets, recipients and amounts that repeat,
/// collide and exceed, leaves the same state as its items delivered one by one. An item is skipped if it would revert
/// alone.
contract BatchEquivalenceTest is BridgeFixture {
    address private constant NATIVE = address(0);
    uint256 private constant MOST = 12;
    /// @dev Units of the coin on BridgeMint's chain.
    uint256 private constant COINS = 1_000_000;

    address private rejecting;
    address[5] private recipients;

    error Outcome(uint256 paid, bytes32 state);

    function setUp() public override {
        super.setUp();
        rejecting = address(new RejectingReceiver());
        recipients = [alice, bob, rejecting, peer, relayer];
        usdc.setBlocklisted(bob, true);
        fund(NATIVE, 20 ether);
        fund(address(usdc), 20 ether);
        fund(address(xcn), 20 ether);
        setLimit(lock, NATIVE, 12 ether, WINDOW);
        setListing(lock, address(xcn), true, false);
        setLimit(bridgeMint, address(bridgedEth), 12 ether, WINDOW);
        vm.deal(bob, 20);
        vm.prank(bob);
        bridgeMint.topUp{value: 20}();
        vm.deal(alice, 1);
        vm.deal(bob, 1);
        vm.deal(relayer, COINS);
        vm.startPrank(relayer);
        lock.releaseNative(3, alice, 1, 0);
        bridgeMint.mint(3, address(bridgedEth), alice, 1);
        vm.stopPrank();
    }

    // ---------------------------------------------------------------------------------------------- Releases

    function testFuzz_ABatchOfReleasesEqualsItsItems(uint256 seed) public {
        address[4] memory tokens = [NATIVE, address(usdc), address(xcn), address(bridgedEth)];
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](seed % (MOST + 1));
        for (uint256 i = 0; i < payments.length; i++) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            payments[i] = IBridgeLock.Payment(
                random % 10,
                tokens[(random >> 32) % 8 < 6 ? (random >> 32) % 2 : (random >> 32) % 4],
                recipients[(random >> 64) % 5],
                1 + ((random >> 96) % 6 ether),
                (random >> 200) % 3 == 0 ? (random >> 208) % 2 ether : 0
            );
        }
        assertSame(
            outcomeOf(abi.encodeCall(this.releaseTogether, (payments))),
            outcomeOf(abi.encodeCall(this.releaseEach, (payments)))
        );
    }

    function releaseTogether(IBridgeLock.Payment[] calldata payments) external {
        vm.prank(relayer);
        uint256 paid = lock.releaseMany(payments, noAttestation());
        revert Outcome(paid, stateOfLock());
    }

    function releaseEach(IBridgeLock.Payment[] calldata payments) external {
        uint256 paid = 0;
        for (uint256 i = 0; i < payments.length; i++) {
            IBridgeLock.Payment calldata item = payments[i];
            bytes memory call = abi.encodeCall(
                lock.release,
                (item.withdrawNonce, item.token, item.recipient, item.amount, item.fee)
            );
            if (item.token == NATIVE) {
                call = abi.encodeCall(lock.releaseNative, (item.withdrawNonce, item.recipient, item.amount, item.fee));
            }
            if (deliver(address(lock), 0, call)) paid |= 1 << i;
        }
        revert Outcome(paid, stateOfLock());
    }

    function stateOfLock() private view returns (bytes32 state) {
        address[4] memory tokens = [NATIVE, address(usdc), address(xcn), address(bridgedEth)];
        for (uint256 i = 0; i < 4; i++) {
            state = keccak256(
                abi.encode(
                    state,
                    lock.locked(tokens[i]),
                    lock.outflowRoom(tokens[i]),
                    lock.feesAccrued(tokens[i]),
                    lock.totalClaimable(tokens[i])
                )
            );
            for (uint256 j = 0; j < 5; j++) {
                uint256 balance =
                    i == 0
                        ? recipients[j].balance
                        : i == 1
                            ? usdc.balanceOf(recipients[j])
                            : 0;
                state = keccak256(abi.encode(state, balance, lock.claimable(tokens[i], recipients[j])));
            }
        }
        for (uint256 i = 0; i < 10; i++) state = keccak256(abi.encode(state, lock.isReleased(i)));
    }

    // ------------------------------------------------------------------------------------------------- Mints

    function testFuzz_ABatchOfMintsEqualsItsItems(uint256 seed, bool withValue) public {
        address[4] memory tokens = [NATIVE, address(bridgedEth), NATIVE, address(usdc)];
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](seed % (MOST + 1));
        for (uint256 i = 0; i < payments.length; i++) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            address token = tokens[(random >> 32) % 4];
            payments[i] = IBridgeMint.Payment(
                random % 10,
                token,
                recipients[(random >> 64) % 5],
                token == NATIVE ? (1 + ((random >> 96) % 10)) * UNIT : 1 + ((random >> 96) % 6 ether)
            );
        }
        assertSame(
            outcomeOf(abi.encodeCall(this.mintTogether, (payments, withValue))),
            outcomeOf(abi.encodeCall(this.mintEach, (payments, withValue)))
        );
    }

    function mintTogether(IBridgeMint.Payment[] calldata payments, bool withValue) external {
        uint256 value = 0;
        for (uint256 i = 0; i < payments.length; i++) {
            if (payments[i].token == NATIVE) value += payments[i].amount / UNIT;
        }
        vm.prank(relayer);
        uint256 paid = bridgeMint.mintMany{value: withValue ? value : 0}(payments, noAttestation());
        revert Outcome(paid, stateOfMint());
    }

    function mintEach(IBridgeMint.Payment[] calldata payments, bool withValue) external {
        uint256 paid = 0;
        for (uint256 i = 0; i < payments.length; i++) {
            IBridgeMint.Payment calldata item = payments[i];
            uint256 value = withValue && item.token == NATIVE ? item.amount / UNIT : 0;
            bytes memory call = abi.encodeCall(
                bridgeMint.mint,
                (item.depositNonce, item.token, item.recipient, item.amount)
            );
            if (deliver(address(bridgeMint), value, call)) paid |= 1 << i;
        }
        revert Outcome(paid, stateOfMint());
    }

    function stateOfMint() private view returns (bytes32 state) {
        state = keccak256(abi.encode(address(bridgeMint).balance, bridgeMint.float(), bridgedEth.totalSupply()));
        address[2] memory tokens = [NATIVE, address(bridgedEth)];
        for (uint256 i = 0; i < 2; i++) {
            state = keccak256(
                abi.encode(state, bridgeMint.outflowRoom(tokens[i]), bridgeMint.totalClaimable(tokens[i]))
            );
            for (uint256 j = 0; j < 5; j++) {
                uint256 balance = i == 0 ? recipients[j].balance : bridgedEth.balanceOf(recipients[j]);
                state = keccak256(abi.encode(state, balance, bridgeMint.claimable(tokens[i], recipients[j])));
            }
        }
        for (uint256 i = 0; i < 10; i++) state = keccak256(abi.encode(state, bridgeMint.isMinted(i)));
    }

    // --------------------------------------------------------------------------------------------- Internals

    /// @dev Delivers one item alone. Fails only for the reasons of a skip.
    function deliver(address end, uint256 value, bytes memory call) private returns (bool done) {
        bytes memory answer;
        vm.prank(relayer);
        (done, answer) = end.call{value: value}(call);
        bytes4 reason = done ? bytes4(0) : bytes4(answer);
        vm.assertTrue(
            done ||
                reason == IBridgeBase.AlreadyDelivered.selector ||
                reason == IBridgeBase.TokenNotAllowed.selector ||
                reason == IBridgeBase.OutflowLimitExceeded.selector ||
                reason == IBridgeBase.InsufficientCollateral.selector
        );
    }

    /// @dev Calls this contract, which reverts with the outcome, so that both ways start from the same state.
    function outcomeOf(bytes memory call) private returns (bytes memory answer) {
        bool done;
        (done, answer) = address(this).call(call);
        vm.assertFalse(done);
        vm.assertEq(answer.length, 68);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(Outcome.selector));
    }

    function assertSame(bytes memory together, bytes memory each) private pure {
        vm.assertEq(keccak256(together), keccak256(each));
    }
}
