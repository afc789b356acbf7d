// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title EIP-712 in the domain of a bridge contract
/// @notice Intents are signed in the domain of BridgeMint and checked on the other chain; attestations are signed in
/// the domain of the contract that checks them.
/// @dev OpenZeppelin's EIP712 supports only the contract's own domain, and its getter would add 22 gas to every call.
library TypedData {
    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant NAME = keccak256("Causeway");
    bytes32 private constant VERSION = keccak256("1");

    /// @notice The EIP-712 domain separator of a bridge contract.
    /// @param chainId Chain of the contract.
    /// @param verifyingContract BridgeLock or BridgeMint.
    /// @return The separator.
    function domainOf(uint256 chainId, address verifyingContract) internal pure returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, NAME, VERSION, chainId, verifyingContract));
    }

    /// @notice The EIP-712 digest of a struct.
    /// @param chainId Chain of the contract.
    /// @param verifyingContract BridgeLock or BridgeMint.
    /// @param structHash EIP-712 hash of the struct.
    /// @return The digest.
    function digestOf(uint256 chainId, address verifyingContract, bytes32 structHash) internal pure returns (bytes32) {
        return MessageHashUtils.toTypedDataHash(domainOf(chainId, verifyingContract), structHash);
    }
}
