// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC3009} from "../interfaces/IERC3009.sol";

/// @title USDC for tests: 6 decimals, a blocklist and ERC-3009, as the real one has
/// @notice Anyone may mint and block. Never for a chain with value.
contract TestUSDC is ERC20Permit, IERC3009 {
    /// @notice EIP-712 type of an authorization.
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,"
        "bytes32 nonce)"
    );

    /// @notice The accounts that may neither send nor receive.
    mapping(address account => bool) public blocklisted;
    /// @notice Whether an authorization was used.
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    /// @notice The account may neither send nor receive.
    /// @param account The account.
    error Blocklisted(address account);
    /// @notice Only the receiver submits an authorization.
    /// @param caller The caller.
    error NotReceiver(address caller);
    /// @notice The authorization does not hold now.
    /// @param timestamp Unix seconds now.
    error AuthorizationOutOfTime(uint256 timestamp);
    /// @notice The authorization was used before.
    /// @param nonce Its nonce.
    error AuthorizationUsed(bytes32 nonce);
    /// @notice The signature is not that of the holder.
    /// @param signer Recovered address.
    error NotSigner(address signer);

    /// @notice Creates the token without any units.
    constructor() ERC20("USD Coin", "USDC") ERC20Permit("USD Coin") {}

    /// @notice Creates units.
    /// @param to Receiver.
    /// @param amount Atomic units, 6 decimals.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Blocks or unblocks an account.
    /// @param account The account.
    /// @param blocked Whether it is blocked.
    function setBlocklisted(address account, bool blocked) external {
        blocklisted[account] = blocked;
    }

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

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (blocklisted[from]) revert Blocklisted(from);
        if (blocklisted[to]) revert Blocklisted(to);
        super._update(from, to, value);
    }
}
