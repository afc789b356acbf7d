// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeEnd} from "./IBridgeEnd.sol";

/// @title What BridgeMint offers
/// @notice The partner-chain end of the bridge: mints deposits and takes in withdrawals.
/// @dev Native XCN is address(0). Amounts of XCN are in 18-decimal units everywhere but in msg.value, which the partner
/// chain's EVM counts in units of 10^10 of them.
interface IBridgeMint is IBridgeEnd {
    /// @notice A deposit was delivered.
    /// @param depositId Id of the operation, the same as in the Deposit event.
    /// @param token Token minted; address(0) is native XCN.
    /// @param recipient Who received, or may claim when a Credited event stands beside this one.
    /// @param amount Atomic units.
    event Mint(bytes32 indexed depositId, address indexed token, address indexed recipient, uint256 amount);

    /// @notice Bridged tokens were handed in; the relayer releases `amount - fee` to `destination` on Ethereum.
    /// @param withdrawId Id of the operation, the same in the Release event.
    /// @param token Bridged token.
    /// @param sender Who handed them in.
    /// @param destination Who receives on Ethereum.
    /// @param amount Atomic units handed in.
    /// @param fee Atomic units of them kept as fee, by the policy of this moment.
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
    /// @param minFee Least fee in atomic units.
    /// @param minAmount Least amount in atomic units.
    event FeePolicySet(address indexed token, uint16 bps, uint112 minFee, uint112 minAmount);

    /// @notice Bridged tokens that had been handed in were destroyed.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    event Retired(address indexed token, uint256 amount);

    /// @notice Bridged tokens were returned from the relayer wallet. They came from a withdrawal that will not be paid,
    /// or by a plain transfer.
    /// @param token Bridged token.
    /// @param recipient Who received.
    /// @param amount Atomic units.
    event Refunded(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The amount is below the minimum of the token.
    /// @param amount Atomic units asked for.
    /// @param minimum Atomic units that it must be at least.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice The fee is higher than the caller accepts.
    /// @param fee Atomic units that the policy asks for.
    /// @param maximum Atomic units that the caller accepts.
    error FeeAboveMaximum(uint256 fee, uint256 maximum);
    /// @notice A policy under which a withdrawal could deliver nothing.
    error InvalidPolicy();
    /// @notice A relayer wallet, of now or of before, has nothing to withdraw: what it holds was handed in before.
    error RelayerCannotBurn();
    /// @notice The native coin sent along is not the amount.
    /// @param value What was sent, in units of msg.value.
    /// @param amount Atomic units to deliver.
    error ValueMismatch(uint256 value, uint256 amount);

    /// @notice Delivers a deposit: mints a bridged token, or forwards native XCN that the relayer sends along.
    /// @dev Relayer only. Reverts with NotRelayer, Paused, AlreadyDelivered, TokenNotAllowed, ZeroAmount,
    /// InvalidRecipient, OutflowLimitExceeded, ValueMismatch. A recipient that refuses native XCN, or as a contract
    /// needs over 50,000 gas, is credited.
    /// @param depositNonce Number in the Deposit event.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    function mint(uint256 depositNonce, address token, address recipient, uint256 amount) external payable;

    /// @notice Hands in bridged tokens to withdraw them on Ethereum. Needs no allowance.
    /// @dev Anyone. The tokens move to the relayer wallet, which retires them once the release is final. Reverts with
    /// Paused, TokenNotAllowed, BelowMinimum, FeeAboveMaximum, InvalidRecipient, RelayerCannotBurn.
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

    /// @notice Destroys bridged tokens that the relayer wallet holds.
    /// @dev Relayer only.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    function retire(address token, uint256 amount) external;

    /// @notice Destroys bridged tokens that a relayer wallet of before still holds: nothing else can happen to them.
    /// @dev Relayer only. Reverts with NotRelayer, also when the wallet never was one.
    /// @param wallet A relayer wallet.
    /// @param token Bridged token.
    /// @param amount Atomic units.
    function retireOf(address wallet, address token, uint256 amount) external;

    /// @notice Returns bridged tokens that the relayer wallet holds. It is their only way out, since tokens that were
    /// handed in must not be handed in again. Within the outflow limit, and stopped by the pause of mints.
    /// @dev Relayer only. Reverts with NotRelayer, Paused, TokenNotAllowed, ZeroAmount, InvalidRecipient,
    /// OutflowLimitExceeded.
    /// @param token Bridged token.
    /// @param recipient Receiver.
    /// @param amount Atomic units.
    function refund(address token, address recipient, uint256 amount) external;

    /// @notice The fee of a withdrawal: max(amount * bps / 10000, minFee), the division rounded down.
    /// @dev Reverts with BelowMinimum, TokenNotAllowed.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param amount Atomic units.
    /// @return fee Atomic units.
    function quoteFee(address token, uint256 amount) external view returns (uint256 fee);

    /// @notice The fee policy of a token.
    /// @param token Bridged token; address(0) is native XCN.
    /// @return bps Rate in basis points.
    /// @return minFee Least fee in atomic units.
    /// @return minAmount Least amount in atomic units.
    function feePolicy(address token) external view returns (uint16 bps, uint112 minFee, uint112 minAmount);

    /// @notice Sets the fee policy of a token for withdrawals that begin from now on.
    /// @dev Policy manager only. Reverts with InvalidPolicy when bps >= 10000 or minAmount <= minFee.
    /// @param token Bridged token; address(0) is native XCN.
    /// @param bps Rate in basis points.
    /// @param minFee Least fee in atomic units.
    /// @param minAmount Least amount in atomic units.
    function setFeePolicy(address token, uint16 bps, uint112 minFee, uint112 minAmount) external;

    /// @notice Whether the deposit with this number was delivered.
    /// @param depositNonce Number in the Deposit event.
    /// @return Whether it was.
    function isMinted(uint256 depositNonce) external view returns (bool);

    /// @notice Whether an account is the relayer wallet or was it before. Bridged tokens there were handed in.
    /// @param account The account.
    /// @return Whether it is or was.
    function isRelayerWallet(address account) external view returns (bool);

    /// @notice 18-decimal units of XCN in one unit of msg.value: 10^10 where the EVM sees 8 decimals, else 1.
    /// @return The unit.
    function nativeUnit() external view returns (uint256);

    /// @notice How many withdrawals began here; the number of the next one.
    /// @return The number.
    function withdrawNonce() external view returns (uint256);

    /// @notice Whether burns are stopped.
    /// @return Whether they are.
    function burnsPaused() external view returns (bool);

    /// @notice Whether mints are stopped.
    /// @return Whether they are.
    function mintsPaused() external view returns (bool);
}
