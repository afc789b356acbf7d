// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "./BridgeEnd.sol";
import {FeeFormula} from "./FeeFormula.sol";
import {IBridgeMint} from "./IBridgeMint.sol";
import {BridgedToken} from "../tokens/BridgedToken.sol";

/// @title BridgeMint
/// @notice The partner-chain end of the bridge.
contract BridgeMint is IBridgeMint, BridgeEnd {
    /// @notice A fee policy that holds from the beginning.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param bps Rate in basis points.
    /// @param minFee Least fee in atomic units.
    /// @param minAmount Least amount in atomic units.
    struct FeeSetup {
        address token;
        uint16 bps;
        uint112 minFee;
        uint112 minAmount;
    }

    /// @dev One slot, the only one of its token that a burn reads: so it repeats whether the token is listed.
    struct FeePolicy {
        bool listed;
        uint16 bps;
        uint112 minFee;
        uint112 minAmount;
    }

    /// @notice Gas for a recipient of native XCN without code: the partner chain creates its account in the paying
    /// call, for about 587,000. No code of the recipient can use it.
    /// @dev At most 761,000: else a 64th part of too little gas would book a credit (see _trySendNative).
    uint256 public constant NEW_ACCOUNT_GAS = 750_000;

    /// @inheritdoc IBridgeMint
    uint256 public immutable nativeUnit;

    /// @inheritdoc IBridgeMint
    mapping(address account => bool) public isRelayerWallet;
    mapping(address token => FeePolicy) private _policies;

    /// @notice Creates the partner-chain end.
    /// @param setup Peer and keys.
    /// @param tokens Tokens listed from the beginning.
    /// @param fees Fee policies from the beginning.
    /// @param unit 18-decimal units of XCN in one unit of msg.value.
    constructor(
        Setup memory setup,
        TokenSetup[] memory tokens,
        FeeSetup[] memory fees,
        uint256 unit
    ) BridgeEnd(setup, tokens) {
        if (unit == 0) revert InvalidSetting();
        nativeUnit = unit;
        for (uint256 i = 0; i < fees.length; ++i) {
            FeeSetup memory fee = fees[i];
            _setFeePolicy(fee.token, fee.bps, fee.minFee, fee.minAmount);
        }
    }

    /// @inheritdoc IBridgeMint
    function mint(
        uint256 depositNonce,
        address token,
        address recipient,
        uint256 amount
    ) external payable nonReentrant {
        _checkDelivery(token, recipient);
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
    ) external returns (bytes32 withdrawId) {
        // No reentrancy guard: all that changes here has changed before the one call, which is the last thing done.
        FeePolicy storage policy = _policies[token];
        (bool listed, uint256 bps, uint256 minFee, uint256 minAmount) = (
            policy.listed,
            policy.bps,
            policy.minFee,
            policy.minAmount
        );
        if (token == NATIVE || !listed) revert TokenNotAllowed(token);
        uint256 fee = _feeOf(token, amount, bps, minFee, minAmount);
        if (fee > maxFee) revert FeeAboveMaximum(fee, maxFee);
        (uint256 nonce, address wallet, bool rotated) = _begin(token, destination);
        // A relayer wallet holds only tokens that were handed in. The map costs 2,100 gas, so only rotated bridges read
        // it.
        if (msg.sender == wallet || (rotated && isRelayerWallet[msg.sender])) revert RelayerCannotBurn();
        withdrawId = _operationId(block.chainid, address(this), nonce);
        emit Withdraw(withdrawId, token, msg.sender, destination, amount, fee, nonce);
        BridgedToken(token).handOver(msg.sender, wallet, amount);
    }

    /// @inheritdoc IBridgeMint
    function retire(address token, uint256 amount) external nonReentrant {
        _retire(msg.sender, token, amount);
    }

    /// @inheritdoc IBridgeMint
    function retireOf(address wallet, address token, uint256 amount) external nonReentrant {
        if (!isRelayerWallet[wallet]) revert NotRelayer(wallet);
        _retire(wallet, token, amount);
    }

    /// @inheritdoc IBridgeMint
    function refund(address token, address recipient, uint256 amount) external nonReentrant {
        _checkDelivery(token, recipient);
        if (token == NATIVE) revert TokenNotAllowed(token);
        _countOutflow(token, amount, 0);
        emit Refunded(token, recipient, amount);
        BridgedToken(token).handOver(msg.sender, recipient, amount);
    }

    /// @inheritdoc IBridgeMint
    function setFeePolicy(
        address token,
        uint16 bps,
        uint112 minFee,
        uint112 minAmount
    ) external onlyRole(POLICY_MANAGER_ROLE) {
        _setFeePolicy(token, bps, minFee, minAmount);
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

    /// @inheritdoc IBridgeMint
    function withdrawNonce() external view returns (uint256) {
        return _switchboard.nonce;
    }

    /// @inheritdoc IBridgeMint
    function burnsPaused() external view returns (bool) {
        return _switchboard.inboundPaused;
    }

    /// @inheritdoc IBridgeMint
    function mintsPaused() external view returns (bool) {
        return _switchboard.outboundPaused;
    }

    /// @inheritdoc IBridgeMint
    function quoteFee(address token, uint256 amount) external view returns (uint256 fee) {
        FeePolicy storage policy = _policies[token];
        return _feeOf(token, amount, policy.bps, policy.minFee, policy.minAmount);
    }

    /// @dev Repeats in the policy whether the token is listed.
    function _onTokenSet(address token, bool allowed) internal override {
        _policies[token].listed = allowed;
    }

    /// @dev Once a relayer wallet, always one: what was handed in there stays handed in.
    function _onRelayerSet(address wallet) internal override {
        isRelayerWallet[wallet] = true;
    }

    /// @dev With the gas of a contract, a new account would be refused and could not claim: it has no coin for gas.
    function _deliveryGas(address to) internal view override returns (uint256) {
        return to.code.length == 0 ? NEW_ACCOUNT_GAS : DELIVERY_GAS;
    }

    /// @dev Only native XCN is ever credited here: booked in 18-decimal units, and paid in the units of this EVM.
    function _pay(address token, address to, uint256 amount) internal override {
        super._pay(token, to, amount / nativeUnit);
    }

    function _retire(address wallet, address token, uint256 amount) private {
        if (msg.sender != _switchboard.relayer) revert NotRelayer(msg.sender);
        emit Retired(token, amount);
        BridgedToken(token).retire(wallet, amount);
    }

    function _setFeePolicy(address token, uint16 bps, uint112 minFee, uint112 minAmount) private {
        if (bps >= 10_000 || minAmount <= minFee) revert InvalidPolicy();
        _policies[token] = FeePolicy(_tokens[token].allowed, bps, minFee, minAmount);
        emit FeePolicySet(token, bps, minFee, minAmount);
    }

    function _feeOf(
        address token,
        uint256 amount,
        uint256 bps,
        uint256 minFee,
        uint256 minAmount
    ) private pure returns (uint256) {
        // A policy always has a minimum above 0: none means that the token has no policy.
        if (minAmount == 0) revert TokenNotAllowed(token);
        if (amount < minAmount) revert BelowMinimum(amount, minAmount);
        return FeeFormula.feeOf(amount, bps, minFee);
    }
}
