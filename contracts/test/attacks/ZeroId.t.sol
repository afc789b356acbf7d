// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev An unset value is trusted (Nomad: the zero root was acceptable; Qubit: the zero token).
contract ZeroIdTest is BridgeFixture {
    function test_TheZeroIntentIsNoIntent() public {
        fund(address(xcn), 1_000e18);
        vm.prank(relayer);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.releaseIntent(bytes32(0), bob, 1, 0);
        vm.assertFalse(lock.isIntentReleased(bytes32(0)));
    }

    /// @dev Number 0 is an ordinary number: it is delivered once.
    function test_TheZeroNumberIsDeliveredOnce() public {
        vm.startPrank(relayer);
        bridgeMint.mint(0, address(bridgedEth), bob, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, 0)));
        bridgeMint.mint(0, address(bridgedEth), bob, 1 ether);
        vm.stopPrank();
    }

    /// @dev No key and no peer can be the zero address.
    function test_NothingIsLeftUnset() public {
        for (uint256 i = 0; i < 6; i++) {
            BridgeEnd.Setup memory unset = setup();
            if (i == 0) unset.peer = address(0);
            if (i == 1) unset.relayer = address(0);
            if (i == 2) unset.admin = address(0);
            if (i == 3) unset.guardian = address(0);
            if (i == 4) unset.policyManager = address(0);
            if (i == 5) unset.peerChainId = block.chainid;
            bytes memory refusal =
                i == 2
                    ? abi.encodeWithSelector(
                        IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector,
                        address(0)
                    )
                    : abi.encodeWithSelector(IBridgeEnd.InvalidSetting.selector);
            // Each contract separately: the refusal of one says nothing about the other.
            vm.expectRevert(refusal);
            this.deployLock(unset);
            vm.expectRevert(refusal);
            this.deployMint(unset);
        }
        this.deployLock(setup());
        this.deployMint(setup());
    }

    function deployLock(BridgeEnd.Setup memory unset) external {
        newLock(unset, address(xcn), treasury);
    }

    function deployMint(BridgeEnd.Setup memory unset) external {
        newMint(unset, UNIT);
    }

    /// @dev A token that was never listed or limited is neither accepted nor paid.
    function test_ATokenThatWasNeverSetDoesNotMove() public {
        address unset = address(bridgedEth);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, unset));
        lock.deposit(unset, 1, bob);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, unset));
        lock.release(1, unset, bob, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(usdc)));
        bridgeMint.burn(address(usdc), 1, bob, 1);
    }
}
