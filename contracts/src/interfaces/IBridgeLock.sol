// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "./IBridgeBase.sol";

/// @title BridgeLock for users and the relayer
/// @notice The Ethereum contract of the bridge: holds deposits and pays withdrawals.
/// @dev ETH is address(0).
interface IBridgeLock is IBridgeBase {
    // ------------------------------------------------------------------------------------------------- Types

    /// @notice A withdrawal to pay.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @param token ERC-20 to pay; address(0) is ETH.
    /// @param recipient Receiver.
    /// @param amount Atomic units to deliver, after the fee.
    /// @param fee Atomic units to keep.
    struct Payment {
        uint256 withdrawNonce;
        address token;
        address recipient;
        uint256 amount;
        uint256 fee;
    }

    /// @notice The signed terms of a withdrawal of native XCN, XcnWithdrawIntent.
    /// @param sender Account that signed.
    /// @param recipient Receiver.
    /// @param amount Atomic units withdrawn, before the fee.
    /// @param deadline Unix seconds until which the user can pay for the intent. Not checked here.
    /// @param nonceHash keccak256 of the intent's `nonce` string.
    /// @param signature Signature of the sender, at most 1,024 bytes. Not verified here; it stays in the call data for
    /// anyone to check.
    struct Intent {
        address sender;
        address recipient;
        uint256 amount;
        uint256 deadline;
        bytes32 nonceHash;
        bytes signature;
    }

    /// @notice An ERC-3009 authorization of a deposit.
    /// @param from Signer and payer, the sender of the deposit.
    /// @param validAfter Unix seconds after which the authorization is valid.
    /// @param validBefore Unix seconds before which the authorization is valid.
    /// @param salt The signed nonce is keccak256(abi.encode(recipient, salt)), so a submitter cannot change the
    /// recipient.
    /// @param v Signature.
    /// @param r Signature.
    /// @param s Signature.
    struct Authorization {
        address from;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 salt;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice A deposit was locked; the relayer mints `amount` to `recipient` on the partner chain.
    /// @param depositId Id of the operation, the same in the Mint event.
    /// @param token Token locked; address(0) is ETH.
    /// @param sender The payer: the caller, or the signer of an ERC-3009 authorization.
    /// @param recipient Receiver on the partner chain.
    /// @param amount Atomic units locked.
    /// @param nonce Number of the deposit on this contract, from 0.
    event Deposit(
        bytes32 indexed depositId,
        address indexed token,
        address indexed sender,
        address recipient,
        uint256 amount,
        uint256 nonce
    );

    /// @notice A withdrawal was paid.
    /// @param withdrawId Id of the operation: that of the Withdraw event, or the digest of the intent.
    /// @param token Token paid; address(0) is ETH.
    /// @param recipient Receiver. When a Credited event with the same id follows, the receiver can claim the amount
    /// instead.
    /// @param amount Atomic units delivered, after the fee.
    /// @param fee Atomic units kept as fee.
    event Release(
        bytes32 indexed withdrawId,
        address indexed token,
        address indexed recipient,
        uint256 amount,
        uint256 fee
    );

    /// @notice The treasury was replaced.
    /// @param treasury The new treasury.
    event TreasurySet(address indexed treasury);

    /// @notice Fees were sent to the treasury.
    /// @param token Token; address(0) is ETH.
    /// @param amount Atomic units.
    event FeesCollected(address indexed token, uint256 amount);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The fee of an intent is not below its amount, so nothing would be left to deliver.
    /// @param fee Atomic units to keep.
    /// @param amount Atomic units withdrawn.
    error FeeAboveAmount(uint256 fee, uint256 amount);
    /// @notice The signature of an intent is longer than 1,024 bytes.
    /// @param length Its length in bytes.
    error SignatureTooLong(uint256 length);

    // ---------------------------------------------------------------------------------------------- Deposits

    /// @notice Locks an ERC-20 for a recipient on the partner chain.
    /// @dev Anyone. Needs an allowance of `amount`. Reverts with Paused, TokenNotAllowed, ZeroAmount, AboveMaximum,
    /// Dust, InvalidRecipient, AmountMismatch (fee-on-transfer tokens).
    /// @param token Listed ERC-20.
    /// @param amount Atomic units, a multiple of the token's granularity.
    /// @param recipient Receiver on the partner chain.
    /// @return depositId Id of the operation.
    function deposit(address token, uint256 amount, address recipient) external returns (bytes32 depositId);

