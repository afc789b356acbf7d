// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The functions that BridgeLock and BridgeMint share, for users and the relayer
/// @notice Deliveries, skips, credits and attestations. IBridgeGovernance has the keys and settings.
/// @dev The native coin is address(0). Every operation has the id keccak256(abi.encode(origin chain id, origin
/// contract, nonce)); the id of an intent is its EIP-712 digest. An operation begins at its origin (deposit, burn,
/// withdrawNative) and is delivered on the other chain (release, mint).
interface IBridgeBase {
    // ------------------------------------------------------------------------------------------------- Types

    /// @notice Why a batch skipped an item. A skip does not use up the item's number.
    /// @dev None: paid. AlreadyDelivered: the number is already delivered. NotDeliverable: the asset is not listed for
    /// deliveries. OverLimit: the outflow limit has no room now. FundsShort: collateral (BridgeLock) or float
    /// (BridgeMint) does not cover the item.
    enum SkipReason {
        None,
        AlreadyDelivered,
        NotDeliverable,
        OverLimit,
        FundsShort
    }

    /// @notice An ECDSA signature in the compact form of ERC-2098.
    /// @param r First word.
    /// @param yParityAndS Second word: s in the lower 255 bits, the parity of y in the highest bit.
    struct CompactSignature {
        bytes32 r;
        bytes32 yParityAndS;
    }

    /// @notice The attesters' consent to a call. Ignored, and best empty, while the threshold is 0.
    /// @dev Attesters sign the EIP-712 digest of the call's type (see each function) in the domain { name: "Causeway",
    /// version: "1", chainId: this chain, verifyingContract: this contract }.
    /// @param setNumber Number of the attester set.
    /// @param validUntil Unix seconds, at most 10 minutes after the block's timestamp.
    /// @param attesters The whole set, as `attesters` returns it.
    /// @param signatures Exactly as many as the threshold, in the order of the set.
    struct Attestation {
        uint256 setNumber;
        uint256 validUntil;
        address[] attesters;
        CompactSignature[] signatures;
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A batch skipped an item and wrote nothing for it.
    /// @param nonce Number of the operation at its origin.
    /// @param reason The reason.
    event Skipped(uint256 indexed nonce, SkipReason reason);

    /// @notice The recipient did not receive a delivery or refund, and can claim it.
    /// @param id Id of the operation, or of the refund.
    /// @param token Token; address(0) is the native coin.
    /// @param recipient The account that may claim.
    /// @param amount Atomic units.
    event Credited(bytes32 indexed id, address indexed token, address indexed recipient, uint256 amount);

    /// @notice A credit was claimed.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that had the credit.
    /// @param to Receiver.
    /// @param amount Atomic units.
    event Claimed(address indexed token, address indexed account, address to, uint256 amount);

    /// @notice The admin moved a credit from an account that can never receive.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that had the credit.
    /// @param to The account that can claim it.
    /// @param amount Atomic units.
    event CreditRedirected(address indexed token, address indexed account, address indexed to, uint256 amount);

    /// @notice Native coin was added to the collateral of BridgeLock or the float of BridgeMint.
    /// @param sender The payer.
    /// @param amount Atomic units.
    event ToppedUp(address indexed sender, uint256 amount);

    /// @notice The admin made delivered numbers of the other contract deliverable again.
    /// @param word Word of the bitmap: the numbers from word * 256 to word * 256 + 255.
    /// @param mask One bit for each reopened number, the lowest bit for the first.
    /// @param count How often the word was reopened before.
    event Reopened(uint256 indexed word, uint256 mask, uint256 count);

    /// @notice The admin made a paid intent, transfer or refund payable again.
    /// @param id Id of the intent, transfer or refund.
    /// @param count How often it was reopened before.
    event IdReopened(bytes32 indexed id, uint256 count);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The caller is not the relayer.
    /// @param caller The caller.
    error NotRelayer(address caller);
    /// @notice The direction is paused.
    error Paused();
    /// @notice The token is not listed for this direction, or this function does not serve the native coin.
    /// @param token Token; address(0) is the native coin.
    error TokenNotAllowed(address token);
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice Reopening requires paused deliveries.
    error DeliveriesNotPaused();
    /// @notice The mask is 0 or has a number that is not delivered, or the id is not paid.
    /// @param key The word, or the id.
    error NotUsedUp(bytes32 key);
    /// @notice The count in the call is not how often the word or id was reopened.
    /// @param key The word, or the id.
    /// @param count The count in the call.
    /// @param current How often it was reopened.
    error ReopeningMismatch(bytes32 key, uint256 count, uint256 current);
    /// @notice The amount is not a multiple of the smallest unit that both chains can represent.
    /// @param amount Atomic units asked for.
    /// @param granularity Atomic units of which the amount must be a multiple.
    error Dust(uint256 amount, uint256 granularity);
    /// @notice The amount is above the maximum of an operation.
    /// @param amount Atomic units asked for.
    /// @param maximum The maximum in atomic units.
    error AboveMaximum(uint256 amount, uint256 maximum);
    /// @notice The recipient would lose the funds: it is zero, a contract of the bridge, a relayer wallet or a listed
    /// token.
    /// @param recipient The recipient.
    error InvalidRecipient(address recipient);
    /// @notice The operation is already delivered.
    /// @param id Id of the operation.
    error AlreadyDelivered(bytes32 id);
    /// @notice The outflow limit has no room for the amount now.
    /// @param room Atomic units that may leave now.
    /// @param asked Atomic units asked for, fee included.
    error OutflowLimitExceeded(uint256 room, uint256 asked);
    /// @notice Fees and credits of a token would reach 2^96 atomic units; collect and claim first.
    error ReserveOverflow();
    /// @notice The balance does not cover the payment together with credits and fees.
    /// @param token Token; address(0) is the native coin.
    error InsufficientCollateral(address token);
    /// @notice The token moved a different amount than asked for.
    /// @param expected Atomic units asked for.
    /// @param received Atomic units by which the balance rose.
    error AmountMismatch(uint256 expected, uint256 received);
    /// @notice After a payment, the contract's balance of the token is not the expected one.
    /// @param expected The balance expected, in atomic units.
    /// @param found The balance found, in atomic units.
    error BalanceMismatch(uint256 expected, uint256 found);
    /// @notice Nothing to claim, redirect or collect.
    error NothingToPay();
    /// @notice The recipient refused the native coin.
    /// @param to The recipient.
    error NativeTransferFailed(address to);
    /// @notice Too little gas to deliver native coin: the recipient's share, 1/63 of it, and the gas for a credit.
    /// @param available Gas that is left.
    /// @param required Gas that must be left.
    error InsufficientGas(uint256 available, uint256 required);
    /// @notice A batch has more than 256 items.
    /// @param count Number of items.
    error TooManyPayments(uint256 count);
    /// @notice The account can claim its credit, so the admin cannot redirect it.
    /// @param account The account.
    error CreditNotRedirectable(address account);

