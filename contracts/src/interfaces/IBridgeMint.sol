// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "./IBridgeBase.sol";

/// @title BridgeMint for users and the relayer
/// @notice The partner-chain contract of the bridge: mints deposits and accepts withdrawals.
/// @dev Native XCN is address(0). Amounts of XCN have 18 decimals everywhere except in msg.value, which the partner
/// chain's EVM counts in units of `nativeUnit`. The coin that this contract holds is the float plus credits. The float
/// leaves through native mints, and to a successor.
interface IBridgeMint is IBridgeBase {
    // ------------------------------------------------------------------------------------------------- Types

    /// @notice A deposit to deliver.
    /// @param depositNonce Number in the Deposit event.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    struct Payment {
        uint256 depositNonce;
        address token;
        address recipient;
        uint256 amount;
    }

    /// @notice A transfer of native XCN to a relayer wallet.
    /// @param transferId The id that a refund of the transfer would have.
    /// @param amount 18-decimal units.
    struct SweptTransfer {
        bytes32 transferId;
        uint256 amount;
    }

    /// @notice The fee policy of a token, or the ceiling of a fee policy.
    /// @param bps Rate in basis points, below 10,000.
    /// @param minFee Minimum fee in atomic units.
    /// @param minAmount Minimum amount in atomic units, above minFee.
    struct FeePolicy {
        uint16 bps;
        uint96 minFee;
        uint96 minAmount;
    }

    /// @notice The initial fee policy of a token.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param policy Initial policy.
    /// @param ceiling Its bounds.
    struct FeeSetup {
        address token;
        FeePolicy policy;
        FeePolicy ceiling;
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A deposit was delivered.
    /// @param depositId Id of the operation, the same as in the Deposit event.
    /// @param token Token minted; address(0) is native XCN.
    /// @param recipient Receiver. When a Credited event with the same id follows, the receiver can claim the amount
    /// instead.
    /// @param amount Atomic units.
    event Mint(bytes32 indexed depositId, address indexed token, address indexed recipient, uint256 amount);

    /// @notice A withdrawal began; the relayer releases `amount - fee` to `destination` on Ethereum.
    /// @param withdrawId Id of the operation, the same in the Release event.
    /// @param token Bridged token; address(0) is native XCN, paid to this contract.
    /// @param sender The payer.
    /// @param destination Receiver on Ethereum.
    /// @param amount Atomic units paid in.
    /// @param fee Atomic units of the amount kept as fee, by the policy of this block.
    /// @param nonce Number of the withdrawal on this contract, from 0.
    event Withdraw(
        bytes32 indexed withdrawId,
        address indexed token,
        address indexed sender,
        address destination,
        uint256 amount,
        uint256 fee,
        uint256 nonce
    );

    /// @notice The fee policy of a token was set.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param bps Rate in basis points.
    /// @param minFee Minimum fee in atomic units.
    /// @param minAmount Minimum amount in atomic units.
    event FeePolicySet(address indexed token, uint16 bps, uint96 minFee, uint96 minAmount);

    /// @notice The bounds of a token's fee policy were set.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param bps Highest rate in basis points.
    /// @param minFee Highest minimum fee in atomic units.
    /// @param minAmount Highest minimum amount in atomic units.
    event FeeCeilingSet(address indexed token, uint16 bps, uint96 minFee, uint96 minAmount);

    /// @notice Bridged tokens that had been handed in were destroyed.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    event Retired(address indexed token, uint256 amount);

    /// @notice A refund was paid, or credited when a Credited event with the same id follows.
    /// @param refundId Id of the refund.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    event Refunded(bytes32 indexed refundId, address indexed token, address indexed recipient, uint256 amount);

    /// @notice Coin that paid an intent was added to the float.
    /// @param transferId The id that a refund of the transfer would have.
    /// @param amount 18-decimal units. Indexed, so that a search for a transfer's whole amount does not find events of
    /// the same id with an amount of 0.
    event Swept(bytes32 indexed transferId, uint256 indexed amount);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The amount is below the minimum of the token.
    /// @param amount Atomic units asked for.
    /// @param minimum The minimum in atomic units.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice The fee is higher than the caller accepts.
    /// @param fee Atomic units that the policy asks for.
    /// @param maximum Atomic units that the caller accepts.
    error FeeAboveMaximum(uint256 fee, uint256 maximum);
    /// @notice The rate is 100 % or more.
    /// @param bps Rate in basis points.
    error RateTooHigh(uint256 bps);
    /// @notice The minimum amount is not above the minimum fee: withdrawing it would deliver nothing.
    /// @param minAmount Minimum amount in atomic units.
    /// @param minFee Minimum fee in atomic units.
    error MinimumNotAboveFee(uint256 minAmount, uint256 minFee);
    /// @notice The relayer cannot burn: its bridged tokens were handed in by other accounts.
    error RelayerCannotBurn();
    /// @notice The value sent is not the amount. Mints also accept a value of 0, so that the float pays.
    /// @param value Value sent, in units of msg.value.
    /// @param amount Atomic units to deliver, or to sweep.
    error ValueMismatch(uint256 value, uint256 amount);
    /// @notice The native unit is zero.
    error ZeroUnit();
    /// @notice The refund is already paid.
    /// @param refundId Id of the refund.
    error AlreadyRefunded(bytes32 refundId);
    /// @notice The wallet is not the relayer and never was.
    /// @param wallet The wallet.
    error NotRelayerWallet(address wallet);

    // ------------------------------------------------------------------------------------------------- Mints

    /// @notice Delivers a deposit: mints a bridged token, or pays native XCN from the value sent. With a value of 0 the
    /// float pays.
    /// @dev Relayer only, while the threshold is 0. Reverts with NotRelayer, Paused, AttestationRequired,
    /// AlreadyDelivered, TokenNotAllowed, ZeroAmount, Dust, OutflowLimitExceeded, ValueMismatch, InsufficientCollateral
    /// (float short), InsufficientGas. Credits the amount when the recipient can never receive, refuses native XCN, or
    /// is a contract that needs over 50,000 gas.
    /// @param depositNonce Number in the Deposit event.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    function mint(uint256 depositNonce, address token, address recipient, uint256 amount) external payable;

    /// @notice Delivers a batch of deposits, and skips those that cannot be delivered now.
    /// @dev Relayer only. Attested as `Payments(bytes32 payments,uint256 attesterSet,uint256 validUntil)`, where
    /// `payments` is the keccak256 of all payments, each as four words. The value is the sum of all native items, and
    /// the caller gets that of the skipped ones back; or it is 0, so that the float pays. Emits Skipped for each
    /// skipped item (see SkipReason). Any other failure reverts the whole call: NotRelayer, Paused, TooManyPayments,
    /// the errors of an attestation, ValueMismatch, ZeroAmount, Dust, InsufficientGas, NativeTransferFailed.
    /// @param payments At most 256.
    /// @param attestation Consent of the attesters.
    /// @return paid Bit i is set when item i was delivered or credited.
    function mintMany(
        Payment[] calldata payments,
        Attestation calldata attestation
    ) external payable returns (uint256 paid);

    // ------------------------------------------------------------------------------------------- Withdrawals

    /// @notice Hands in bridged tokens to withdraw them on Ethereum. Needs no allowance.
    /// @dev Anyone. The tokens move to the relayer wallet, which retires them once the release is final. Reverts with
    /// Paused, TokenNotAllowed, BelowMinimum, AboveMaximum, FeeAboveMaximum, InvalidRecipient, RelayerCannotBurn, and
    /// HandedIn for a former relayer wallet.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    /// @param destination Receiver on Ethereum.
    /// @param maxFee The highest fee the caller accepts, in atomic units.
    /// @return withdrawId Id of the operation.
    function burn(
        address token,
        uint256 amount,
        address destination,
        uint256 maxFee
    ) external returns (bytes32 withdrawId);

    /// @notice Withdraws the native XCN sent as value, to be paid on Ethereum. It becomes float of this contract.
    /// @dev Anyone, from any wallet or contract. Reverts with Paused, TokenNotAllowed, BelowMinimum, AboveMaximum,
    /// FeeAboveMaximum, InvalidRecipient.
    /// @param destination Receiver on Ethereum.
    /// @param maxFee The highest fee the caller accepts, in 18-decimal units.
    /// @return withdrawId Id of the operation.
    function withdrawNative(address destination, uint256 maxFee) external payable returns (bytes32 withdrawId);

    /// @notice Destroys bridged tokens that the relayer wallet holds.
    /// @dev Relayer only.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    function retire(address token, uint256 amount) external;

    /// @notice Destroys bridged tokens that a former relayer wallet still holds.
    /// @dev Relayer only. Reverts with NotRelayer, NotRelayerWallet.
    /// @param wallet A relayer wallet, current or former.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    function retireOf(address wallet, address token, uint256 amount) external;

    /// @notice Adds coin that paid intents to the float. Attesters sign the release of an intent only after its
    /// transfer was swept: the coin has then left the relayer wallet, whose key may be stolen.
    /// @dev Current and former relayer wallets only, also while paused. The caller pays the amounts that it names.
    /// Reverts with NotRelayerWallet, ValueMismatch.
    /// @param transfers The value is the sum of their amounts.
    function sweep(SweptTransfer[] calldata transfers) external payable;

    // ----------------------------------------------------------------------------------------------- Refunds

    /// @notice Returns bridged tokens that reached the relayer wallet by a plain transfer. Counts towards the outflow
    /// limit, and is stopped by the pause of deliveries.
    /// @dev Relayer only. Attested as `Refund(bytes32 refundId,address wallet,address token,address recipient, uint256
    /// amount,uint256 attesterSet,uint256 validUntil)`. Reverts with NotRelayer, Paused, the errors of an attestation,
    /// AlreadyRefunded, TokenNotAllowed, ZeroAmount, OutflowLimitExceeded, and HandedIn for tokens that came by a burn:
    /// their withdrawal is paid on Ethereum. Credits the amount when the recipient can never receive.
    /// @param refundId Id of the refund; each is paid once.
    /// @param token Bridged token.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    /// @param attestation Consent of the attesters.
    function refund(
        bytes32 refundId,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) external;

    /// @notice As refund, from a former relayer wallet.
    /// @dev As refund; also reverts with NotRelayerWallet.
    /// @param refundId Id of the refund; each is paid once.
    /// @param wallet A relayer wallet, current or former.
    /// @param token Bridged token.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    /// @param attestation Consent of the attesters.
    function refundOf(
        bytes32 refundId,
        address wallet,
        address token,
        address recipient,
        uint256 amount,
        Attestation calldata attestation
    ) external;

    /// @notice Returns native XCN that reached the relayer wallet without an operation, by paying out the value sent.
    /// Does not count towards the outflow limit, since the coin comes from the wallet. Stopped by the pause of
    /// deliveries.
    /// @dev Relayer only. Attested as `Refund` with the caller as wallet, address(0) as token and the value in
    /// 18-decimal units as amount. Reverts with NotRelayer, Paused, the errors of an attestation, AlreadyRefunded,
    /// ZeroAmount, InsufficientGas. Credits the amount when the recipient refuses it or can never receive.
    /// @param refundId Id of the refund; each is paid once.
    /// @param recipient Receiver.
    /// @param attestation Consent of the attesters.
    function refundNative(bytes32 refundId, address recipient, Attestation calldata attestation) external payable;

    // -------------------------------------------------------------------------------------------------- Fees

    /// @notice The fee that a withdrawal would pay: max(amount * bps / 10000, minFee), the division rounded down.
    /// @dev Reverts where a withdrawal would: TokenNotAllowed, BelowMinimum, AboveMaximum, Dust. Works while paused.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param amount Atomic units.
    /// @return fee Atomic units.
    function quoteFee(address token, uint256 amount) external view returns (uint256 fee);

    /// @notice The fee policy of a token.
    /// @param token Bridged token; address(0) is native XCN.
    /// @return bps Rate in basis points.
    /// @return minFee Minimum fee in atomic units.
    /// @return minAmount Minimum amount in atomic units.
    function feePolicy(address token) external view returns (uint16 bps, uint96 minFee, uint96 minAmount);

    /// @notice The bounds of a token's fee policy.
    /// @param token Bridged token; address(0) is native XCN.
    /// @return bps Highest rate in basis points.
    /// @return minFee Highest minimum fee in atomic units.
    /// @return minAmount Highest minimum amount in atomic units.
    function feeCeiling(address token) external view returns (uint16 bps, uint96 minFee, uint96 minAmount);

    /// @notice Sets the fee policy of a token for later withdrawals.
    /// @dev Policy manager only. Reverts with NotListed, AboveCeiling, MinimumNotAboveFee.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param policy The new policy.
    function setFeePolicy(address token, FeePolicy calldata policy) external;

    /// @notice Bounds the fee policy of a token, and lowers values that are above the new bounds.
    /// @dev Admin only. Reverts with NotListed, RateTooHigh, MinimumNotAboveFee.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param ceiling The new bounds.
    function setFeeCeiling(address token, FeePolicy calldata ceiling) external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice Whether the deposit with this number was delivered.
    /// @param depositNonce Number in the Deposit event.
    /// @return Whether it was.
    function isMinted(uint256 depositNonce) external view returns (bool);

    /// @notice Whether the refund was paid.
    /// @param refundId Id of the refund.
    /// @return Whether it was.
    function isRefunded(bytes32 refundId) external view returns (bool);

    /// @notice Native XCN that mints without value can use: the balance less credits.
    /// @return 18-decimal units.
    function float() external view returns (uint256);

    /// @notice 18-decimal units of XCN per unit of msg.value: 10^10 where the EVM counts 8 decimals, else 1.
    /// @return The unit.
    function nativeUnit() external view returns (uint256);

    /// @notice Number of the next withdrawal, which is how many withdrawals began here.
    /// @return The number.
    function withdrawNonce() external view returns (uint256);

    /// @notice Whether withdrawals are paused.
    /// @return Whether they are.
    function burnsPaused() external view returns (bool);

    /// @notice Whether mints are paused.
    /// @return Whether they are.
    function mintsPaused() external view returns (bool);
}