    /// @notice As deposit, with an ERC-2612 signature of the caller as allowance.
    /// @dev The deposit also succeeds when another account submitted the permit first, since the allowance is then set.
    /// @param token Listed ERC-20 with ERC-2612.
    /// @param amount Atomic units, a multiple of the token's granularity.
    /// @param recipient Receiver on the partner chain.
    /// @param deadline Unix seconds until which the permit is valid.
    /// @param v Signature of the permit.
    /// @param r Signature of the permit.
    /// @param s Signature of the permit.
    /// @return depositId Id of the operation.
    function depositWithPermit(
        address token,
        uint256 amount,
        address recipient,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external returns (bytes32 depositId);

    /// @notice As deposit, paid with an ERC-3009 signature `ReceiveWithAuthorization` to this contract. Anyone may
    /// submit it and pay the gas; the signer is the sender of the deposit.
    /// @dev Reverts like deposit, and with the token's errors.
    /// @param token Listed ERC-20 with ERC-3009.
    /// @param amount Atomic units, a multiple of the token's granularity.
    /// @param recipient Receiver on the partner chain.
    /// @param authorization Signature and its terms.
    /// @return depositId Id of the operation.
    function depositWithAuthorization(
        address token,
        uint256 amount,
        address recipient,
        Authorization calldata authorization
    ) external returns (bytes32 depositId);

    /// @notice Locks the ETH sent for a recipient on the partner chain.
    /// @dev Anyone. Reverts with Paused, TokenNotAllowed, ZeroAmount, AboveMaximum, Dust, InvalidRecipient.
    /// @param recipient Receiver on the partner chain.
    /// @return depositId Id of the operation.
    function depositNative(address recipient) external payable returns (bytes32 depositId);

    // ---------------------------------------------------------------------------------------------- Releases

    /// @notice Pays an ERC-20 withdrawal.
    /// @dev Relayer only, while the threshold is 0. Reverts with NotRelayer, Paused, AttestationRequired,
    /// AlreadyDelivered, TokenNotAllowed, ZeroAmount, OutflowLimitExceeded, InsufficientCollateral, ReserveOverflow,
    /// BalanceMismatch. Credits the amount when the token refuses the transfer or the recipient can never receive.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @param token ERC-20 to pay.
    /// @param recipient Receiver.
    /// @param amount Atomic units to deliver, after the fee.
    /// @param fee Atomic units to keep.
    function release(uint256 withdrawNonce, address token, address recipient, uint256 amount, uint256 fee) external;

    /// @notice Pays an ETH withdrawal.
    /// @dev Relayer only, while the threshold is 0. Reverts like release, and with InsufficientGas. Credits the amount
    /// when the recipient can never receive, reverts, or needs over 50,000 gas.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @param recipient Receiver.
    /// @param amount Wei to deliver, after the fee.
    /// @param fee Wei to keep.
    function releaseNative(uint256 withdrawNonce, address recipient, uint256 amount, uint256 fee) external;

    /// @notice Pays a batch of withdrawals, and skips those that cannot be paid now.
    /// @dev Relayer only. Attested as `Payments(bytes32 payments,uint256 attesterSet,uint256 validUntil)`, where
    /// `payments` is the keccak256 of all payments, each as five words. Emits Skipped for each skipped item (see
    /// SkipReason). Any other failure reverts the whole call: NotRelayer, Paused, TooManyPayments, the errors of an
    /// attestation, ZeroAmount, ReserveOverflow, BalanceMismatch, InsufficientGas.
    /// @param payments At most 256.
    /// @param attestation Consent of the attesters.
    /// @return paid Bit i is set when item i was paid or credited.
    function releaseMany(Payment[] calldata payments, Attestation calldata attestation) external returns (uint256 paid);

    /// @notice Pays a withdrawal of native XCN as the ERC-20 XCN. Delivers `amount - fee` of the intent.
    /// @dev Relayer only. The id is the EIP-712 digest of the intent in the domain of the partner chain's contract.
    /// Each intent is paid once, and each transfer pays one intent. Attested as `IntentRelease(bytes32 intentId,bytes32
    /// transferId,uint256 fee,bytes32 signatureHash,uint256 attesterSet,uint256 validUntil)`. Reverts like release,
    /// with AlreadyDelivered for the intent or the transfer, and with FeeAboveAmount, SignatureTooLong, and the errors
    /// of an attestation.
    /// @param intent Terms as signed.
    /// @param transferId The partner-chain transfer that pays the intent. Its id is that of its refund:
    /// `keccak256(abi.encode(chain id, transaction hash, "XCN", call index))`.
    /// @param fee Atomic units to keep.
    /// @param attestation Consent of the attesters.
    function releaseIntent(
        Intent calldata intent,
        bytes32 transferId,
        uint256 fee,
        Attestation calldata attestation
    ) external;

    // -------------------------------------------------------------------------------------------------- Fees

    /// @notice Sends the accrued fees of a token to the treasury.
    /// @dev Anyone may call it; only the treasury is paid. Never touches collateral or credits. Reverts with
    /// NothingToPay, BalanceMismatch, InsufficientCollateral, NativeTransferFailed, and with the token's errors.
    /// @param token Token; address(0) is ETH.
    /// @return amount Atomic units sent.
    function collectFees(address token) external returns (uint256 amount);

    /// @notice Replaces the treasury.
    /// @dev Admin only. Reverts with ZeroAddress, RoleTaken, InvalidRecipient (a contract of the bridge, a listed
    /// token).
    /// @param newTreasury The new treasury.
    function setTreasury(address newTreasury) external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice Whether the withdrawal with this number was paid.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @return Whether it was.
    function isReleased(uint256 withdrawNonce) external view returns (bool);

    /// @notice Whether the intent was paid, or the transfer paid an intent.
    /// @param id EIP-712 digest of the intent, or the id of the transfer as in releaseIntent.
    /// @return Whether it was.
    function isIntentReleased(bytes32 id) external view returns (bool);

    /// @notice Fees kept and not collected yet.
    /// @param token Token; address(0) is ETH.
    /// @return Atomic units.
    function feesAccrued(address token) external view returns (uint256);

    /// @notice The backing of the tokens on the partner chain: the balance less fees and claimable credits; 0 when the
    /// balance does not cover those.
    /// @param token Token; address(0) is ETH.
    /// @return Atomic units.
    function locked(address token) external view returns (uint256);

    /// @notice The account that receives the collected fees.
    /// @return Its address.
    function treasury() external view returns (address);

    /// @notice XCN, the only token that intents are paid in.
    /// @return Its address.
    function xcn() external view returns (address);

    /// @notice Number of the next deposit, which is how many deposits began here.
    /// @return The number.
    function depositNonce() external view returns (uint256);

    /// @notice Whether deposits are paused.
    /// @return Whether they are.
    function depositsPaused() external view returns (bool);

    /// @notice Whether releases are paused.
    /// @return Whether they are.
    function releasesPaused() external view returns (bool);
}
