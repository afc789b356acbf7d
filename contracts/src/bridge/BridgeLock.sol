// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {IBridgeLock} from "../interfaces/IBridgeLock.sol";
import {IERC3009} from "../interfaces/IERC3009.sol";
import {TokenState} from "../libraries/TokenState.sol";
import {BridgeSuccession} from "./BridgeSuccession.sol";

/// @title BridgeLock
/// @notice The Ethereum contract of the bridge: holds deposits and pays withdrawals.
contract BridgeLock is IBridgeLock, BridgeSuccession {
    using SafeERC20 for IERC20;

    // ------------------------------------------------------------------------------------------------- State

    /// @dev Maximum length of an intent's signature in bytes.
    uint256 private constant MAX_SIGNATURE_LENGTH = 1_024;
    /// @dev Bytes of a Payment in call data.
    uint256 private constant PAYMENT_SIZE = 160;
    bytes32 private constant INTENT_TYPEHASH = keccak256(
        "XcnWithdrawIntent(address sender,address recipient,uint256 amount,uint256 deadline,string nonce)"
    );
    bytes32 private constant INTENT_RELEASE_TYPEHASH = keccak256(
        "IntentRelease(bytes32 intentId,bytes32 transferId,uint256 fee,bytes32 signatureHash,"
        "uint256 attesterSet,uint256 validUntil)"
    );

    /// @inheritdoc IBridgeLock
    address public immutable xcn;

    /// @inheritdoc IBridgeLock
    address public treasury;

    /// @notice Creates the Ethereum contract of the bridge.
    /// @param setup Peer and keys.
    /// @param tokens Tokens to list.
    /// @param xcnToken XCN on this chain.
    /// @param initialTreasury Account that receives the collected fees.
    constructor(
        Setup memory setup,
        TokenSetup[] memory tokens,
        address xcnToken,
        address initialTreasury
    ) BridgeSuccession(setup, tokens) {
        if (xcnToken == address(0)) revert ZeroAddress();
        xcn = xcnToken;
        _setTreasury(initialTreasury);
    }

    // ---------------------------------------------------------------------------------------------- Deposits

    /// @inheritdoc IBridgeLock
    function deposit(address token, uint256 amount, address recipient) external nonReentrant returns (bytes32) {
        _checkDeposit(token, amount);
        return _depositFrom(token, amount, recipient);
    }

    /// @inheritdoc IBridgeLock
    function depositWithPermit(
        address token,
        uint256 amount,
        address recipient,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (bytes32) {
        // Checked before any call, so that an unlisted token is never called.
        _checkDeposit(token, amount);
        // A permit that was already used has set the allowance; with a wrong one the transfer fails.
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        return _depositFrom(token, amount, recipient);
    }

    /// @inheritdoc IBridgeLock
    function depositWithAuthorization(
        address token,
        uint256 amount,
        address recipient,
        Authorization calldata authorization
    ) external nonReentrant returns (bytes32) {
        _checkDeposit(token, amount);
        address from = authorization.from;
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC3009(token).receiveWithAuthorization(
            from,
            address(this),
            amount,
            authorization.validAfter,
            authorization.validBefore,
            // The signature covers the recipient, so a submitter cannot change it.
            keccak256(abi.encode(recipient, authorization.salt)),
            authorization.v,
            authorization.r,
            authorization.s
        );
        return _emitReceived(token, from, recipient, amount, before);
    }

    /// @inheritdoc IBridgeLock
    function depositNative(address recipient) external payable nonReentrant returns (bytes32) {
        _checkAmount(NATIVE, msg.value);
        return _emitDeposit(NATIVE, msg.sender, recipient, msg.value);
    }

    // ---------------------------------------------------------------------------------------------- Releases

    /// @inheritdoc IBridgeLock
    function release(
        uint256 withdrawNonce,
        address token,
        address recipient,
        uint256 amount,
        uint256 fee
    ) external nonReentrant {
        uint256 flags = _checkRelayerAlone();
        if (token == NATIVE) revert TokenNotAllowed(token);
        uint256 balance = IERC20(token).balanceOf(address(this));
        (SkipReason reason, ) = _release(flags, withdrawNonce, token, recipient, amount, fee, balance);
        if (reason != SkipReason.None) _revertSkip(reason, _peerId(withdrawNonce), token, amount + fee);
    }

    /// @inheritdoc IBridgeLock
    function releaseNative(
        uint256 withdrawNonce,
        address recipient,
        uint256 amount,
        uint256 fee
    ) external nonReentrant {
        uint256 flags = _checkRelayerAlone();
        uint256 balance = address(this).balance;
        (SkipReason reason, ) = _release(flags, withdrawNonce, NATIVE, recipient, amount, fee, balance);
        if (reason != SkipReason.None) _revertSkip(reason, _peerId(withdrawNonce), NATIVE, amount + fee);
    }

    /// @inheritdoc IBridgeLock
    function releaseMany(
        Payment[] calldata payments,
        Attestation calldata attestation
    ) external nonReentrant returns (uint256 paid) {
        uint256 place;
        assembly ("memory-safe") {
            place := payments.offset
        }
        uint256 flags = _checkBatch(payments.length, place, payments.length * PAYMENT_SIZE, attestation);
        // Consecutive payments of a token pass its balance on: each returns the balance that is left.
        (address token, uint256 balance) = (NATIVE, address(this).balance);
        for (uint256 i = 0; i < payments.length; ++i) {
            Payment calldata item = payments[i];
            if (item.token != token) (token, balance) = (item.token, _balance(item.token));
            SkipReason reason;
            (reason, balance) = _release(
                flags,
                item.withdrawNonce,
                token,
                item.recipient,
                item.amount,
                item.fee,
                balance
            );
            if (reason == SkipReason.None) paid |= 1 << i;
            else emit Skipped(item.withdrawNonce, reason);
        }
    }

    /// @inheritdoc IBridgeLock
    function releaseIntent(
        Intent calldata intent,
        bytes32 transferId,
        uint256 fee,
        Attestation calldata attestation
    ) external nonReentrant {
        uint256 flags = _checkRelayer();
        bytes32 id = _intentIdOf(intent);
        if (intent.signature.length > MAX_SIGNATURE_LENGTH) revert SignatureTooLong(intent.signature.length);
        if (flags & THRESHOLD != 0) {
            bytes32 signatureHash = keccak256(intent.signature);
            (uint256 set, uint256 end) = (attestation.setNumber, attestation.validUntil);
            bytes32 structHash = keccak256(
                abi.encode(INTENT_RELEASE_TYPEHASH, id, transferId, fee, signatureHash, set, end)
            );
            _verify(attestation, flags, structHash);
        }
        if (fee >= intent.amount) revert FeeAboveAmount(fee, intent.amount);
        uint256 amount = intent.amount - fee;
        _markPaid(id);
        _markPaid(transferId);
        uint256 balance = IERC20(xcn).balanceOf(address(this));
        (SkipReason reason, TokenState state) = _decide(xcn, amount, fee, balance);
        if (reason != SkipReason.None) _revertSkip(reason, id, xcn, intent.amount);
        _payOut(flags, id, xcn, intent.recipient, amount, fee, state, balance);
    }

    // -------------------------------------------------------------------------------------------------- Fees

    /// @inheritdoc IBridgeLock
    function collectFees(address token) external nonReentrant returns (uint256 amount) {
        amount = feesAccrued(token);
        if (amount == 0) revert NothingToPay();
        TokenState state = _tokens[token];
        uint256 reserved = state.reserved() - amount;
        _tokens[token] = state.withReserved(reserved);
        _pay(token, treasury, amount);
        // When a token took balance away, credits come before fees.
        if (_balance(token) < reserved) revert InsufficientCollateral(token);
        emit FeesCollected(token, amount);
    }

    /// @inheritdoc IBridgeLock
    function setTreasury(address newTreasury) external onlyOwner {
        _setTreasury(newTreasury);
    }

    // ------------------------------------------------------------------------------------------------- Views

    /// @inheritdoc IBridgeLock
    function isReleased(uint256 withdrawNonce) external view returns (bool) {
        return _isDelivered(withdrawNonce);
    }

    /// @inheritdoc IBridgeLock
    function isIntentReleased(bytes32 id) external view returns (bool) {
        return _paid[id];
    }

    /// @inheritdoc IBridgeLock
    function locked(address token) external view returns (uint256) {
        return _free(token);
    }

    /// @inheritdoc IBridgeLock
    function depositNonce() external view returns (uint256) {
        return _state.nonce;
    }

    /// @inheritdoc IBridgeLock
    function depositsPaused() external view returns (bool) {
        return _areBeginningsPaused();
    }

    /// @inheritdoc IBridgeLock
    function releasesPaused() external view returns (bool) {
        return _areDeliveriesPaused();
    }

    /// @inheritdoc IBridgeLock
    function feesAccrued(address token) public view returns (uint256) {
        return _tokens[token].reserved() - totalClaimable[token];
    }

    // --------------------------------------------------------------------------------------------- Internals

    function _handOverToken(address token, address successor, uint256 amount) internal override {
        if (amount == 0) revert ZeroAmount();
        _pay(token, successor, amount);
    }

    /// @dev The treasury holds no other role either.
    function _holdsRoleButAttester(address account) internal view override returns (bool) {
        return super._holdsRoleButAttester(account) || account == treasury;
    }

    /// @dev Reverts unless deposits of this ERC-20 and amount may begin.
    function _checkDeposit(address token, uint256 amount) private view {
        if (token == NATIVE) revert TokenNotAllowed(token);
        _checkAmount(token, amount);
    }

    /// @dev Reverts unless deposits of the token and amount may begin. One storage read.
    function _checkAmount(address token, uint256 amount) private view {
        TokenState state = _tokens[token];
        if (!state.mayBegin()) revert TokenNotAllowed(token);
        if (amount == 0) revert ZeroAmount();
        uint256 maximum = state.maxAmount();
        if (amount > maximum) revert AboveMaximum(amount, maximum);
        uint256 granularity = state.granularity();
        if (amount % granularity != 0) revert Dust(amount, granularity);
    }

    function _depositFrom(address token, uint256 amount, address recipient) private returns (bytes32) {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        return _emitReceived(token, msg.sender, recipient, amount, before);
    }

    /// @dev Emits the deposit of an ERC-20. Reverts when another amount than asked for arrived.
    function _emitReceived(
        address token,
        address sender,
        address recipient,
        uint256 amount,
        uint256 before
    ) private returns (bytes32) {
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        if (received != amount) revert AmountMismatch(amount, received);
        return _emitDeposit(token, sender, recipient, amount);
    }

    function _emitDeposit(
        address token,
        address sender,
        address recipient,
        uint256 amount
    ) private returns (bytes32 depositId) {
        uint256 nonce;
        (depositId, nonce, ) = _begin(token, recipient);
        emit Deposit(depositId, token, sender, recipient, amount, nonce);
    }

    /// @dev The EIP-712 digest of an intent, in the domain of BridgeMint on the partner chain.
    function _intentIdOf(Intent calldata intent) private view returns (bytes32) {
        bytes32 structHash = keccak256(
            abi.encode(
                INTENT_TYPEHASH,
                intent.sender,
                intent.recipient,
                intent.amount,
                intent.deadline,
                intent.nonceHash
            )
        );
        return TypedData.digestOf(peerChainId, peer, structHash);
    }

    /// @dev Decides on a release, marks its number and pays it. A skip writes nothing. Returns the balance left.
    function _release(
        uint256 flags,
        uint256 withdrawNonce,
        address token,
        address recipient,
        uint256 amount,
        uint256 fee,
        uint256 balance
    ) private returns (SkipReason reason, uint256 left) {
        (uint256 word, bool isDelivered) = _readDelivered(withdrawNonce);
        if (isDelivered) return (SkipReason.AlreadyDelivered, balance);
        TokenState state;
        (reason, state) = _decide(token, amount, fee, balance);
        if (reason != SkipReason.None) return (reason, balance);
        _markDelivered(withdrawNonce, word);
        left = _payOut(flags, _peerId(withdrawNonce), token, recipient, amount, fee, state, balance);
    }

    /// @dev Whether a release can be paid now, and the token's state that counts it. Writes nothing.
    function _decide(
        address token,
        uint256 amount,
        uint256 fee,
        uint256 balance
    ) private view returns (SkipReason reason, TokenState state) {
        (reason, state) = _count(token, amount, fee);
        if (reason != SkipReason.None) return (reason, state);
        // No overflow: both are below 2^96, the amount because the limit has room for it.
        unchecked {
            if (balance < amount + state.reserved()) reason = SkipReason.FundsShort;
        }
    }

    /// @dev Writes the counted state and pays, or credits a payment that is not received. Returns the balance left.
    function _payOut(
        uint256 flags,
        bytes32 id,
        address token,
        address recipient,
        uint256 amount,
        uint256 fee,
        TokenState state,
        uint256 balance
    ) private returns (uint256 left) {
        _tokens[token] = state;
        emit Release(id, token, recipient, amount, fee);
        bool received = _canBePaid(token, recipient, msg.sender, flags);
        if (token == NATIVE) {
            received = received && _trySendNative(recipient, amount);
            // The recipient may have sent coin back.
            left = address(this).balance;
        } else {
            received = received && IERC20(token).trySafeTransfer(recipient, amount);
            left = IERC20(token).balanceOf(address(this));
            if (received) _checkPaid(balance, amount, left);
            else if (left < balance) revert BalanceMismatch(balance, left);
        }
        if (!received) _credit(id, token, recipient, amount);
    }

    function _setTreasury(address newTreasury) private {
        _requireRecipient(newTreasury);
        treasury = newTreasury;
        emit TreasurySet(newTreasury);
    }
}
