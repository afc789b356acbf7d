// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IBridgeBase} from "../interfaces/IBridgeBase.sol";
import {Attestations} from "../libraries/Attestations.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {TokenState} from "../libraries/TokenState.sol";
import {BridgeTokens} from "./BridgeTokens.sol";

/// @title The common part of BridgeLock and BridgeMint
/// @notice How an operation begins, what a delivery needs, replay protection, credits and attestations.
abstract contract BridgeBase is IBridgeBase, BridgeTokens, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    // ------------------------------------------------------------------------------------------------- State

    /// @dev Gas that a recipient of the native coin gets; one that needs more is credited.
    uint256 internal constant DELIVERY_GAS = 50_000;
    /// @dev Gas that must be left beside a recipient's share, so that a refusal can be credited.
    uint256 private constant CREDIT_GAS = 50_000;
    /// @dev The bitmap of a batch has as many bits.
    uint256 private constant MAX_PAYMENTS = 256;
    bytes32 private constant PAYMENTS_TYPEHASH = keccak256(
        "Payments(bytes32 payments,uint256 attesterSet,uint256 validUntil)"
    );

    /// @inheritdoc IBridgeBase
    uint256 public immutable peerChainId;
    /// @inheritdoc IBridgeBase
    address public immutable peer;

    mapping(uint256 word => uint256 bits) private _delivered;
    /// @dev Intents here that were released, and the transfers that paid them; or refunds that were paid.
    mapping(bytes32 id => bool) internal _paid;
    /// @dev How often a word of numbers, or an id, was opened again.
    mapping(bytes32 key => uint256) private _reopenings;

    /// @inheritdoc IBridgeBase
    mapping(address token => mapping(address account => uint256)) public claimable;
    /// @inheritdoc IBridgeBase
    mapping(address token => uint256) public totalClaimable;

    constructor(Setup memory setup, TokenSetup[] memory tokens) BridgeTokens(setup, tokens) {
        if (setup.peer == address(0)) revert ZeroAddress();
        if (setup.peerChainId == block.chainid) revert PeerOnSameChain(block.chainid);
        peerChainId = setup.peerChainId;
        peer = setup.peer;
    }

    // ----------------------------------------------------------------------------------------------- Credits

    /// @inheritdoc IBridgeBase
    function claim(address token, address to) external nonReentrant returns (uint256) {
        if (!_canClaim(token, to)) revert InvalidRecipient(to);
        return _claim(token, msg.sender, to);
    }

    /// @inheritdoc IBridgeBase
    function claimFor(address token, address account) external nonReentrant returns (uint256) {
        return _claim(token, account, account);
    }

    /// @inheritdoc IBridgeBase
    function redirectCredit(address token, address account, address to) external onlyOwner returns (uint256 amount) {
        if (_canClaim(token, account)) revert CreditNotRedirectable(account);
        if (!_canClaim(token, to)) revert InvalidRecipient(to);
        amount = claimable[token][account];
        if (amount == 0) revert NothingToPay();
        claimable[token][account] = 0;
        claimable[token][to] += amount;
        emit CreditRedirected(token, account, to, amount);
    }

    /// @inheritdoc IBridgeBase
    function topUp() external payable {
        if (msg.value == 0) revert ZeroAmount();
        emit ToppedUp(msg.sender, _fromValue(msg.value));
    }

    /// @inheritdoc IBridgeBase
    function outflowRoom(address token) external view returns (uint256) {
        return _tokens[token].room();
    }

    // --------------------------------------------------------------------------------------------- Reopening

    /// @inheritdoc IBridgeBase
    function reopen(uint256 word, uint256 mask, uint256 count) external onlyOwner {
        _countReopening(bytes32(word), count);
        uint256 bits = _delivered[word];
        if (mask == 0 || bits & mask != mask) revert NotUsedUp(bytes32(word));
        _delivered[word] = bits & ~mask;
        emit Reopened(word, mask, count);
    }

    /// @inheritdoc IBridgeBase
    function reopenIds(bytes32[] calldata ids, uint256[] calldata counts) external onlyOwner {
        for (uint256 i = 0; i < ids.length; ++i) {
            _countReopening(ids[i], counts[i]);
            if (!_paid[ids[i]]) revert NotUsedUp(ids[i]);
            _paid[ids[i]] = false;
            emit IdReopened(ids[i], counts[i]);
        }
    }

    // -------------------------------------------------------------------------------------------- Beginnings

    /// @dev Number and id of a new operation here, and the relayer. Reverts while paused, or when the recipient would
    /// lose the funds on the other side.
    function _begin(
        address token,
        address recipient
    ) internal returns (bytes32 id, uint256 nonce, address currentRelayer) {
        State storage state = _state;
        uint256 flags;
        uint256 pausedUntil;
        // Read together, so that the compiler reads the slot once.
        (nonce, currentRelayer, flags, pausedUntil) = (
            state.nonce,
            state.relayer,
            state.flags,
            state.beginningsPausedUntil
        );
        if (block.timestamp < pausedUntil) revert Paused();
        if (!_canBePaid(token, recipient, currentRelayer, flags)) revert InvalidRecipient(recipient);
        // 2^56 operations do not happen.
        unchecked {
            state.nonce = uint56(nonce + 1);
        }
        id = _operationId(block.chainid, address(this), nonce);
    }

    // -------------------------------------------------------------------------------------------- Deliveries

    /// @dev Reverts unless the relayer calls and deliveries run. Returns the flags of the state.
    function _checkRelayer() internal view returns (uint256 flags) {
        State storage state = _state;
        address currentRelayer;
        (currentRelayer, flags) = (state.relayer, state.flags);
        if (msg.sender != currentRelayer) revert NotRelayer(msg.sender);
        if (flags & DELIVERIES_PAUSED != 0) revert Paused();
    }

    /// @dev As _checkRelayer, for the single functions of the specification. With a threshold the relayer sends a batch
    /// of one: overloads, or one more parameter, would change the specified functions for every integrator.
    function _checkRelayerAlone() internal view returns (uint256 flags) {
        flags = _checkRelayer();
        if (flags & THRESHOLD != 0) revert AttestationRequired(flags & THRESHOLD);
    }

    /// @dev Reverts unless the relayer calls with the consent of the attesters to all payments. `place` and `size` are
    /// where the payments stand in the call data.
    function _checkBatch(
        uint256 count,
        uint256 place,
        uint256 size,
        Attestation calldata attestation
    ) internal view returns (uint256 flags) {
        flags = _checkRelayer();
        if (count > MAX_PAYMENTS) revert TooManyPayments(count);
        if (flags & THRESHOLD == 0) return flags;
        bytes32 payments;
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, place, size)
            payments := keccak256(free, size)
        }
        (uint256 set, uint256 end) = (attestation.setNumber, attestation.validUntil);
        _verify(attestation, flags, keccak256(abi.encode(PAYMENTS_TYPEHASH, payments, set, end)));
    }

    /// @dev Reverts unless as many attesters as the threshold signed the EIP-712 struct with this hash.
    function _verify(Attestation calldata attestation, uint256 flags, bytes32 structHash) internal view {
        bytes32 digest = TypedData.digestOf(block.chainid, address(this), structHash);
        Attestations.verify(attestation, _attesterSet, flags & THRESHOLD, digest);
    }

    /// @dev Reads the state of a token and counts an outflow and a fee in the copy. Writes nothing.
    function _count(
        address token,
        uint256 amount,
        uint256 fee
    ) internal view returns (SkipReason reason, TokenState state) {
        if (amount == 0) revert ZeroAmount();
        state = _tokens[token];
        if (!state.mayDeliver()) return (SkipReason.NotDeliverable, state);
        bool hasRoom;
        (hasRoom, state) = state.count(amount + fee);
        if (!hasRoom) return (SkipReason.OverLimit, state);
        if (fee != 0) state = _reserve(state, fee);
    }

    /// @dev Adds fees or credits.
    function _reserve(TokenState state, uint256 amount) internal pure returns (TokenState) {
        uint256 reserved = state.reserved() + amount;
        if (reserved > type(uint96).max) revert ReserveOverflow();
        return state.withReserved(reserved);
    }

    /// @dev Reverts with the error of a skip's cause: a single delivery is paid, or fails.
    function _revertSkip(SkipReason reason, bytes32 id, address token, uint256 asked) internal view {
        if (reason == SkipReason.AlreadyDelivered) revert AlreadyDelivered(id);
        if (reason == SkipReason.NotDeliverable) revert TokenNotAllowed(token);
        if (reason == SkipReason.OverLimit) revert OutflowLimitExceeded(_tokens[token].room(), asked);
        revert InsufficientCollateral(token);
    }

    /// @dev Id of an operation that began at `origin` on `chainId`.
    function _operationId(uint256 chainId, address origin, uint256 nonce) internal pure returns (bytes32) {
        return keccak256(abi.encode(chainId, origin, nonce));
    }

    /// @dev Id of the other contract's operation with this number.
    function _peerId(uint256 nonce) internal view returns (bytes32) {
        return _operationId(peerChainId, peer, nonce);
    }

    /// @dev Whether the number of the other contract was delivered here.
    function _isDelivered(uint256 nonce) internal view returns (bool) {
        return _delivered[nonce >> 8] & _bitOf(nonce) != 0;
    }

    /// @dev The word of the bitmap that holds a number, to be marked once the delivery is decided.
    function _readDelivered(uint256 nonce) internal view returns (uint256 word, bool isDelivered) {
        word = _delivered[nonce >> 8];
        isDelivered = word & _bitOf(nonce) != 0;
    }

    /// @dev Marks a number of the other contract as delivered.
    function _markDelivered(uint256 nonce, uint256 word) internal {
        _delivered[nonce >> 8] = word | _bitOf(nonce);
    }

    /// @dev Marks an intent or a transfer, once.
    function _markPaid(bytes32 id) internal {
        if (_paid[id]) revert AlreadyDelivered(id);
        _paid[id] = true;
    }

    /// @dev A call that was announced twice opens once, since it names how often the word or id was opened before.
    function _countReopening(bytes32 key, uint256 count) private {
        if (!_areDeliveriesPaused()) revert DeliveriesNotPaused();
        uint256 current = _reopenings[key];
        if (count != current) revert ReopeningMismatch(key, count, current);
        _reopenings[key] = current + 1;
    }

    function _bitOf(uint256 nonce) private pure returns (uint256) {
        return 1 << (nonce & 0xff);
    }

    // ---------------------------------------------------------------------------------------------- Payments

    /// @dev Whether a delivery can pay an account. Not: zero, the bridge contracts, listed tokens, the relayer.
    function _canBePaid(
        address token,
        address account,
        address currentRelayer,
        uint256 flags
    ) internal view returns (bool) {
        (address peer_, address token0, address token1, address token2) = (peer, _token0, _token1, _token2);
        bool isNever;
        // Eight jumps would cost every operation 100 gas more.
        assembly ("memory-safe") {
            isNever := or(
                or(or(iszero(account), eq(account, address())), or(eq(account, peer_), eq(account, token))),
                or(or(eq(account, token0), eq(account, token1)), or(eq(account, token2), eq(account, currentRelayer)))
            )
        }
        if (isNever) return false;
        return flags & MORE_TOKENS == 0 || !_tokens[account].isListed();
    }

    /// @dev Whether an account can claim a token, or be refunded. Unlike a delivery, neither pays any relayer wallet,
    /// present or former: a stolen key must not claim.
    function _canClaim(address token, address account) internal view returns (bool) {
        return !isRelayerWallet[account] && _canBePaid(token, account, _state.relayer, _state.flags);
    }

    /// @dev Reverts unless the account holds no role and can be paid by a claim.
    function _requireRecipient(address account) internal view {
        _requireFree(account);
        if (!_canClaim(NATIVE, account)) revert InvalidRecipient(account);
    }

    /// @dev Keeps for its recipient what was not received.
    function _credit(bytes32 id, address token, address recipient, uint256 amount) internal {
        claimable[token][recipient] += amount;
        totalClaimable[token] += amount;
        _tokens[token] = _reserve(_tokens[token], amount);
        emit Credited(id, token, recipient, amount);
    }

    /// @dev Sends native coin with bounded gas and ignores the returned data; false when refused. The recipient gets
    /// its full share and a credit can be booked, or the whole call fails. EIP-150 alone does not ensure that: with
    /// warm slots a 64th of the gas may be enough for the credit.
    function _trySendNative(address to, uint256 value) internal returns (bool success) {
        uint256 share = _deliveryGas(to);
        uint256 required = share + share / 63 + CREDIT_GAS;
        if (gasleft() < required) revert InsufficientGas(gasleft(), required);
        assembly ("memory-safe") {
            success := call(share, to, value, 0, 0, 0, 0)
        }
    }

    /// @dev Gas that goes along with a delivery of native coin.
    function _deliveryGas(address) internal view virtual returns (uint256) {
        return DELIVERY_GAS;
    }

    /// @dev Sends native coin with all the gas there is, or reverts.
    function _sendNative(address to, uint256 value) internal {
        (bool success, ) = to.call{value: value}("");
        if (!success) revert NativeTransferFailed(to);
    }

    /// @dev Pays a claim or fees: reverts when it does not arrive, or when the token takes another amount.
    function _pay(address token, address to, uint256 amount) internal {
        if (token == NATIVE) return _sendNative(to, _toValue(amount));
        uint256 balance = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransfer(to, amount);
        _checkPaid(balance, amount, IERC20(token).balanceOf(address(this)));
    }

    /// @dev Reverts when a token took more than was paid, or nothing: then others would pay, or the recipient got none.
    /// More than the rest is a gift, and must not stop a batch.
    function _checkPaid(uint256 balance, uint256 amount, uint256 left) internal pure {
        // Between 1 and the amount was taken. Anything else wraps, or is too much.
        unchecked {
            if (balance - left - 1 >= amount) revert BalanceMismatch(balance - amount, left);
        }
    }

    /// @dev What the contract holds of a token.
    function _balance(address token) internal view returns (uint256) {
        return token == NATIVE ? _fromValue(address(this).balance) : IERC20(token).balanceOf(address(this));
    }

    /// @dev What the contract holds of a token beside credits and fees. A token may take balance away.
    function _free(address token) internal view returns (uint256) {
        (uint256 balance, uint256 reserved) = (_balance(token), _tokens[token].reserved());
        return balance > reserved ? balance - reserved : 0;
    }

    /// @dev Coin of this chain in units of msg.value.
    function _toValue(uint256 amount) internal view virtual returns (uint256) {
        return amount;
    }

    /// @dev Coin of this chain in atomic units.
    function _fromValue(uint256 value) internal view virtual returns (uint256) {
        return value;
    }

    function _claim(address token, address account, address to) private returns (uint256 amount) {
        if (!_canClaim(token, account)) revert InvalidRecipient(account);
        amount = claimable[token][account];
        if (amount == 0) revert NothingToPay();
        claimable[token][account] = 0;
        totalClaimable[token] -= amount;
        TokenState state = _tokens[token];
        _tokens[token] = state.withReserved(state.reserved() - amount);
        emit Claimed(token, account, to, amount);
        _pay(token, to, amount);
    }
}
