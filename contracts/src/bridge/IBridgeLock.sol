// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeEnd} from "./IBridgeEnd.sol";

/// @title What BridgeLock offers
/// @notice The Ethereum end of the bridge: holds what was deposited and pays what was withdrawn.
/// @dev ETH is address(0).
interface IBridgeLock is IBridgeEnd {
    /// @notice A deposit was locked; the relayer mints `amount` to `recipient` on the partner chain.
    /// @param depositId Id of the operation, the same in the Mint event.
    /// @param token Token locked; address(0) is ETH.
    /// @param sender Who paid.
    /// @param recipient Who receives on the partner chain.
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
    /// @param withdrawId Id of the operation: of the Withdraw event, or the digest of the intent.
    /// @param token Token paid; address(0) is ETH.
    /// @param recipient Who received, or may claim when a Credited event stands beside this one.
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
    /// @param treasury The new one.
    event TreasurySet(address indexed treasury);

    /// @notice Fees went to the treasury.
    /// @param token Token; address(0) is ETH.
    /// @param amount Atomic units.
    event FeesCollected(address indexed token, uint256 amount);

    /// @notice Locks an ERC-20 for a recipient on the partner chain.
    /// @dev Anyone. Needs an allowance of `amount`. Reverts with Paused, TokenNotAllowed, ZeroAmount, Dust,
    /// InvalidRecipient, AmountMismatch (fee-on-transfer tokens).
    /// @param token Allow-listed ERC-20.
    /// @param amount Atomic units, a multiple of the token's granularity.
    /// @param recipient Receiver on the partner chain.
    /// @return depositId Id of the operation.
    function deposit(address token, uint256 amount, address recipient) external returns (bytes32 depositId);

    /// @notice As deposit, with the allowance given by an ERC-2612 signature of the caller.
    /// @dev A permit that somebody else submitted first does no harm: the allowance is then there already.
    /// @param token Allow-listed ERC-20 with ERC-2612.
    /// @param amount Atomic units, a multiple of the token's granularity.
    /// @param recipient Receiver on the partner chain.
    /// @param deadline Unix seconds until which the permit holds.
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

    /// @notice Locks the ETH sent along for a recipient on the partner chain.
    /// @dev Anyone. Reverts with Paused, TokenNotAllowed, ZeroAmount, Dust, InvalidRecipient.
    /// @param recipient Receiver on the partner chain.
    /// @return depositId Id of the operation.
    function depositNative(address recipient) external payable returns (bytes32 depositId);

    /// @notice Pays an ERC-20 withdrawal.
    /// @dev Relayer only. Reverts with NotRelayer, Paused, AlreadyDelivered, TokenNotAllowed, ZeroAmount,
    /// InvalidRecipient, OutflowLimitExceeded, InsufficientCollateral, ReserveOverflow, BalanceMismatch. A transfer
    /// that the token refuses is credited.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @param token ERC-20 to pay.
    /// @param recipient Receiver.
    /// @param amount Atomic units to deliver, after the fee.
    /// @param fee Atomic units to keep.
    function release(uint256 withdrawNonce, address token, address recipient, uint256 amount, uint256 fee) external;

    /// @notice Pays an ETH withdrawal.
    /// @dev Relayer only. Reverts as release. A recipient that reverts, or needs over 50,000 gas, is credited.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @param recipient Receiver.
    /// @param amount Wei to deliver, after the fee.
    /// @param fee Wei to keep.
    function releaseNative(uint256 withdrawNonce, address recipient, uint256 amount, uint256 fee) external;

    /// @notice Pays a withdrawal of native XCN as the ERC-20 XCN.
    /// @dev Relayer only. Reverts as release.
    /// @param intentId EIP-712 digest of the signed intent.
    /// @param recipient Receiver.
    /// @param amount Atomic units to deliver, after the fee.
    /// @param fee Atomic units to keep.
    function releaseIntent(bytes32 intentId, address recipient, uint256 amount, uint256 fee) external;

    /// @notice Whether the withdrawal with this number was paid.
    /// @param withdrawNonce Number in the Withdraw event.
    /// @return Whether it was.
    function isReleased(uint256 withdrawNonce) external view returns (bool);

    /// @notice Whether the intent was paid.
    /// @param intentId EIP-712 digest.
    /// @return Whether it was.
    function isIntentReleased(bytes32 intentId) external view returns (bool);

    /// @notice Fees kept and not collected yet.
    /// @param token Token; address(0) is ETH.
    /// @return Atomic units.
    function feesAccrued(address token) external view returns (uint256);

    /// @notice What backs the tokens on the partner chain: the balance less fees and claimable credits;
    /// 0 when those are not covered.
    /// @param token Token; address(0) is ETH.
    /// @return Atomic units.
    function locked(address token) external view returns (uint256);

    /// @notice Sends the accrued fees of a token to the treasury.
    /// @dev Anyone may call it; only the treasury is paid. Never touches collateral or credits. Reverts with
    /// NothingToPay, BalanceMismatch, InsufficientCollateral, NativeTransferFailed, and as the token does.
    /// @param token Token; address(0) is ETH.
    /// @return amount Atomic units sent.
    function collectFees(address token) external returns (uint256 amount);

    /// @notice Replaces the treasury.
    /// @dev Admin only. Reverts with InvalidSetting for the zero address and this contract.
    /// @param newTreasury The new one.
    function setTreasury(address newTreasury) external;

    /// @notice Where collected fees go, and nowhere else.
    /// @return Its address.
    function treasury() external view returns (address);

    /// @notice XCN, the one token that intents are paid in.
    /// @return Its address.
    function xcn() external view returns (address);

    /// @notice How many deposits began here; the number of the next one.
    /// @return The number.
    function depositNonce() external view returns (uint256);

    /// @notice Whether deposits are stopped.
    /// @return Whether they are.
    function depositsPaused() external view returns (bool);

    /// @notice Whether releases are stopped.
    /// @return Whether they are.
    function releasesPaused() external view returns (bool);
}
