// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {OutflowLimit} from "./OutflowLimit.sol";

/// @title What both ends of the bridge have in common
/// @notice Roles, pauses, the token list, replay protection, outflow limits and credits.
/// @dev Not upgradeable: a new version is a new deployment and a migration.
///
/// Roles: the admin (two-step, delayed) rotates the relayer, lists tokens, sets the treasury and lifts pauses; guardians
/// can only pause; policy managers set limits and fees; the relayer, kept beside the pause flags since every delivery
/// reads it, is the only caller of deliveries.
abstract contract BridgeEnd is AccessControlDefaultAdminRules, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice Where a contract begins: its peer, its keys and the delay of a change of admin.
    /// @param peerChainId Chain id of the other end.
    /// @param peer Contract of the other end.
    /// @param relayer The one caller of deliveries, the same wallet on both chains.
    /// @param admin First admin.
    /// @param adminDelay Seconds between the announcement and the acceptance of a new admin.
    /// @param guardian First guardian.
    /// @param policyManager First policy manager.
    struct Setup {
        uint256 peerChainId;
        address peer;
        address relayer;
        address admin;
        uint48 adminDelay;
        address guardian;
        address policyManager;
    }

    /// @dev Read by every call, written by every operation that begins: one slot.
    struct Switchboard {
        address relayer;
        bool inboundPaused;
        bool outboundPaused;
        uint80 nonce;
    }

    /// @dev The first slot is written by every delivery; the second one only read.
    struct TokenState {
        bool allowed;
        uint8 granularityExponent;
        uint32 outflowUpdatedAt;
        uint104 outflowUsed;
        uint104 reserved;
        uint128 outflowCapacity;
        uint32 outflowWindow;
    }

    /// @notice May pause, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
    /// @notice May set outflow limits, and fees where the contract has them.
    bytes32 public constant POLICY_MANAGER_ROLE = keccak256("POLICY_MANAGER_ROLE");
    /// @notice Gas a recipient of the native coin gets; one that needs more is credited.
    uint256 public constant DELIVERY_GAS = 50_000;
    /// @dev The native coin.
    address internal constant NATIVE = address(0);

    /// @notice Chain id of the other end.
    uint256 public immutable peerChainId;
    /// @notice Contract of the other end.
    address public immutable peer;

    Switchboard internal _switchboard;
    mapping(address token => TokenState) internal _tokens;
    mapping(uint256 word => uint256 bits) private _delivered;

    /// @notice What an account may claim of a token, since a delivery to it was refused. Atomic units.
    mapping(address token => mapping(address account => uint256)) public claimable;
    /// @notice Sum of all claimable credits of a token. Atomic units.
    mapping(address token => uint256) public totalClaimable;

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
    /// @param granularityExponent Amounts are multiples of ten to the power of this.
    event TokenSet(address indexed token, bool allowed, uint8 granularityExponent);
    /// @notice The outflow limit of a token was set.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that may leave at once.
    /// @param window Seconds in which that refills.
    event OutflowLimitSet(address indexed token, uint128 capacity, uint32 window);
    /// @notice A direction was paused or resumed.
    /// @param inbound Whether operations that begin here are stopped.
    /// @param outbound Whether deliveries from here are stopped.
    /// @param by Who did it.
    event PauseSet(bool inbound, bool outbound, address by);

    /// @notice The caller is not the relayer.
    error NotRelayer(address caller);
    /// @notice The direction is paused.
    error Paused();
    /// @notice The token is not listed.
    error TokenNotAllowed(address token);
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The amount has a remainder that cannot exist on the other side.
    error Dust(uint256 amount, uint256 granularity);
    /// @notice This recipient would lose the funds.
    error InvalidRecipient(address recipient);
    /// @notice The operation was delivered before.
    error AlreadyDelivered(bytes32 id);
    /// @notice The token moved another amount than asked.
    error AmountMismatch(uint256 expected, uint256 received);
    /// @notice The contract does not hold what it would pay and owes to others.
    error InsufficientCollateral(address token);
    /// @notice There is nothing to claim or collect.
    error NothingToPay();
    /// @notice The native coin did not arrive.
    error NativeTransferFailed(address to);
    /// @notice A setting out of range.
    error InvalidSetting();

    constructor(Setup memory setup) AccessControlDefaultAdminRules(setup.adminDelay, setup.admin) {
        if (setup.peer == address(0) || setup.relayer == address(0) || setup.peerChainId == block.chainid) {
            revert InvalidSetting();
        }
        // One key must not be able to both pay and govern.
        if (setup.relayer == setup.admin || setup.relayer == setup.guardian) revert InvalidSetting();
        peerChainId = setup.peerChainId;
        peer = setup.peer;
        _switchboard.relayer = setup.relayer;
        _grantRole(GUARDIAN_ROLE, setup.guardian);
        _grantRole(POLICY_MANAGER_ROLE, setup.policyManager);
        emit RelayerChanged(address(0), setup.relayer);
    }

    /// @notice The one caller of deliveries.
    /// @return Its address.
    function relayer() external view returns (address) {
        return _switchboard.relayer;
    }

    /// @notice Whether a token is listed, and its granularity.
    /// @param token Token; address(0) is the native coin.
    /// @return allowed Whether operations may begin and be delivered.
    /// @return granularity Amounts are multiples of this many atomic units.
    function tokenSettings(address token) external view returns (bool allowed, uint256 granularity) {
        TokenState storage state = _tokens[token];
        return (state.allowed, 10 ** state.granularityExponent);
    }

    /// @notice The outflow limit of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return capacity Atomic units that may leave at once.
    /// @return window Seconds in which that refills.
    function outflowLimit(address token) external view returns (uint128 capacity, uint32 window) {
        TokenState storage state = _tokens[token];
        return (state.outflowCapacity, state.outflowWindow);
    }

    /// @notice How much of a token may leave now.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function outflowRoom(address token) external view returns (uint256) {
        TokenState memory state = _tokens[token];
        uint256 used = _outflowLevel(state);
        return used < state.outflowCapacity ? state.outflowCapacity - used : 0;
    }

    /// @notice Sends the caller's credit of a token to an address of its choice.
    /// @dev Anyone with a credit, also while paused. Reverts with NothingToPay, InvalidRecipient, and as the token does.
    /// @param token Token; address(0) is the native coin.
    /// @param to Where to.
    /// @return amount Atomic units sent.
    function claim(address token, address to) external nonReentrant returns (uint256 amount) {
        if (to == address(0) || to == address(this)) revert InvalidRecipient(to);
        amount = claimable[token][msg.sender];
        if (amount == 0) revert NothingToPay();
        claimable[token][msg.sender] = 0;
        totalClaimable[token] -= amount;
        // Fits: the credit was added to it before.
        _tokens[token].reserved -= uint104(amount);
        _pay(token, to, amount);
        emit Claimed(token, msg.sender, to, amount);
    }

    /// @notice Replaces the relayer at once.
    /// @dev Admin only. Bridged tokens at the old wallet are to be retired before.
    /// @param newRelayer The new one.
    function setRelayer(address newRelayer) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (newRelayer == address(0) || newRelayer == defaultAdmin()) revert InvalidSetting();
        emit RelayerChanged(_switchboard.relayer, newRelayer);
        _switchboard.relayer = newRelayer;
    }

    /// @notice Lists or delists a token.
    /// @dev Admin only. A delisted token keeps its collateral and its claims.
    /// @param token Token; address(0) is the native coin.
    /// @param allowed Whether operations may begin and be delivered.
    /// @param granularityExponent Amounts are multiples of ten to the power of this; at most 18.
    function setToken(address token, bool allowed, uint8 granularityExponent) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (granularityExponent > 18) revert InvalidSetting();
        TokenState storage state = _tokens[token];
        state.allowed = allowed;
        state.granularityExponent = granularityExponent;
        emit TokenSet(token, allowed, granularityExponent);
    }

    /// @notice Sets how fast a token may leave.
    /// @dev Policy manager only. What has left so far stays counted.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that may leave at once; below 2^103.
    /// @param window Seconds in which that refills; at least 1.
    function setOutflowLimit(address token, uint128 capacity, uint32 window) external onlyRole(POLICY_MANAGER_ROLE) {
        if (window == 0 || capacity > type(uint104).max / 2) revert InvalidSetting();
        TokenState storage state = _tokens[token];
        // Settled under the old limit first: the new rate must not drain the past.
        state.outflowUsed = uint104(_outflowLevel(state));
        state.outflowUpdatedAt = uint32(block.timestamp);
        state.outflowCapacity = capacity;
        state.outflowWindow = window;
        emit OutflowLimitSet(token, capacity, window);
    }

    /// @notice Stops one or both directions.
    /// @dev Guardian only. Cannot resume: a direction that is paused stays so.
    /// @param inbound Stop operations that begin here.
    /// @param outbound Stop deliveries from here.
    function pause(bool inbound, bool outbound) external onlyRole(GUARDIAN_ROLE) {
        Switchboard storage board = _switchboard;
        _setPause(board.inboundPaused || inbound, board.outboundPaused || outbound);
    }

    /// @notice Sets both pauses, so also lifts them.
    /// @dev Admin only.
    /// @param inbound Whether operations that begin here are stopped.
    /// @param outbound Whether deliveries from here are stopped.
    function setPause(bool inbound, bool outbound) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setPause(inbound, outbound);
    }

    function _setPause(bool inbound, bool outbound) private {
        _switchboard.inboundPaused = inbound;
        _switchboard.outboundPaused = outbound;
        emit PauseSet(inbound, outbound, msg.sender);
    }

    /// @dev Id of an operation that began at `origin` on `chainId`.
    function _operationId(uint256 chainId, address origin, uint256 nonce) internal pure returns (bytes32) {
        return keccak256(abi.encode(chainId, origin, nonce));
    }

    /// @dev Number of a new operation here; reverts while paused or when its recipient would lose the funds there.
    function _begin(address recipient) internal returns (uint256 nonce) {
        Switchboard memory board = _switchboard;
        if (board.inboundPaused) revert Paused();
        if (recipient == address(0) || recipient == peer || recipient == board.relayer) {
            revert InvalidRecipient(recipient);
        }
        nonce = board.nonce;
        _switchboard.nonce = board.nonce + 1;
    }

    /// @dev Whether the number of the other end was delivered here.
    function _isDelivered(uint256 nonce) internal view returns (bool) {
        return _delivered[nonce >> 8] & (1 << (nonce & 0xff)) != 0;
    }

    /// @dev Marks a number of the other end as delivered; returns the id derived from it.
    function _markDelivered(uint256 nonce) internal returns (bytes32 id) {
        id = _operationId(peerChainId, peer, nonce);
        uint256 bit = 1 << (nonce & 0xff);
        uint256 word = _delivered[nonce >> 8];
        if (word & bit != 0) revert AlreadyDelivered(id);
        _delivered[nonce >> 8] = word | bit;
    }

    /// @dev Reverts unless the relayer calls and deliveries run.
    function _checkRelayer() internal view {
        Switchboard memory board = _switchboard;
        if (msg.sender != board.relayer) revert NotRelayer(msg.sender);
        if (board.outboundPaused) revert Paused();
    }

    /// @dev Counts an outflow of `amount + fee` and reserves the fee; reverts over the limit. One write.
    function _countOutflow(address token, uint256 amount, uint256 fee) internal returns (uint256 reserved) {
        TokenState memory state = _tokens[token];
        if (!state.allowed) revert TokenNotAllowed(token);
        if (amount == 0) revert ZeroAmount();
        uint256 used = _outflowLevel(state);
        uint256 asked = amount + fee;
        uint256 room = used < state.outflowCapacity ? state.outflowCapacity - used : 0;
        if (asked > room) revert OutflowLimit.OutflowLimitExceeded(room, asked);
        reserved = state.reserved + fee;
        if (reserved > type(uint104).max) revert InvalidSetting();
        // used + asked <= capacity < 2^103
        TokenState storage stored = _tokens[token];
        stored.outflowUsed = uint104(used + asked);
        stored.outflowUpdatedAt = uint32(block.timestamp);
        stored.reserved = uint104(reserved);
    }

    /// @dev Keeps a refused delivery for its recipient.
    function _credit(bytes32 id, address token, address recipient, uint256 amount) internal {
        claimable[token][recipient] += amount;
        totalClaimable[token] += amount;
        // amount <= capacity < 2^103, and the sum is checked by the compiler.
        _tokens[token].reserved += uint104(amount);
        emit Credited(id, token, recipient, amount);
    }

    /// @dev Sends native coin with bounded gas and without reading what comes back; false when refused.
    function _trySendNative(address to, uint256 value) internal returns (bool success) {
        uint256 gasGiven = DELIVERY_GAS;
        assembly ("memory-safe") {
            success := call(gasGiven, to, value, 0, 0, 0, 0)
        }
    }

    /// @dev Pays a claim or fees: reverts when it does not arrive. `amount` in atomic units.
    function _pay(address token, address to, uint256 amount) internal virtual {
        if (token != NATIVE) {
            IERC20(token).safeTransfer(to, amount);
            return;
        }
        (bool success, ) = to.call{value: amount}("");
        if (!success) revert NativeTransferFailed(to);
    }

    function _outflowLevel(TokenState memory state) private view returns (uint256) {
        return
            OutflowLimit.level(
                state.outflowUsed,
                state.outflowUpdatedAt,
                state.outflowCapacity,
                state.outflowWindow,
                block.timestamp
            );
    }
}
