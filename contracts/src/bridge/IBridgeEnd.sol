// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What both ends of the bridge offer
/// @notice Deliveries, refusals and settings that BridgeLock and BridgeMint have in common.
/// @dev The native coin is address(0). Every operation has the id
/// keccak256(abi.encode(origin chain id, origin contract, nonce)); intents have their EIP-712 digest.
/// Operations that begin here (deposits, burns) are "inbound", deliveries from here (releases, mints) "outbound".
interface IBridgeEnd {
    /// @notice A delivery was refused by its recipient and can be claimed.
    /// @param id Id of the operation.
    /// @param token Token; address(0) is the native coin.
    /// @param recipient Who may claim.
    /// @param amount Atomic units.
    event Credited(bytes32 indexed id, address indexed token, address indexed recipient, uint256 amount);

    /// @notice A credit was claimed.
    /// @param token Token; address(0) is the native coin.
    /// @param account Whose credit.
    /// @param to Where it went.
    /// @param amount Atomic units.
    event Claimed(address indexed token, address indexed account, address to, uint256 amount);

    /// @notice The relayer was replaced.
    /// @param previous Relayer before.
    /// @param current Relayer now.
    event RelayerChanged(address indexed previous, address indexed current);

    /// @notice A token was listed or delisted.
    /// @param token Token; address(0) is the native coin.
    /// @param allowed Whether operations may begin and be delivered.
    /// @param granularityExponent Deposits are multiples of ten to the power of this.
    event TokenSet(address indexed token, bool allowed, uint8 granularityExponent);

    /// @notice The outflow limit of a token was set.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that may leave in one moment.
    /// @param window Seconds in which that refills.
    event OutflowLimitSet(address indexed token, uint128 capacity, uint32 window);

    /// @notice A direction was paused or resumed.
    /// @param inbound Whether operations that begin here are stopped.
    /// @param outbound Whether deliveries from here are stopped.
    /// @param by Who did it.
    event PauseSet(bool inbound, bool outbound, address by);

    /// @notice The caller is not the relayer.
    /// @param caller The caller, or the account that never was a relayer wallet.
    error NotRelayer(address caller);
    /// @notice The direction is paused.
    error Paused();
    /// @notice The token is not listed.
    /// @param token Token; address(0) is the native coin.
    error TokenNotAllowed(address token);
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The amount has a remainder that cannot exist on the other side.
    /// @param amount Atomic units asked for.
    /// @param granularity It must be a multiple of this many.
    error Dust(uint256 amount, uint256 granularity);
    /// @notice This recipient would lose the funds: nobody, a contract of the bridge, the relayer or the token itself.
    /// @param recipient The one that was given.
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
    /// @param found Atomic units that are.
    error BalanceMismatch(uint256 expected, uint256 found);
    /// @notice There is nothing to claim or collect.
    error NothingToPay();
    /// @notice The native coin did not arrive.
    /// @param to Who did not take it.
    error NativeTransferFailed(address to);
    /// @notice A setting out of range, or a key that would hold two offices that must be apart.
    error InvalidSetting();

    /// @notice Sends the caller's credit of a token to an address of its choice.
    /// @dev Anyone with a credit, also while paused. Reverts with NothingToPay, InvalidRecipient (a contract of the
    /// bridge, the relayer or the token), BalanceMismatch, NativeTransferFailed, and as the token does.
    /// @param token Token; address(0) is the native coin.
    /// @param to Where to.
    /// @return amount Atomic units sent.
    function claim(address token, address to) external returns (uint256 amount);

    /// @notice Tries once more to send a credit to the account that it belongs to, this time with all the gas there is.
    /// @dev Anyone, also while paused: for accounts that cannot call claim themselves. Reverts with NothingToPay,
    /// BalanceMismatch, NativeTransferFailed, and as the token does.
    /// @param token Token; address(0) is the native coin.
    /// @param account Whose credit.
    /// @return amount Atomic units sent.
    function claimFor(address token, address account) external returns (uint256 amount);

    /// @notice Stops one or both directions.
    /// @dev Guardian only. Cannot resume: a direction that is paused stays so.
    /// @param inbound Stop operations that begin here.
    /// @param outbound Stop deliveries from here.
    function pause(bool inbound, bool outbound) external;

    /// @notice Sets both pauses, so also lifts them.
    /// @dev Admin only.
    /// @param inbound Whether operations that begin here are stopped.
    /// @param outbound Whether deliveries from here are stopped.
    function setPause(bool inbound, bool outbound) external;

    /// @notice Replaces the relayer immediately.
    /// @dev Admin only. On the partner chain the old wallet can never again move bridged tokens itself. Reverts with
    /// InvalidSetting for the zero address and for an account with a role.
    /// @param newRelayer The new one.
    function setRelayer(address newRelayer) external;

    /// @notice Lists or delists a token.
    /// @dev Admin only. A delisted token keeps its collateral and its claims. Reverts with InvalidSetting.
    /// @param token Token; address(0) is the native coin.
    /// @param allowed Whether operations may begin and be delivered.
    /// @param granularityExponent Deposits are multiples of ten to the power of this; at most 18.
    function setToken(address token, bool allowed, uint8 granularityExponent) external;

    /// @notice Sets how fast a token may leave.
    /// @dev Policy manager only. Earlier outflows stay counted, even above the new capacity. Reverts with
    /// InvalidSetting, also when a capacity has too many digits to share one unit with the earlier outflows.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that may leave in one moment: at most 12 significant digits, below 2^96.
    /// @param window Seconds in which that refills: at least 1, below 2^24 (194 days).
    function setOutflowLimit(address token, uint128 capacity, uint32 window) external;

    /// @notice The one caller of deliveries.
    /// @return Its address.
    function relayer() external view returns (address);

    /// @notice Chain id of the other end.
    /// @return The chain id.
    function peerChainId() external view returns (uint256);

    /// @notice Contract of the other end.
    /// @return Its address.
    function peer() external view returns (address);

    /// @notice Whether a token is listed, and its granularity.
    /// @param token Token; address(0) is the native coin.
    /// @return allowed Whether operations may begin and be delivered.
    /// @return granularity Deposits are multiples of this many atomic units.
    function tokenSettings(address token) external view returns (bool allowed, uint256 granularity);

    /// @notice The outflow limit of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return capacity Atomic units that may leave in one moment.
    /// @return window Seconds in which that refills.
    function outflowLimit(address token) external view returns (uint128 capacity, uint32 window);

    /// @notice How much of a token may leave now, fees included.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function outflowRoom(address token) external view returns (uint256);

    /// @notice What an account may claim of a token, since a delivery to it was refused.
    /// @param token Token; address(0) is the native coin.
    /// @param account The account.
    /// @return Atomic units.
    function claimable(address token, address account) external view returns (uint256);

    /// @notice Sum of all claimable credits of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function totalClaimable(address token) external view returns (uint256);
}
