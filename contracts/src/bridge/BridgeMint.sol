// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgedToken} from "../interfaces/IBridgedToken.sol";
import {IBridgeMint} from "../interfaces/IBridgeMint.sol";
import {TokenState} from "../libraries/TokenState.sol";
import {BridgeFees} from "./BridgeFees.sol";
import {BridgeSuccession} from "./BridgeSuccession.sol";

/// @title BridgeMint
/// @notice The partner-chain contract of the bridge: mints deposits and accepts withdrawals.
contract BridgeMint is BridgeFees {
    // ------------------------------------------------------------------------------------------------- State

    /// @notice Gas for a recipient of native XCN without code: the paying call may create its account on the partner
    /// chain, for about 587,000. The recipient has no code that could use it.
    uint256 public constant NEW_ACCOUNT_GAS = 750_000;
    /// @dev Bytes of a Payment in call data.
    uint256 private constant PAYMENT_SIZE = 128;
    bytes32 private constant REFUND_TYPEHASH = keccak256(
        "Refund(bytes32 refundId,address wallet,address token,address recipient,uint256 amount,"
        "uint256 attesterSet,uint256 validUntil)"
    );

    /// @inheritdoc IBridgeMint
    uint256 public immutable nativeUnit;

    /// @notice Creates the partner-chain contract of the bridge.
    /// @param setup Peer and keys.
    /// @param tokens Tokens to list.
    /// @param fees Initial fee policies.
    /// @param unit 18-decimal units of XCN per unit of msg.value.
    constructor(
        Setup memory setup,
        TokenSetup[] memory tokens,
        FeeSetup[] memory fees,
        uint256 unit
    ) BridgeSuccession(setup, tokens) {
        if (unit == 0) revert ZeroUnit();
        nativeUnit = unit;
        for (uint256 i = 0; i < fees.length; ++i) {
            _setFeeCeiling(fees[i].token, fees[i].ceiling);
            _setFeePolicy(fees[i].token, fees[i].policy);
        }
    }

    // ------------------------------------------------------------------------------------------------- Mints

    /// @inheritdoc IBridgeMint
    function mint(
        uint256 depositNonce,
        address token,
        address recipient,
        uint256 amount
    ) external payable nonReentrant {
        uint256 flags = _checkRelayerAlone();
        _checkValue(token == NATIVE ? amount : 0);
        SkipReason reason = _mint(flags, depositNonce, token, recipient, amount);
        if (reason != SkipReason.None) _revertSkip(reason, _peerId(depositNonce), token, amount);
    }

    /// @inheritdoc IBridgeMint
    function mintMany(
        Payment[] calldata payments,
        Attestation calldata attestation
    ) external payable nonReentrant returns (uint256 paid) {
        uint256 place;
        assembly ("memory-safe") {
            place := payments.offset
        }
        uint256 flags = _checkBatch(payments.length, place, payments.length * PAYMENT_SIZE, attestation);
        (uint256 asked, uint256 skipped) = (0, 0);
        for (uint256 i = 0; i < payments.length; ++i) {
            Payment calldata item = payments[i];
            (address token, uint256 amount) = (item.token, item.amount);
            SkipReason reason = _mint(flags, item.depositNonce, token, item.recipient, amount);
            if (reason == SkipReason.None) paid |= 1 << i;
            else emit Skipped(item.depositNonce, reason);
            if (token != NATIVE) continue;
            asked += amount;
            if (reason != SkipReason.None) skipped += amount;
        }
        _checkValue(asked);
        // Without value the float paid, so nothing returns to the caller.
        if (msg.value != 0 && skipped != 0) _sendNative(msg.sender, _toValue(skipped));
    }

    // ------------------------------------------------------------------------------------------- Withdrawals

    /// @inheritdoc IBridgeMint
    function burn(
        address token,
        uint256 amount,
        address destination,
        uint256 maxFee
    ) external returns (bytes32 withdrawId) {
        // No reentrancy guard: the only external call comes last, after all changes here.
        if (token == NATIVE) revert TokenNotAllowed(token);
        address wallet;
        (withdrawId, wallet) = _withdraw(token, amount, destination, maxFee);
        // Former relayer wallets are refused by the token, which sealed them.
        if (msg.sender == wallet) revert RelayerCannotBurn();
        IBridgedToken(token).bridgeTransfer(msg.sender, wallet, amount);
    }

    /// @inheritdoc IBridgeMint
    function withdrawNative(address destination, uint256 maxFee) external payable returns (bytes32 withdrawId) {
        (withdrawId, ) = _withdraw(NATIVE, _fromValue(msg.value), destination, maxFee);
    }

    /// @inheritdoc IBridgeMint
    function retire(address token, uint256 amount) external nonReentrant {
        _retire(msg.sender, token, amount);
    }

    /// @inheritdoc IBridgeMint
    function retireOf(address wallet, address token, uint256 amount) external nonReentrant {
        _retire(wallet, token, amount);
    }

    /// @inheritdoc IBridgeMint
    function sweep(SweptTransfer[] calldata transfers) external payable {
        _checkWallet(msg.sender);
        uint256 sum = 0;
        for (uint256 i = 0; i < transfers.length; ++i) {
            (bytes32 transferId, uint256 amount) = (transfers[i].transferId, transfers[i].amount);
            sum += amount;
            emit Swept(transferId, amount);
        }
        if (_fromValue(msg.value) != sum) revert ValueMismatch(msg.value, sum);
    }

    // ----------------------------------------------------------------------------------------------- Refunds

    /// @inheritdoc IBridgeMint
    function refund(
        bytes32 refundId,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) external nonReentrant {
        _refundTokens(refundId, msg.sender, token, recipient, amount, attestation);
    }

    /// @inheritdoc IBridgeMint
    function refundOf(
        bytes32 refundId,
        address wallet,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) external nonReentrant {
        _refundTokens(refundId, wallet, token, recipient, amount, attestation);
    }

    /// @inheritdoc IBridgeMint
    function refundNative(
        bytes32 refundId,
        address recipient,
        Attestation calldata attestation
    ) external payable nonReentrant {
        uint256 amount = _fromValue(msg.value);
        _beginRefund(refundId, msg.sender, NATIVE, recipient, amount, attestation);
        if (amount == 0) revert ZeroAmount();
        bool received = _canClaim(NATIVE, recipient) && _trySendNative(recipient, msg.value);
        if (!received) _credit(refundId, NATIVE, recipient, amount);
    }

    // ------------------------------------------------------------------------------------------------- Views

    /// @inheritdoc IBridgeMint
    function quoteFee(address token, uint256 amount) external view returns (uint256 fee) {
        fee = _feeOf(token, amount);
        if (token == NATIVE && amount % nativeUnit != 0) revert Dust(amount, nativeUnit);
    }

    /// @inheritdoc IBridgeMint
    function isMinted(uint256 depositNonce) external view returns (bool) {
        return _isDelivered(depositNonce);
    }

    /// @inheritdoc IBridgeMint
    function isRefunded(bytes32 refundId) external view returns (bool) {
        return _paid[refundId];
    }

    /// @inheritdoc IBridgeMint
    function float() external view returns (uint256) {
        return _free(NATIVE);
    }

    /// @inheritdoc IBridgeMint
    function withdrawNonce() external view returns (uint256) {
        return _state.nonce;
    }

    /// @inheritdoc IBridgeMint
    function burnsPaused() external view returns (bool) {
        return _areBeginningsPaused();
    }

    /// @inheritdoc IBridgeMint
    function mintsPaused() external view returns (bool) {
        return _areDeliveriesPaused();
    }

    // --------------------------------------------------------------------------------------------- Internals

    /// @dev The amount is always 0: all bridged tokens that this contract holds are credits, so none are free.
    function _handOverToken(address token, address successor, uint256) internal override {
        IBridgedToken(token).nameSuccessor(successor);
    }

    /// @dev With the gas of a contract, the payment to a new account would fail, and the account, without coin for gas,
    /// could not claim.
    function _deliveryGas(address to) internal view override returns (uint256) {
        return to.code.length == 0 ? NEW_ACCOUNT_GAS : DELIVERY_GAS;
    }

    function _toValue(uint256 amount) internal view override returns (uint256) {
        return amount / nativeUnit;
    }

    function _fromValue(uint256 value) internal view override returns (uint256) {
        return value * nativeUnit;
    }

    /// @dev Decides on a mint, marks its number and pays it. A skip writes nothing.
    function _mint(
        uint256 flags,
        uint256 depositNonce,
        address token,
        address recipient,
        uint256 amount
    ) private returns (SkipReason) {
        (uint256 word, bool isDelivered) = _readDelivered(depositNonce);
        if (isDelivered) return SkipReason.AlreadyDelivered;
        (SkipReason reason, TokenState state) = _count(token, amount, 0);
        if (reason != SkipReason.None) return reason;
        if (token == NATIVE) {
            if (amount % nativeUnit != 0) revert Dust(amount, nativeUnit);
            if (_fromValue(address(this).balance) < amount + state.reserved()) return SkipReason.FundsShort;
        }
        _markDelivered(depositNonce, word);
        _tokens[token] = state;
        bytes32 id = _peerId(depositNonce);
        emit Mint(id, token, recipient, amount);
        bool received = _canBePaid(token, recipient, msg.sender, flags);
        if (token == NATIVE) received = received && _trySendNative(recipient, _toValue(amount));
        else {
            received = received && IBridgedToken(token).mint(recipient, amount);
            // This contract holds credited bridged tokens until they are claimed.
            if (!received) IBridgedToken(token).mint(address(this), amount);
        }
        if (!received) _credit(id, token, recipient, amount);
        return SkipReason.None;
    }

    /// @dev Reverts unless the value is exactly that of the native mints, or 0 so that the float pays.
    function _checkValue(uint256 amount) private view {
        if (msg.value != 0 && _fromValue(msg.value) != amount) revert ValueMismatch(msg.value, amount);
    }

    /// @dev Begins a withdrawal: computes the fee, takes a number and emits the event.
    function _withdraw(
        address token,
        uint256 amount,
        address destination,
        uint256 maxFee
    ) private returns (bytes32 withdrawId, address wallet) {
        uint256 fee = _feeOf(token, amount);
        if (fee > maxFee) revert FeeAboveMaximum(fee, maxFee);
        uint256 nonce;
        (withdrawId, nonce, wallet) = _begin(token, destination);
        emit Withdraw(withdrawId, token, msg.sender, destination, amount, fee, nonce);
    }

    function _checkWallet(address wallet) private view {
        if (!isRelayerWallet[wallet]) revert NotRelayerWallet(wallet);
    }

    function _retire(address wallet, address token, uint256 amount) private {
        if (msg.sender != _state.relayer) revert NotRelayer(msg.sender);
        _checkWallet(wallet);
        emit Retired(token, amount);
        IBridgedToken(token).retire(wallet, amount);
    }

    function _refundTokens(
        bytes32 refundId,
        address wallet,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) private {
        _beginRefund(refundId, wallet, token, recipient, amount, attestation);
        if (token == NATIVE) revert TokenNotAllowed(token);
        _checkWallet(wallet);
        (SkipReason reason, TokenState state) = _count(token, amount, 0);
        if (reason != SkipReason.None) _revertSkip(reason, refundId, token, amount);
        _tokens[token] = state;
        bool received = _canClaim(token, recipient);
        IBridgedToken(token).bridgeRefund(wallet, received ? recipient : address(this), amount);
        if (!received) _credit(refundId, token, recipient, amount);
    }

    /// @dev Checks the caller, the attestation and the id of a refund, and marks the id as paid.
    function _beginRefund(
        bytes32 refundId,
        address wallet,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) private {
        uint256 flags = _checkRelayer();
        if (flags & THRESHOLD != 0) {
            (uint256 set, uint256 end) = (attestation.setNumber, attestation.validUntil);
            bytes32 structHash = keccak256(
                abi.encode(REFUND_TYPEHASH, refundId, wallet, token, recipient, amount, set, end)
            );
            _verify(attestation, flags, structHash);
        }
        if (_paid[refundId]) revert AlreadyRefunded(refundId);
        _paid[refundId] = true;
        emit Refunded(refundId, token, recipient, amount);
    }
}
