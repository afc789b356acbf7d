// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IBridgeBase} from "../interfaces/IBridgeBase.sol";

/// @title Consent of k out of n attesters
/// @notice A contract stores only a hash of its attester set, one slot for any number of attesters. Each call passes
/// the whole set, which is checked against the hash.
library Attestations {
    /// @dev Maximum validity of an attestation in seconds: it outlives neither a reorganisation nor a rotation.
    uint256 internal constant MAX_TIME = 10 minutes;
    /// @dev Maximum size of a set.
    uint256 internal constant MAX_ATTESTERS = 9;

    /// @notice The hash of a set that a contract stores.
    /// @param setNumber Number of the set.
    /// @param attesters Its members in ascending order.
    /// @return The hash.
    function hashOf(uint256 setNumber, address[] memory attesters) internal pure returns (bytes32) {
        return keccak256(abi.encode(setNumber, attesters));
    }

    /// @notice Reverts unless `threshold` different members of the set signed the digest, and the attestation is valid
    /// now.
    /// @param attestation Set, expiry and signatures.
    /// @param setHash The hash that the contract stores.
    /// @param threshold Signatures needed.
    /// @param digest EIP-712 digest that they sign.
    function verify(
        IBridgeBase.Attestation calldata attestation,
        bytes32 setHash,
        uint256 threshold,
        bytes32 digest
    ) internal view {
        uint256 validUntil = attestation.validUntil;
        if (block.timestamp > validUntil) revert IBridgeBase.AttestationExpired(validUntil);
        if (validUntil - block.timestamp > MAX_TIME) revert IBridgeBase.AttestationTooLong(validUntil);
        address[] calldata attesters = attestation.attesters;
        if (hashOf(attestation.setNumber, attesters) != setHash) {
            revert IBridgeBase.UnknownAttesterSet(attestation.setNumber);
        }
        IBridgeBase.CompactSignature[] calldata signatures = attestation.signatures;
        if (signatures.length != threshold) revert IBridgeBase.WrongSignatureCount(signatures.length, threshold);
        // Signatures are in the order of the set, so one pass over the set finds every signer, and none twice.
        uint256 next = 0;
        for (uint256 i = 0; i < threshold; ++i) {
            address signer = ECDSA.recover(digest, signatures[i].r, signatures[i].yParityAndS);
            while (next < attesters.length && attesters[next] != signer) ++next;
            if (next == attesters.length) revert IBridgeBase.NotAttester(signer);
            ++next;
        }
    }
}
