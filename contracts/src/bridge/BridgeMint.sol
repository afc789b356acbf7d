// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "./BridgeEnd.sol";
import {IBridgeMint} from "./IBridgeMint.sol";
import {BridgedToken} from "../tokens/BridgedToken.sol";

/// @title BridgeMint
/// @notice The partner-chain end of the bridge.
contract BridgeMint is IBridgeMint, BridgeEnd {
    /// @dev One slot.
    struct FeePolicy {
        uint16 bps;
        uint112 minFee;
        uint112 minAmount;
    }

    /// @notice 18-decimal units of XCN in one unit of msg.value: 10^10 where the EVM sees 8 decimals, else 1.
    uint256 public immutable nativeUnit;

    mapping(address token => FeePolicy) private _policies;

    /// @notice The amount is below the minimum of the token.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice The fee is higher than the caller accepts.
    error FeeAboveMaximum(uint256 fee, uint256 maximum);
    /// @notice A policy under which a withdrawal could deliver nothing.
    error InvalidPolicy();
    /// @notice The native coin sent along is not the amount.
    error ValueMismatch(uint256 value, uint256 amount);

    /// @notice Creates the partner-chain end.
    /// @param setup Peer and keys.
    /// @param unit 18-decimal units of XCN in one unit of msg.value.
    constructor(Setup memory setup, uint256 unit) BridgeEnd(setup) {
        if (unit == 0) revert InvalidSetting();
        nativeUnit = unit;
    }

    /// @inheritdoc IBridgeMint
    function mint(
        uint256 depositNonce,
        address token,
        address recipient,
        uint256 amount
    ) external payable nonReentrant {
        _checkRelayer();
        if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient(recipient);
        if (msg.value * nativeUnit != (token == NATIVE ? amount : 0)) revert ValueMismatch(msg.value, amount);
        bytes32 id = _markDelivered(depositNonce);
        _countOutflow(token, amount, 0);
        emit Mint(id, token, recipient, amount);
        if (token != NATIVE) BridgedToken(token).mint(recipient, amount);
        else if (!_trySendNative(recipient, msg.value)) _credit(id, NATIVE, recipient, amount);
    }

    /// @inheritdoc IBridgeMint
    function burn(
        address token,
        uint256 amount,
        address destination,
        uint256 maxFee
    ) external nonReentrant returns (bytes32 withdrawId) {
        if (token == NATIVE || !_tokens[token].allowed) revert TokenNotAllowed(token);
        uint256 fee = quoteFee(token, amount);
        if (fee > maxFee) revert FeeAboveMaximum(fee, maxFee);
        uint256 nonce = _begin(destination);
        withdrawId = _operationId(block.chainid, address(this), nonce);
        emit Withdraw(withdrawId, token, msg.sender, destination, amount, fee, nonce);
        BridgedToken(token).handIn(msg.sender, _switchboard.relayer, amount);
    }

    /// @inheritdoc IBridgeMint
    function retire(address token, uint256 amount) external nonReentrant {
        if (msg.sender != _switchboard.relayer) revert NotRelayer(msg.sender);
        emit Retired(token, amount);
        BridgedToken(token).retire(msg.sender, amount);
    }

    /// @inheritdoc IBridgeMint
    function setFeePolicy(
        address token,
        uint16 bps,
        uint112 minFee,
        uint112 minAmount
    ) external onlyRole(POLICY_MANAGER_ROLE) {
        if (bps >= 10_000 || minAmount <= minFee) revert InvalidPolicy();
        _policies[token] = FeePolicy(bps, minFee, minAmount);
        emit FeePolicySet(token, bps, minFee, minAmount);
    }

    /// @inheritdoc IBridgeMint
    function feePolicy(address token) external view returns (uint16 bps, uint112 minFee, uint112 minAmount) {
        FeePolicy memory policy = _policies[token];
        return (policy.bps, policy.minFee, policy.minAmount);
    }

    /// @inheritdoc IBridgeMint
    function isMinted(uint256 depositNonce) external view returns (bool) {
        return _isDelivered(depositNonce);
    }

    /// @notice How many withdrawals began here; the number of the next one.
    /// @return The number.
    function withdrawNonce() external view returns (uint256) {
        return _switchboard.nonce;
    }

    /// @notice Whether burns are stopped.
    /// @return Whether they are.
    function burnsPaused() external view returns (bool) {
        return _switchboard.inboundPaused;
    }

    /// @notice Whether mints are stopped.
    /// @return Whether they are.
    function mintsPaused() external view returns (bool) {
        return _switchboard.outboundPaused;
    }

    /// @inheritdoc IBridgeMint
    function quoteFee(address token, uint256 amount) public view returns (uint256 fee) {
        FeePolicy memory policy = _policies[token];
        // A policy always has a minimum above 0: none means that the token has no policy.
        if (policy.minAmount == 0) revert TokenNotAllowed(token);
        if (amount < policy.minAmount) revert BelowMinimum(amount, policy.minAmount);
        fee = (amount * policy.bps) / 10_000;
        if (fee < policy.minFee) fee = policy.minFee;
    }

    /// @dev Credits are booked in 18-decimal units and paid in the units of this EVM.
    function _pay(address token, address to, uint256 amount) internal override {
        super._pay(token, to, token == NATIVE ? amount / nativeUnit : amount);
    }
}
