// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Deliveries without an origin, by a forged message (Wormhole, BNB bridge, Poly Network).
contract ForgedMessageTest is BridgeFixture {
    function setUp() public override {
        super.setUp();
        fund(address(0), 100 ether);
        fund(address(usdc), 1_000_000e6);
        fund(address(xcn), 1_000e18);
    }

    /// @dev There is no message to forge: only the relayer delivers.
    function test_NobodyButTheRelayerDelivers() public {
        address[5] memory thieves = [bob, admin, guardian, policyManager, peer];
        for (uint256 i = 0; i < thieves.length; i++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeBase.NotRelayer.selector, thieves[i]);
            vm.startPrank(thieves[i]);
            vm.expectRevert(refusal);
            lock.releaseNative(0, bob, 100 ether, 0);
            vm.expectRevert(refusal);
            lock.release(0, address(usdc), bob, 1, 0);
            vm.expectRevert(refusal);
            lock.releaseIntent(intentOf(bob, 1, "invented"), TRANSFER, 0, noAttestation());
            vm.expectRevert(refusal);
            lock.releaseMany(new IBridgeLock.Payment[](0), noAttestation());
            vm.expectRevert(refusal);
            bridgeMint.mintMany(new IBridgeMint.Payment[](0), noAttestation());
            vm.expectRevert(refusal);
            bridgeMint.mint(0, address(bridgedEth), bob, 1);
            vm.expectRevert(refusal);
            bridgeMint.refund("invented", address(bridgedEth), bob, 1, noAttestation());
            vm.expectRevert(refusal);
            bridgeMint.refundNative("invented", bob, noAttestation());
            vm.stopPrank();
        }
    }

    /// @dev Not even the relayer chooses ids. The contract derives them, so a delivery can always be compared with its
    /// origin. Ids of another chain, contract or deployment cannot be used here.
    function test_TheRelayerCannotInventAnId() public {
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(idOf(PEER_CHAIN, peer, 7), address(0), bob, 1 ether, 0);
        vm.prank(relayer);
        lock.releaseNative(7, bob, 1 ether, 0);
    }
}
