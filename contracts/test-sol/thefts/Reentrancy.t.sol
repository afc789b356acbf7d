// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {Reenterer} from "../mocks/Refuser.sol";
import {BridgeFixture} from "../BridgeFixture.sol";

/// @dev Whoever is paid calls back before the books are closed (The DAO, and every year since).
contract ReentrancyTest is BridgeFixture {
    address private constant ETH = address(0);

    /// @dev Every function that moves or books anything, called from within a delivery of coins.
    function test_ARecipientOfCoinsReachesNothing() public {
        fund(ETH, 100 ether);
        Reenterer thief = new Reenterer(lock);
        bytes[9] memory attacks = [
            abi.encodeCall(lock.claim, (ETH, address(thief))),
            abi.encodeCall(lock.claimFor, (ETH, address(thief))),
            abi.encodeCall(lock.collectFees, (ETH)),
            abi.encodeCall(lock.depositNative, (bob)),
            abi.encodeCall(lock.deposit, (address(usdc), 1, bob)),
            abi.encodeCall(lock.depositWithPermit, (address(usdc), 1, bob, 1, 27, bytes32(0), bytes32(0))),
            abi.encodeCall(lock.release, (99, address(usdc), bob, 1, 0)),
            abi.encodeCall(lock.releaseNative, (99, address(thief), 1 ether, 0)),
            abi.encodeCall(lock.releaseIntent, ("again", address(thief), 1, 0))
        ];
        for (uint256 i = 0; i < attacks.length; i++) {
            thief.setAttack(attacks[i]);
            vm.prank(relayer);
            lock.releaseNative(i, address(thief), 1 ether, 1);
            vm.assertTrue(thief.reached());
            vm.assertFalse(thief.succeeded());
        }
        vm.assertEq(address(thief).balance, attacks.length * 1 ether);
    }

    /// @dev A credit is gone before it is paid: claiming from within a claim gives nothing.
    function test_AClaimIsPaidOnce() public {
        fund(ETH, 100 ether);
        Reenterer thief = new Reenterer(lock);
        // Refused while the attack eats the gas of a delivery, so there is a credit.
        ThirstyAttack loop = new ThirstyAttack();
        vm.prank(relayer);
        lock.releaseNative(1, address(loop), 5 ether, 0);
        vm.assertEq(lock.claimable(ETH, address(loop)), 5 ether);
        loop.arm(lock, abi.encodeCall(lock.claim, (ETH, address(thief))));
        lock.claimFor(ETH, address(loop));
        vm.assertEq(address(loop).balance, 5 ether);
        vm.assertFalse(loop.succeeded());
        vm.assertEq(address(thief).balance, 0);
        vm.assertEq(address(lock).balance, 95 ether);
    }

    /// @dev The same on the partner chain. A burn may run within a delivery: it takes, and does not pay.
    function test_ARecipientOfNativeXcnReachesNothing() public {
        Reenterer thief = new Reenterer(bridgeMint);
        vm.deal(relayer, 100);
        vm.prank(relayer);
        bridgeMint.mint(50, address(bridgedEth), address(thief), 1 ether);
        bytes[5] memory attacks = [
            abi.encodeCall(bridgeMint.claim, (ETH, address(thief))),
            abi.encodeCall(bridgeMint.claimFor, (ETH, address(thief))),
            abi.encodeCall(bridgeMint.mint, (99, address(bridgedEth), address(thief), 1)),
            abi.encodeCall(bridgeMint.refund, (address(bridgedEth), address(thief), 1)),
            abi.encodeCall(bridgeMint.retire, (address(bridgedEth), 1))
        ];
        for (uint256 i = 0; i < attacks.length; i++) {
            thief.setAttack(attacks[i]);
            vm.prank(relayer);
            bridgeMint.mint{value: 1}(i, ETH, address(thief), UNIT);
            vm.assertTrue(thief.reached());
            vm.assertFalse(thief.succeeded());
        }
        vm.assertEq(bridgedEth.balanceOf(address(thief)), 1 ether);
    }

    /// @dev A token with hooks calls back from within a deposit and a release.
    function test_ATokenWithHooksReachesNothing() public {
        ChaoticToken token = new ChaoticToken();
        list(lock, address(token), 0);
        fund(ETH, 10 ether);
        token.setMode(ChaoticToken.Mode.Reenters);
        token.setAttack(address(lock), abi.encodeCall(lock.depositNative, (bob)));
        token.mint(alice, 100);
        vm.startPrank(alice);
        token.approve(address(lock), 100);
        lock.deposit(address(token), 100, bob);
        vm.stopPrank();
        token.setAttack(address(lock), abi.encodeCall(lock.collectFees, (ETH)));
        vm.prank(relayer);
        lock.release(1, address(token), bob, 100, 0);
        vm.assertFalse(token.reentered());
        vm.assertEq(token.balanceOf(bob), 100);
    }
}

/// @dev Needs more gas than a delivery gives until it is armed; then calls the bridge from within a payment.
contract ThirstyAttack {
    BridgeEnd private _end;
    bytes private _attack;
    bool public succeeded;

    receive() external payable {
        if (address(_end) == address(0)) while (true) {}
        (succeeded, ) = address(_end).call(_attack);
    }

    function arm(BridgeEnd end, bytes calldata attack) external {
        (_end, _attack) = (end, attack);
    }
}
