// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC3009} from "../interfaces/IERC3009.sol";

/// @title ERC-3009, as USDC implements it
/// @notice Transfers that the holder authorizes with a signature.
abstract contract ERC3009 is ERC20Permit, IERC3009 {
    /// @notice EIP-712 type of an authorization.
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,"
        "bytes32 nonce)"
    );

    /// @notice Whether an authorization was used.
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    /// @notice Only the receiver submits an authorization.
    /// @param caller The caller.
    error NotReceiver(address caller);
    /// @notice The authorization is not valid now.
    /// @param timestamp Unix seconds now.
    error AuthorizationOutOfTime(uint256 timestamp);
    /// @notice The authorization was already used.
    /// @param nonce Its nonce.
    error AuthorizationUsed(bytes32 nonce);
    /// @notice The signature is not that of the holder.
    /// @param signer Recovered address.
    error NotSigner(address signer);

    /// @inheritdoc IERC3009
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
    ) external {
        if (msg.sender != to) revert NotReceiver(msg.sender);
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) {
            revert AuthorizationOutOfTime(block.timestamp);
        }
        if (authorizationState[from][nonce]) revert AuthorizationUsed(nonce);
        bytes32 structHash = keccak256(
            abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        address signer = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        if (signer != from) revert NotSigner(signer);
        authorizationState[from][nonce] = true;
        _transfer(from, to, value);
    }
}
