// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @dev Two owners must sign, like a 2-of-2 Safe: two signatures of 65 bytes, in the order of the owners. The owners
/// are immutable, so an EIP-7702 account that delegates to this code has them too.
contract MultiSigAccount is IERC1271 {
    address private immutable FIRST;
    address private immutable SECOND;

    uint256 public nonce;

    error NotTwoSignatures(uint256 length);
    error NotSigned();
    error CallFailed();

    constructor(address first, address second) {
        (FIRST, SECOND) = (first, second);
    }

    receive() external payable {}

    /// @dev Any account may send what the owners signed, as with a Safe.
    function execute(address to, uint256 value, bytes calldata signatures) external {
        if (!_areOwners(transactionHash(to, value), signatures)) revert NotSigned();
        ++nonce;
        (bool done, ) = to.call{value: value}("");
        if (!done) revert CallFailed();
    }

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        return _areOwners(hash, signatures) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @dev The digest that the owners sign for the next payment.
    function transactionHash(address to, uint256 value) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), nonce, to, value));
    }

    function _areOwners(bytes32 hash, bytes calldata signatures) private view returns (bool) {
        if (signatures.length != 130) revert NotTwoSignatures(signatures.length);
        (address first, , ) = ECDSA.tryRecover(hash, signatures[:65]);
        (address second, , ) = ECDSA.tryRecover(hash, signatures[65:]);
        return first == FIRST && second == SECOND;
    }
}
