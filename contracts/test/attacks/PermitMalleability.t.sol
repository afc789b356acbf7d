// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev The signature of a permit is altered, repeated, or used by another account.
contract PermitMalleabilityTest is BridgeFixture {
    uint256 private constant KEY = 0xA11CE;
    /// @dev Order of secp256k1: (r, n - s) with the other v is a signature of the same message.
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    address private signer;

    function setUp() public override {
        super.setUp();
        signer = vm.addr(KEY);
        xcn.mint(signer, 100 ether);
    }

    function signed(uint256 amount, uint256 nonce) private view returns (uint8 v, bytes32 r, bytes32 s) {
        bytes32 permit = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 message = keccak256(
            abi.encode(permit, signer, address(lock), amount, nonce, block.timestamp + 1 hours)
        );
        return vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", xcn.DOMAIN_SEPARATOR(), message)));
    }

    function depositAs(address sender, uint256 amount, uint8 v, bytes32 r, bytes32 s) private returns (bool done) {
        vm.prank(sender);
        (done, ) = address(lock).call(
            abi.encodeCall(lock.depositWithPermit, (address(xcn), amount, bob, block.timestamp + 1 hours, v, r, s))
        );
    }

    function test_TheOtherHalfOfASignatureIsRefused() public {
        (uint8 v, bytes32 r, bytes32 s) = signed(10 ether, 0);
        vm.assertFalse(depositAs(signer, 10 ether, v == 27 ? 28 : 27, r, bytes32(ORDER - uint256(s))));
        vm.assertTrue(depositAs(signer, 10 ether, v, r, s));
    }

    function test_ASignatureWorksOnce() public {
        (uint8 v, bytes32 r, bytes32 s) = signed(10 ether, 0);
        vm.assertTrue(depositAs(signer, 10 ether, v, r, s));
        vm.assertFalse(depositAs(signer, 10 ether, v, r, s));
        vm.assertFalse(depositAs(signer, 10 ether, v == 27 ? 28 : 27, r, bytes32(ORDER - uint256(s))));
        vm.assertEq(xcn.balanceOf(address(lock)), 10 ether);
        vm.assertEq(lock.depositNonce(), 1);
    }

    /// @dev A thief sees the signature in the mempool. The thief can neither use it for another deposit nor invalidate
    /// it.
    function test_ASignatureServesItsSignerOnly() public {
        (uint8 v, bytes32 r, bytes32 s) = signed(10 ether, 0);
        vm.assertFalse(depositAs(alice, 10 ether, v, r, s));
        vm.prank(alice);
        xcn.permit(signer, address(lock), 10 ether, block.timestamp + 1 hours, v, r, s);
        // The bridge has the allowance, but the thief's deposit would take the thief's own tokens.
        vm.assertFalse(depositAs(alice, 10 ether, v, r, s));
        vm.assertTrue(depositAs(signer, 10 ether, v, r, s));
        vm.assertEq(xcn.balanceOf(signer), 90 ether);
    }
}