    /// @notice The threshold is above 0: use releaseMany or mintMany, with one item for a single payment.
    /// @param threshold Signatures that a call needs.
    error AttestationRequired(uint256 threshold);
    /// @notice The attestation's attester set is not the current one.
    /// @param setNumber Number of the set in the attestation.
    error UnknownAttesterSet(uint256 setNumber);
    /// @notice The number of signatures is not exactly the threshold.
    /// @param given Signatures given.
    /// @param threshold Signatures needed.
    error WrongSignatureCount(uint256 given, uint256 threshold);
    /// @notice A signer is not in the set, signed twice, or is out of order.
    /// @param signer Recovered address.
    error NotAttester(address signer);
    /// @notice The attestation has expired.
    /// @param validUntil Unix seconds.
    error AttestationExpired(uint256 validUntil);
    /// @notice The attestation would be valid for more than 10 minutes.
    /// @param validUntil Unix seconds.
    error AttestationTooLong(uint256 validUntil);

    // --------------------------------------------------------------------------------------------- Functions

    /// @notice Sends the caller's credit of a token to an address of its choice.
    /// @dev Anyone with a credit except relayer wallets, also while paused. Reverts with NothingToPay, InvalidRecipient
    /// (the caller or `to` can never receive), BalanceMismatch, NativeTransferFailed, and with the token's errors.
    /// @param token Token; address(0) is the native coin.
    /// @param to Receiver.
    /// @return amount Atomic units sent.
    function claim(address token, address to) external returns (uint256 amount);

    /// @notice Retries sending a credit to its account, with all remaining gas.
    /// @dev Anyone, also while paused: for accounts that cannot call claim themselves. Reverts like claim.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that has the credit.
    /// @return amount Atomic units sent.
    function claimFor(address token, address account) external returns (uint256 amount);

    /// @notice Moves the credit of an account that can never receive (a contract of the bridge, a listed token, a
    /// relayer wallet) to another account, which can then claim it.
    /// @dev Admin only. Reverts with CreditNotRedirectable, InvalidRecipient, NothingToPay.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that has the credit.
    /// @param to The account that gets it.
    /// @return amount Atomic units moved.
    function redirectCredit(address token, address account, address to) external returns (uint256 amount);

    /// @notice Reopens numbers that a stolen relayer key used up, so that they can be delivered.
    /// @dev Admin only, while deliveries are paused. Reverts with DeliveriesNotPaused, ReopeningMismatch, NotUsedUp.
    /// @param word Word of the bitmap: the numbers from word * 256 to word * 256 + 255.
    /// @param mask One bit for each number to reopen, the lowest bit for the first. Each number must be delivered.
    /// @param count How often the word was reopened before: one more than the count of its last Reopened event, or 0. A
    /// call that is announced twice therefore reopens once.
    function reopen(uint256 word, uint256 mask, uint256 count) external;

    /// @notice Reopens intents and their transfers (BridgeLock) or refunds (BridgeMint) that a stolen relayer key used
    /// up.
    /// @dev Admin only, while deliveries are paused. Reverts with DeliveriesNotPaused, ReopeningMismatch, NotUsedUp.
    /// @param ids The ids. Each must be paid.
    /// @param counts For each id, how often it was reopened before. As many as ids.
    function reopenIds(bytes32[] calldata ids, uint256[] calldata counts) external;

    /// @notice Adds the value sent to the collateral of BridgeLock or the float of BridgeMint.
    /// @dev Anyone, also while paused. Reverts with ZeroAmount.
    function topUp() external payable;

    /// @notice Chain id of the other contract.
    /// @return The chain id.
    function peerChainId() external view returns (uint256);

    /// @notice The bridge contract on the other chain.
    /// @return Its address.
    function peer() external view returns (address);

    /// @notice How much of a token can leave now, fees included.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function outflowRoom(address token) external view returns (uint256);

    /// @notice An account's credit in a token, from deliveries and refunds that it did not receive.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account.
    /// @return Atomic units.
    function claimable(address token, address account) external view returns (uint256);

    /// @notice Sum of all claimable credits of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function totalClaimable(address token) external view returns (uint256);
}
