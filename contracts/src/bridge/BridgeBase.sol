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

/// @title The base of BridgeLock and BridgeMint
/// @notice Beginnings, checks of deliveries, replay protection, credits and attestations.
abstract contract BridgeBase is IBridgeBase, BridgeTokens, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    // ------------------------------------------------------------------------------------------------- State

    /// @dev Gas for a recipient of the native coin. One that needs more is credited.
    uint256 internal constant DELIVERY_GAS = 50_000;
    /// @dev Gas that must remain beside the recipient's share, to credit a refused payment.
    uint256 private constant CREDIT_GAS = 50_000;
    /// @dev Bits of the bitmap that a batch returns.
    uint256 private constant MAX_PAYMENTS = 256;
    bytes32 private constant PAYMENTS_TYPEHASH = keccak256(
        "Payments(bytes32 payments,uint256 attesterSet,uint256 validUntil)"
    );

    /// @inheritdoc IBridgeBase
    uint256 public immutable peerChainId;
    /// @inheritdoc IBridgeBase
    address public immutable peer;

    mapping(uint256 word => uint256 bits) private _delivered;
    /// @dev BridgeLock: released intents and the transfers that paid them. BridgeMint: paid refunds.
    mapping(bytes32 id => bool) internal _paid;
    /// @dev How often a word of numbers, or an id, was reopened.
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

    /// @dev Begins an operation. Returns its id and number, and the relayer. Reverts while paused, or when the
    /// recipient would lose the funds on the other chain.
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
        // There are never 2^56 operations.
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

    /// @dev As _checkRelayer, for functions that deliver one operation. With a threshold the relayer sends a batch of
    /// one: an attestation parameter or overload would change these functions for every integrator.
    function _checkRelayerAlone() internal view returns (uint256 flags) {
        flags = _checkRelayer();
        if (flags & THRESHOLD != 0) revert AttestationRequired(flags & THRESHOLD);
    }

    /// @dev Reverts unless the relayer calls with the consent of the attesters to all payments. `place` and `size` are
    /// the offset and length of the payments in the call data.
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

    /// @dev Reverts unless exactly as many attesters as the threshold signed the EIP-712 struct with this hash.
    function _verify(Attestation calldata attestation, uint256 flags, bytes32 structHash) internal view {
        bytes32 digest = TypedData.digestOf(block.chainid, address(this), structHash);
        Attestations.verify(attestation, _attesterSet, flags & THRESHOLD, digest);
    }

    /// @dev Reads the state of a token, and counts an outflow and a fee in a copy. Writes nothing.
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

    /// @dev Reverts with the error of a skip reason: a single delivery is paid or reverts.
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

    /// @dev Whether the other contract's operation with this number was delivered here.
    function _isDelivered(uint256 nonce) internal view returns (bool) {
        return _delivered[nonce >> 8] & _bitOf(nonce) != 0;
    }

    /// @dev The bitmap word of a number, for _markDelivered, and whether the number is delivered.
    function _readDelivered(uint256 nonce) internal view returns (uint256 word, bool isDelivered) {
        word = _delivered[nonce >> 8];
        isDelivered = word & _bitOf(nonce) != 0;
    }

    /// @dev Marks a number of the other contract as delivered.
    function _markDelivered(uint256 nonce, uint256 word) internal {
        _delivered[nonce >> 8] = word | _bitOf(nonce);
    }

    /// @dev Marks an intent or a transfer as paid. Reverts when it already is.
    function _markPaid(bytes32 id) internal {
        if (_paid[id]) revert AlreadyDelivered(id);
        _paid[id] = true;
    }

    /// @dev Counts a reopening. A call that is announced twice reverts the second time, since it names how often the
    /// key was reopened before.
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

    /// @dev Whether a delivery can pay an account: not zero, a bridge contract, a listed token or the relayer.
    function _canBePaid(
        address token,
        address account,
        address currentRelayer,
        uint256 flags
    ) internal view returns (bool) {
        (address peer_, address token0, address token1, address token2) = (peer, _token0, _token1, _token2);
        bool isNever;
        // Eight jumps would add 100 gas to every operation.
        assembly ("memory-safe") {
            isNever := or(
                or(or(iszero(account), eq(account, address())), or(eq(account, peer_), eq(account, token))),
                or(or(eq(account, token0), eq(account, token1)), or(eq(account, token2), eq(account, currentRelayer)))
            )
        }
        if (isNever) return false;
        return flags & MORE_TOKENS == 0 || !_tokens[account].isListed();
    }

    /// @dev Whether an account can claim a token or be refunded. Unlike a delivery, this excludes former relayer
    /// wallets too: a stolen key must not claim.
    function _canClaim(address token, address account) internal view returns (bool) {
        return !isRelayerWallet[account] && _canBePaid(token, account, _state.relayer, _state.flags);
    }

    /// @dev Reverts unless the account holds no role and can be paid by a claim.
    function _requireRecipient(address account) internal view {
        _requireFree(account);
        if (!_canClaim(NATIVE, account)) revert InvalidRecipient(account);
    }

    /// @dev Credits a payment that its recipient did not receive.
    function _credit(bytes32 id, address token, address recipient, uint256 amount) internal {
        claimable[token][recipient] += amount;
        totalClaimable[token] += amount;
        _tokens[token] = _reserve(_tokens[token], amount);
        emit Credited(id, token, recipient, amount);
    }

    /// @dev Sends native coin with bounded gas, ignores the returned data, and returns false when refused. Reverts when
    /// too little gas is left for the recipient's full share and a credit. EIP-150 alone does not ensure that: with
    /// warm slots, 1/64 of the gas can be enough for the credit.
    function _trySendNative(address to, uint256 value) internal returns (bool success) {
        uint256 share = _deliveryGas(to);
        uint256 required = share + share / 63 + CREDIT_GAS;
        if (gasleft() < required) revert InsufficientGas(gasleft(), required);
        assembly ("memory-safe") {
            success := call(share, to, value, 0, 0, 0, 0)
        }
    }

    /// @dev Gas for the recipient of a native delivery.
    function _deliveryGas(address) internal view virtual returns (uint256) {
        return DELIVERY_GAS;
    }

    /// @dev Sends native coin with all remaining gas, or reverts.
    function _sendNative(address to, uint256 value) internal {
        (bool success, ) = to.call{value: value}("");
        if (!success) revert NativeTransferFailed(to);
    }

    /// @dev Pays a claim, fees or a hand-over. Reverts when the transfer fails or the token takes another amount.
    function _pay(address token, address to, uint256 amount) internal {
        if (token == NATIVE) return _sendNative(to, _toValue(amount));
        uint256 balance = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransfer(to, amount);
        _checkPaid(balance, amount, IERC20(token).balanceOf(address(this)));
    }

    /// @dev Reverts when a token took more than the amount, which others would pay, or nothing, when the recipient got
    /// nothing. Taking less is a gift to this contract, and must not stop a batch.
    function _checkPaid(uint256 balance, uint256 amount, uint256 left) internal pure {
        // Accepts 1 to `amount` taken. Nothing taken, or a gain, wraps around to a large number.
        unchecked {
            if (balance - left - 1 >= amount) revert BalanceMismatch(balance - amount, left);
        }
    }

    /// @dev The balance of a token in atomic units.
    function _balance(address token) internal view returns (uint256) {
        return token == NATIVE ? _fromValue(address(this).balance) : IERC20(token).balanceOf(address(this));
    }

    /// @dev The balance of a token less credits and fees; 0 when a token took balance away.
    function _free(address token) internal view returns (uint256) {
        (uint256 balance, uint256 reserved) = (_balance(token), _tokens[token].reserved());
        return balance > reserved ? balance - reserved : 0;
    }

    /// @dev Converts atomic units of the native coin to units of msg.value.
    function _toValue(uint256 amount) internal view virtual returns (uint256) {
        return amount;
    }

    /// @dev Converts units of msg.value to atomic units of the native coin.
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
