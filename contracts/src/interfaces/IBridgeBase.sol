// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The common part of BridgeLock and BridgeMint for users and the relayer
/// @notice Deliveries, skips, credits and attestations. IBridgeGovernance has the keys and settings.
/// @dev The native coin is address(0). Every operation has the id
/// keccak256(abi.encode(origin chain id, origin contract, nonce)); intents have their EIP-712 digest.
/// An operation begins at its origin (deposit, burn, withdrawNative) and is delivered on the other chain (release,
/// mint).
interface IBridgeBase {
    // ------------------------------------------------------------------------------------------------- Types

    /// @notice The reason why a batch left out an item. The number of a skipped item stays free.
    /// @dev None: paid. AlreadyDelivered: the number was delivered before. NotDeliverable: the asset is not listed for
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
    /// @dev The signatures are over the EIP-712 digest of the type of the call (see each function), in the domain
    /// { name: "Causeway", version: "1", chainId: this chain, verifyingContract: this contract }.
    /// @param setNumber Number of the attester set.
    /// @param validUntil Unix seconds, at most 10 minutes ahead of the block.
    /// @param attesters The whole set, as `attesters` returns it.
    /// @param signatures As many as the threshold, in the order of the set.
    struct Attestation {
        uint256 setNumber;
        uint256 validUntil;
        address[] attesters;
        CompactSignature[] signatures;
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A batch left out an item: nothing of it was written.
    /// @param nonce Number of the operation at its origin.
    /// @param reason The reason.
    event Skipped(uint256 indexed nonce, SkipReason reason);

    /// @notice A delivery or refund was not received and can be claimed.
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
    /// @param to The account that may claim it now.
    /// @param amount Atomic units.
    event CreditRedirected(address indexed token, address indexed account, address indexed to, uint256 amount);

    /// @notice Native coin was added: collateral of BridgeLock, float of BridgeMint.
    /// @param sender The payer.
    /// @param amount Atomic units.
    event ToppedUp(address indexed sender, uint256 amount);

    /// @notice Numbers of the other contract count as not delivered again.
    /// @param word The numbers are this times 256, and the 255 after it.
    /// @param mask A bit for each opened number, the lowest for the first.
    /// @param count How often the word was opened before.
    event Reopened(uint256 indexed word, uint256 mask, uint256 count);

    /// @notice An intent or a refund counts as not paid again.
    /// @param id Id of the intent or refund.
    /// @param count How often it was opened before.
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
    /// @notice Deliveries run: nothing is opened again beside them.
    error DeliveriesNotPaused();
    /// @notice Not all of these numbers are delivered, or the id is not paid: there is nothing to open.
    /// @param key The word, or the id.
    error NotUsedUp(bytes32 key);
    /// @notice The word or id was opened more often, or less.
    /// @param key The word, or the id.
    /// @param count The count of the call.
    /// @param current How often it was opened.
    error ReopeningMismatch(bytes32 key, uint256 count, uint256 current);
    /// @notice The amount has a remainder that cannot exist on the other side.
    /// @param amount Atomic units asked for.
    /// @param granularity It must be a multiple of this many.
    error Dust(uint256 amount, uint256 granularity);
    /// @notice The amount is above the maximum of an operation.
    /// @param amount Atomic units asked for.
    /// @param maximum Atomic units that it may be at most.
    error AboveMaximum(uint256 amount, uint256 maximum);
    /// @notice This recipient would lose the funds: zero, a contract of the bridge, a relayer wallet or a listed token.
    /// @param recipient The recipient that was given.
    error InvalidRecipient(address recipient);
    /// @notice The operation was delivered before.
    /// @param id Id of the operation.
    error AlreadyDelivered(bytes32 id);
    /// @notice More than the outflow limit has room for now.
    /// @param room Atomic units that may leave now.
    /// @param asked Atomic units that would have left, the fee included.
    error OutflowLimitExceeded(uint256 room, uint256 asked);
    /// @notice Fees and credits of a token reach 2^96 atomic units: collect and claim first.
    error ReserveOverflow();
    /// @notice The contract does not hold what it would pay and owes to others.
    /// @param token Token; address(0) is the native coin.
    error InsufficientCollateral(address token);
    /// @notice The token moved another amount than asked.
    /// @param expected Atomic units asked for.
    /// @param received Atomic units that the balance rose by.
    error AmountMismatch(uint256 expected, uint256 received);
    /// @notice After a payment the contract held another balance of the token than it should.
    /// @param expected Atomic units that should be left.
    /// @param found Atomic units that are left.
    error BalanceMismatch(uint256 expected, uint256 found);
    /// @notice Nothing to claim, redirect or collect.
    error NothingToPay();
    /// @notice The native coin did not arrive.
    /// @param to The account that refused it.
    error NativeTransferFailed(address to);
    /// @notice Too little gas for a delivery of native coin: the recipient's share, a 63rd of it, and a credit.
    /// @param available Gas that is left.
    /// @param required Gas that must be left.
    error InsufficientGas(uint256 available, uint256 required);
    /// @notice A batch has more than 256 items.
    /// @param count Number of items.
    error TooManyPayments(uint256 count);
    /// @notice The account can claim its credit, so it is not redirected.
    /// @param account The account.
    error CreditNotRedirectable(address account);

