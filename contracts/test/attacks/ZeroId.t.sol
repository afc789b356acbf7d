// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IOwnable} from "../fixtures/Interfaces.sol";

/// @dev An unset value is trusted (Nomad: the zero root was acceptable; Qubit: the zero token).
contract ZeroIdTest is BridgeFixture {
    /// @dev The contract computes ids from terms, so empty terms have an ordinary id, and deliver nothing.
    function test_TheZeroIntentIsNotAnIntent() public {
        fund(address(xcn), 1_000e18);
        IBridgeLock.Intent memory empty;
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeLock.FeeAboveAmount.selector, 0, 0));
        lock.releaseIntent(empty, TRANSFER, 0, noAttestation());
        vm.assertFalse(lock.isIntentReleased(bytes32(0)));
    }

    /// @dev Number 0 is an ordinary number: it is delivered once.
    function test_TheZeroNumberIsDeliveredOnce() public {
        vm.startPrank(relayer);
        bridgeMint.mint(0, address(bridgedEth), bob, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, 0)));
        bridgeMint.mint(0, address(bridgedEth), bob, 1 ether);
        vm.stopPrank();
    }

    /// @dev No key and no peer can be the zero address.
    function test_NothingIsLeftUnset() public {
        for (uint256 i = 0; i < 6; i++) {
            IBridgeGovernance.Setup memory unset = setup();
            if (i == 0) unset.peer = address(0);
            if (i == 1) unset.relayer = address(0);
            if (i == 2) unset.admin = address(0);
            if (i == 3) unset.guardian = address(0);
            if (i == 4) unset.policyManager = address(0);
            if (i == 5) unset.peerChainId = block.chainid;
            bytes memory refusal = abi.encodeWithSelector(IBridgeGovernance.ZeroAddress.selector);
            if (i == 2) refusal = abi.encodeWithSelector(IOwnable.OwnableInvalidOwner.selector, address(0));
            if (i == 5) refusal = abi.encodeWithSelector(IBridgeGovernance.PeerOnSameChain.selector, block.chainid);
            // Each contract separately: a refusal by one does not show that the other refuses.
            vm.expectRevert(refusal);
            this.deployLock(unset);
            vm.expectRevert(refusal);
            this.deployMint(unset);
        }
        this.deployLock(setup());
        this.deployMint(setup());
    }

    function deployLock(IBridgeGovernance.Setup memory unset) external {
        newLock(unset, address(xcn), treasury);
    }

    function deployMint(IBridgeGovernance.Setup memory unset) external {
        newMint(unset, UNIT);
    }

    /// @dev A token that was never listed or limited is neither accepted nor paid.
    function test_ATokenThatWasNeverSetDoesNotMove() public {
        address unset = address(bridgedEth);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, unset));
        lock.deposit(unset, 1, bob);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, unset));
        lock.release(1, unset, bob, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.burn(address(usdc), 1, bob, 1);
    }
}
