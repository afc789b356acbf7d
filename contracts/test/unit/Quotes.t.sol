// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev quoteFee returns the fee that burn and withdrawNative charge, and reverts where they do, with the same errors.
contract QuotesTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function setPolicy(address token, uint16 bps, uint96 minFee, uint96 more) private {
        minFee %= 1 ether;
        IBridgeMint.FeePolicy memory policy = IBridgeMint.FeePolicy(
            bps % 10_000,
            minFee,
            minFee + 1 + (more % 1 ether)
        );
        vm.prank(admin);
        bridgeMint.setFeeCeiling(token, IBridgeMint.FeePolicy(9_999, 1 ether, 3 ether));
        vm.prank(policyManager);
        bridgeMint.setFeePolicy(token, policy);
    }

    function quote(address token, uint256 amount) private view returns (bool done, bytes memory answer) {
        return address(bridgeMint).staticcall(abi.encodeCall(bridgeMint.quoteFee, (token, amount)));
    }

    /// @dev A withdrawal that allows exactly the quoted fee passes, and one that allows less does not.
    function check(address token, uint256 amount, uint256 value) private {
        (bool quoted, bytes memory answer) = quote(token, amount);
        uint256 fee = quoted ? abi.decode(answer, (uint256)) : 0;
        if (quoted && fee > 0) {
            (bool cheaper, bytes memory refusal) = withdraw(token, amount, value, fee - 1);
            vm.assertFalse(cheaper);
            bytes memory expected = abi.encodeWithSelector(IBridgeMint.FeeAboveMaximum.selector, fee, fee - 1);
            vm.assertEq(keccak256(refusal), keccak256(expected));
        }
        uint256 nonce = bridgeMint.withdrawNonce();
        if (quoted) {
            vm.expectEmit(address(bridgeMint));
            bytes32 id = idOf(block.chainid, address(bridgeMint), nonce);
            emit IBridgeMint.Withdraw(id, token, alice, bob, amount, fee, nonce);
        }
        (bool done, bytes memory reason) = withdraw(token, amount, value, fee);
        vm.assertEq(done, quoted);
        if (!done) vm.assertEq(keccak256(reason), keccak256(answer));
    }

    function withdraw(
        address token,
        uint256 amount,
        uint256 value,
        uint256 maxFee
    ) private returns (bool, bytes memory) {
        vm.prank(alice);
        if (token == NATIVE) {
            return address(bridgeMint).call{value: value}(abi.encodeCall(bridgeMint.withdrawNative, (bob, maxFee)));
        }
        return address(bridgeMint).call(abi.encodeCall(bridgeMint.burn, (token, amount, bob, maxFee)));
    }

    function testFuzz_ABurnChargesTheQuote(uint80 amount, uint16 bps, uint96 minFee, uint96 more) public {
        vm.assume(amount != 0);
        setPolicy(address(bridgedEth), bps, minFee, more);
        vm.prank(policyManager);
        bridgeMint.setMaxAmount(address(bridgedEth), 1_000_000 ether);
        give(alice, amount > 900_000 ether ? 900_000 ether : amount);
        check(address(bridgedEth), amount > 900_000 ether ? 900_000 ether : amount, 0);
    }

    function testFuzz_ANativeWithdrawalChargesTheQuote(uint48 value, uint16 bps, uint96 minFee, uint96 more) public {
        setPolicy(NATIVE, bps, minFee, more);
        vm.deal(alice, value);
        check(NATIVE, uint256(value) * UNIT, value);
    }

    /// @dev Just below the minimum, at it, at the maximum, just above, and without a listing.
    function test_QuotesEndWhereWithdrawalsDo() public {
        setPolicy(NATIVE, 25, 0.5 ether, 0.5 ether - 1);
        vm.prank(policyManager);
        bridgeMint.setMaxAmount(NATIVE, 10 ether);
        uint256[6] memory values = [
            uint256(0),
            1 ether / UNIT - 1,
            1 ether / UNIT,
            10 ether / UNIT,
            10 ether / UNIT + 1,
            HIGHEST / UNIT
        ];
        vm.deal(alice, 1 ether);
        for (uint256 i = 0; i < values.length; i++) check(NATIVE, values[i] * UNIT, values[i]);
        setListing(bridgeMint, NATIVE, false, true);
        check(NATIVE, 1 ether, 1 ether / UNIT);
        setListing(bridgeMint, NATIVE, true, false);
        check(NATIVE, 1 ether, 1 ether / UNIT);
        vm.assertEq(bridgeMint.withdrawNonce(), 3);
    }
}