    /// @notice The threshold is above 0: use the function that takes an attestation (a batch of one, for one item).
    /// @param threshold Signatures that a call needs.
    error AttestationRequired(uint256 threshold);
    /// @notice The attestation names another set than the current one.
    /// @param setNumber Number that it names.
    error UnknownAttesterSet(uint256 setNumber);
    /// @notice An attestation carries exactly as many signatures as the threshold.
    /// @param given Signatures given.
    /// @param threshold Signatures needed.
    error WrongSignatureCount(uint256 given, uint256 threshold);
    /// @notice A signer is not in the set, signed twice, or stands out of the order of the set.
    /// @param signer Recovered address.
    error NotAttester(address signer);
    /// @notice The attestation has ended.
    /// @param validUntil Unix seconds.
    error AttestationExpired(uint256 validUntil);
    /// @notice The attestation would hold for longer than 10 minutes.
    /// @param validUntil Unix seconds.
    error AttestationTooLong(uint256 validUntil);

    // --------------------------------------------------------------------------------------------- Functions

    /// @notice Sends the caller's credit of a token to an address of its choice.
    /// @dev Anyone with a credit, also while paused, but no relayer wallet. Reverts with NothingToPay, InvalidRecipient
    /// (the caller or `to` can never receive), BalanceMismatch, NativeTransferFailed, and as the token does.
    /// @param token Token; address(0) is the native coin.
    /// @param to Receiver.
    /// @return amount Atomic units sent.
    function claim(address token, address to) external returns (uint256 amount);

    /// @notice Tries again to send a credit to its account, this time with all the gas there is.
    /// @dev Anyone, also while paused: for accounts that cannot call claim themselves. Reverts as claim.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that has the credit.
    /// @return amount Atomic units sent.
    function claimFor(address token, address account) external returns (uint256 amount);

    /// @notice Moves the credit of an account that can never receive (a contract of the bridge, a listed token, a
    /// relayer wallet) to another account, which may then claim it.
    /// @dev Admin only. Reverts with CreditNotRedirectable, InvalidRecipient, NothingToPay.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account that has the credit.
    /// @param to The account that gets it.
    /// @return amount Atomic units moved.
    function redirectCredit(address token, address account, address to) external returns (uint256 amount);

    /// @notice Opens numbers again that a stolen relayer used up, so that they can be delivered.
    /// @dev Admin only, while deliveries are paused. Reverts with DeliveriesNotPaused, ReopeningMismatch, NotUsedUp.
    /// @param word The numbers are this times 256, and the 255 after it.
    /// @param mask A bit for each number to open, the lowest for the first; each is delivered.
    /// @param count How often the word was opened before, as its last Reopened says: a call that was announced twice
    /// opens once.
    function reopen(uint256 word, uint256 mask, uint256 count) external;

    /// @notice Opens intents and their transfers (BridgeLock) or refunds (BridgeMint) again that a stolen relayer used
    /// up.
    /// @dev Admin only, while deliveries are paused. Reverts with DeliveriesNotPaused, ReopeningMismatch, NotUsedUp.
    /// @param ids Ids; each is paid.
    /// @param counts For each id, how often it was opened before. As many as ids.
    function reopenIds(bytes32[] calldata ids, uint256[] calldata counts) external;

    /// @notice Adds the coin sent along: collateral of BridgeLock, float of BridgeMint.
    /// @dev Anyone, also while paused. Reverts with ZeroAmount.
    function topUp() external payable;

    /// @notice Chain id of the other contract.
    /// @return The chain id.
    function peerChainId() external view returns (uint256);

    /// @notice The bridge contract on the other chain.
    /// @return Its address.
    function peer() external view returns (address);

    /// @notice How much of a token may leave now, fees included.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function outflowRoom(address token) external view returns (uint256);

    /// @notice The credit of an account in a token, since a delivery to it was not received.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account.
    /// @return Atomic units.
    function claimable(address token, address account) external view returns (uint256);

    /// @notice Sum of all claimable credits of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function totalClaimable(address token) external view returns (uint256);
}
