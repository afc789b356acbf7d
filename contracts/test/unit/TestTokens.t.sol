// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Artifact} from "../fixtures/Artifact.sol";
import {ITestToken} from "../fixtures/Interfaces.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

contract TestTokensTest is BridgeFixture {
    uint256 private constant KEY = 0xA11CE;
    uint256 private constant BEGAN = 1_000_000;

    /// @dev Bob receives 7 of the holder, from BEGAN to BEGAN + 60. What was signed may differ.
    function receiveCall(uint256 key, uint256 signedValue, bytes32 nonce) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, authorizationDigest(signedValue, nonce));
        return abi.encodeCall(usdc.receiveWithAuthorization, (vm.addr(KEY), bob, 7, BEGAN, BEGAN + 60, nonce, v, r, s));
    }

    function receiveAs(address caller, bytes memory call, bytes4 refusal) private {
        vm.prank(caller);
        (bool done, bytes memory answer) = address(usdc).call(call);
        vm.assertEq(done, refusal == 0);
        if (!done) vm.assertEq(bytes32(bytes4(answer)), bytes32(refusal));
    }

    function authorizationDigest(uint256 value, bytes32 nonce) private view returns (bytes32) {
        bytes32 typeHash = usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH();
        bytes32 message = keccak256(abi.encode(typeHash, vm.addr(KEY), bob, value, BEGAN, BEGAN + 60, nonce));
        return keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), message));
    }

    /// @dev Like the real token: both ends of the time are excluded.
    function test_AnAuthorizationHoldsForItsTimeOnly() public {
        usdc.mint(vm.addr(KEY), 100);
        uint256[4] memory times = [BEGAN - 1, BEGAN, BEGAN + 60, BEGAN + 61];
        bytes memory call = receiveCall(KEY, 7, "nonce");
        for (uint256 i = 0; i < times.length; i++) {
            vm.warp(times[i]);
            receiveAs(bob, call, ITestToken.AuthorizationOutOfTime.selector);
        }
        vm.warp(BEGAN + 1);
        receiveAs(bob, call, 0);
        vm.warp(BEGAN + 59);
        receiveAs(bob, receiveCall(KEY, 7, "other"), 0);
        vm.assertEq(usdc.balanceOf(bob), 14);
    }

    /// @dev An authorization works once, by its receiver, for the amount that its holder signed.
    function test_AnAuthorizationServesItsReceiverOnce() public {
        usdc.mint(vm.addr(KEY), 100);
        vm.warp(BEGAN + 1);
        bytes memory call = receiveCall(KEY, 7, "nonce");
        receiveAs(alice, call, ITestToken.NotReceiver.selector);
        receiveAs(bob, receiveCall(KEY, 8, "nonce"), ITestToken.NotSigner.selector);
        receiveAs(bob, receiveCall(KEY + 1, 7, "nonce"), ITestToken.NotSigner.selector);
        vm.assertFalse(usdc.authorizationState(vm.addr(KEY), "nonce"));
        receiveAs(bob, call, 0);
        vm.assertTrue(usdc.authorizationState(vm.addr(KEY), "nonce"));
        receiveAs(bob, call, ITestToken.AuthorizationUsed.selector);
        vm.assertEq(usdc.balanceOf(bob), 7);
    }

    function test_DecimalsAreThoseOfTheRealTokens() public view {
        vm.assertEq(usdc.decimals(), 6);
        vm.assertEq(xcn.decimals(), 18);
    }

    /// @dev The tokens of a testnet, which no account can mint.
    function test_TheirHolderGetsTheWholeSupply() public {
        string[2] memory names = ["TestnetUSDC", "TestnetXCN"];
        for (uint256 i = 0; i < 2; i++) {
            ITestToken token = ITestToken(Artifact.create(names[i], abi.encode(alice, 1_000)));
            vm.assertEq(token.decimals(), i == 0 ? 6 : 18);
            vm.assertEq(token.balanceOf(alice), 1_000);
            vm.assertEq(token.totalSupply(), 1_000);
            (bool isMinted, ) = address(token).call(abi.encodeCall(token.mint, (bob, 1)));
            vm.assertFalse(isMinted);
        }
    }

    function test_ABlockedAccountNeitherSendsNorReceives() public {
        usdc.mint(alice, 10);
        usdc.setBlocklisted(alice, true);
        bytes memory refusal = abi.encodeWithSelector(ITestToken.Blocklisted.selector, alice);
        vm.prank(alice);
        vm.expectRevert(refusal);
        usdc.transfer(bob, 1);
        vm.expectRevert(refusal);
        usdc.mint(alice, 1);
        usdc.setBlocklisted(alice, false);
        vm.prank(alice);
        usdc.transfer(bob, 1);
        vm.assertEq(usdc.balanceOf(bob), 1);
    }

    function test_OthersNeedAnAllowanceForABridgedToken() public {
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), alice, 10);
        vm.prank(alice);
        bridgedEth.approve(bob, 4);
        vm.prank(bob);
        bridgedEth.transferFrom(alice, bob, 4);
        vm.prank(bob);
        (bool moved, ) = address(bridgedEth).call(abi.encodeCall(bridgedEth.transferFrom, (alice, bob, 1)));
        vm.assertFalse(moved);
        vm.assertEq(bridgedEth.balanceOf(alice), 6);
    }
}
