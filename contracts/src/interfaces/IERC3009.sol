// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The part of ERC-3009 that a deposit uses
/// @notice USDC and its issuer's other tokens implement it.
interface IERC3009 {
    /// @notice Moves tokens with a signature of their holder. Only the receiver may call it, so it cannot be front-run.
    /// @dev Source: https://eips.ethereum.org/EIPS/eip-3009.
    /// @param from Signer and payer.
    /// @param to Receiver and caller.
    /// @param value Atomic units.
    /// @param validAfter Unix seconds after which the authorization is valid.
    /// @param validBefore Unix seconds before which the authorization is valid.
    /// @param nonce Any 32 bytes that the signer has not used.
    /// @param v Signature.
    /// @param r Signature.
    /// @param s Signature.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}
