// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IBridgeEnd} from "./IBridgeEnd.sol";
import {OutflowLimit} from "./OutflowLimit.sol";

/// @title What both ends of the bridge have in common
/// @notice Roles, pauses, the token list, replay protection, outflow limits and credits.
/// @dev Not upgradeable: a new version is a new deployment and a migration.
///
/// Roles: the admin (two-step, delayed) rotates the relayer, lists tokens, sets the treasury and lifts pauses.
/// Guardians can only pause. Policy managers set limits and fees. The relayer alone calls deliveries and never holds a
/// role: one key must not both pay and govern. It is kept beside the pause flags, since every delivery reads both.
abstract contract BridgeEnd is IBridgeEnd, AccessControlDefaultAdminRules, ReentrancyGuardTransient {
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

    /// @notice A token that is listed from the beginning.
    /// @param token Token; address(0) is the native coin.
    /// @param granularityExponent Amounts are multiples of ten to the power of this; at most 18.
    /// @param capacity Atomic units that may leave in one moment.
    /// @param window Seconds in which that refills.
    struct TokenSetup {
        address token;
        uint8 granularityExponent;
        uint128 capacity;
        uint32 window;
    }

    /// @dev Read by every call, written by every operation that begins: one slot. `rotated` says that there was another
    /// relayer before.
    struct Switchboard {
        address relayer;
        bool inboundPaused;
        bool outboundPaused;
        bool rotated;
        uint72 nonce;
    }

    /// @dev Read by every operation, written once by every delivery: one slot, and a second one costs 2,100 gas.
    /// Capacity and used are in units of 10^outflowExponent, `reserved` (fees and credits) in atomic units.
    struct TokenState {
        bool allowed;
        uint8 granularityExponent;
        uint8 outflowExponent;
        uint24 outflowWindow;
        uint32 outflowUpdatedAt;
        uint40 outflowCapacity;
        uint40 outflowUsed;
        uint96 reserved;
    }

    /// @notice May pause, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
    /// @notice May set outflow limits, and fees where the contract has them.
    bytes32 public constant POLICY_MANAGER_ROLE = keccak256("POLICY_MANAGER_ROLE");
    /// @notice Gas a recipient of the native coin gets; one that needs more is credited.
    uint256 public constant DELIVERY_GAS = 50_000;
    /// @dev The native coin.
    address internal constant NATIVE = address(0);

    /// @inheritdoc IBridgeEnd
    uint256 public immutable peerChainId;
    /// @inheritdoc IBridgeEnd
    address public immutable peer;

    Switchboard internal _switchboard;
    mapping(address token => TokenState) internal _tokens;
    mapping(uint256 word => uint256 bits) private _delivered;

    /// @inheritdoc IBridgeEnd
    mapping(address token => mapping(address account => uint256)) public claimable;
    /// @inheritdoc IBridgeEnd
    mapping(address token => uint256) public totalClaimable;

    /// @dev Everything is set here, so no key that deploys ever has to hold a role.
    constructor(
        Setup memory setup,
        TokenSetup[] memory tokens
    ) AccessControlDefaultAdminRules(setup.adminDelay, setup.admin) {
        if (setup.peer == address(0) || setup.peerChainId == block.chainid) revert InvalidSetting();
        peerChainId = setup.peerChainId;
        peer = setup.peer;
        _grantRole(GUARDIAN_ROLE, setup.guardian);
        _grantRole(POLICY_MANAGER_ROLE, setup.policyManager);
        _setRelayer(setup.relayer);
        for (uint256 i = 0; i < tokens.length; ++i) {
            TokenSetup memory listed = tokens[i];
            _setToken(listed.token, true, listed.granularityExponent);
            _setOutflowLimit(listed.token, listed.capacity, listed.window);
        }
    }

    /// @inheritdoc IBridgeEnd
    function claim(address token, address to) external nonReentrant returns (uint256) {
        if (to == address(0) || to == address(this) || to == token) revert InvalidRecipient(to);
        if (to == peer || to == _switchboard.relayer) revert InvalidRecipient(to);
        return _claim(token, msg.sender, to);
    }

    /// @inheritdoc IBridgeEnd
    function claimFor(address token, address account) external nonReentrant returns (uint256) {
        return _claim(token, account, account);
    }

    /// @inheritdoc IBridgeEnd
    function pause(bool inbound, bool outbound) external onlyRole(GUARDIAN_ROLE) {
        Switchboard storage board = _switchboard;
        _setPause(board.inboundPaused || inbound, board.outboundPaused || outbound);
    }

    /// @inheritdoc IBridgeEnd
    function setPause(bool inbound, bool outbound) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setPause(inbound, outbound);
    }

    /// @inheritdoc IBridgeEnd
    function setRelayer(address newRelayer) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setRelayer(newRelayer);
    }

    /// @inheritdoc IBridgeEnd
    function setToken(address token, bool allowed, uint8 granularityExponent) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setToken(token, allowed, granularityExponent);
    }

    /// @inheritdoc IBridgeEnd
    function setOutflowLimit(address token, uint128 capacity, uint32 window) external onlyRole(POLICY_MANAGER_ROLE) {
        _setOutflowLimit(token, capacity, window);
    }

    /// @inheritdoc IBridgeEnd
    function relayer() external view returns (address) {
        return _switchboard.relayer;
    }

    /// @inheritdoc IBridgeEnd
    function tokenSettings(address token) external view returns (bool allowed, uint256 granularity) {
        TokenState storage state = _tokens[token];
        return (state.allowed, 10 ** state.granularityExponent);
    }

    /// @inheritdoc IBridgeEnd
    function outflowLimit(address token) external view returns (uint128 capacity, uint32 window) {
        TokenState storage state = _tokens[token];
        // Fits: it was set as a uint128.
        return (uint128(uint256(state.outflowCapacity) * 10 ** state.outflowExponent), state.outflowWindow);
    }

    /// @inheritdoc IBridgeEnd
    function outflowRoom(address token) external view returns (uint256) {
        TokenState storage state = _tokens[token];
        (uint256 capacity, uint256 level) = (state.outflowCapacity, _outflowLevel(state));
        // A capacity that was lowered may be below what has left.
        return capacity > level ? (capacity - level) * 10 ** state.outflowExponent : 0;
    }

    /// @dev Called when a token is listed or delisted.
    function _onTokenSet(address token, bool allowed) internal virtual {}

    /// @dev Called when there is a new relayer.
    function _onRelayerSet(address wallet) internal virtual {}

    /// @dev Every way to a role leads through here, the acceptance of a new admin too.
    function _grantRole(bytes32 role, address account) internal override returns (bool) {
        if (account == _switchboard.relayer) revert InvalidSetting();
        return super._grantRole(role, account);
    }

    /// @dev Id of an operation that began at `origin` on `chainId`.
    function _operationId(uint256 chainId, address origin, uint256 nonce) internal pure returns (bytes32) {
        return keccak256(abi.encode(chainId, origin, nonce));
    }

    /// @dev Number of a new operation here, the relayer, and whether it is not the first. Reverts while paused, or when
    /// the recipient would lose the funds on the other side.
    function _begin(address token, address recipient) internal returns (uint256 nonce, address relayer_, bool rotated) {
        Switchboard storage board = _switchboard;
        if (board.inboundPaused) revert Paused();
        (nonce, relayer_, rotated) = (board.nonce, board.relayer, board.rotated);
        if (recipient == peer || recipient == relayer_) revert InvalidRecipient(recipient);
        if (recipient == address(0) || recipient == address(this) || recipient == token) {
            revert InvalidRecipient(recipient);
        }
        // 2^72 operations do not happen.
        unchecked {
            board.nonce = uint72(nonce + 1);
        }
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

    /// @dev Reverts unless the relayer calls, deliveries run, and the recipient can have the funds.
    function _checkDelivery(address token, address recipient) internal view {
        Switchboard storage board = _switchboard;
        if (msg.sender != board.relayer) revert NotRelayer(msg.sender);
        if (board.outboundPaused) revert Paused();
        if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient(recipient);
        if (recipient == token || recipient == msg.sender) revert InvalidRecipient(recipient);
    }

    /// @dev Counts an outflow of `amount + fee` and reserves the fee; reverts over the limit. One read, one write.
    function _countOutflow(address token, uint256 amount, uint256 fee) internal returns (uint256 reserved) {
        TokenState storage state = _tokens[token];
        (bool allowed, uint256 capacity, uint256 unit) = (
            state.allowed,
            state.outflowCapacity,
            _powerOfTen(state.outflowExponent)
        );
        uint256 level = _outflowLevel(state);
        reserved = state.reserved + fee;
        if (!allowed) revert TokenNotAllowed(token);
        if (amount == 0) revert ZeroAmount();
        uint256 asked = amount + fee;
        uint256 used = level + OutflowLimit.ceilDiv(asked, unit);
        if (used > capacity) revert OutflowLimitExceeded(capacity > level ? (capacity - level) * unit : 0, asked);
        if (reserved > type(uint96).max) revert ReserveOverflow();
        // Fits: at most the capacity.
        state.outflowUsed = uint40(used);
        state.outflowUpdatedAt = uint32(block.timestamp);
        state.reserved = uint96(reserved);
    }

    /// @dev Keeps a refused delivery for its recipient.
    function _credit(bytes32 id, address token, address recipient, uint256 amount) internal {
        claimable[token][recipient] += amount;
        totalClaimable[token] += amount;
        // Fits: at most the capacity, which is below 2^96. The compiler checks the sum.
        _tokens[token].reserved += uint96(amount);
        emit Credited(id, token, recipient, amount);
    }

    /// @dev Sends native coin with bounded gas and ignores the returned data; false when refused. The recipient gets
    /// its full share, or the whole call fails: with less, the gas that EIP-150 holds back cannot book the credit.
    function _trySendNative(address to, uint256 value) internal returns (bool success) {
        uint256 gasGiven = _deliveryGas(to);
        assembly ("memory-safe") {
            success := call(gasGiven, to, value, 0, 0, 0, 0)
        }
    }

    /// @dev Gas that goes along with a delivery of native coin.
    function _deliveryGas(address) internal view virtual returns (uint256) {
        return DELIVERY_GAS;
    }

    /// @dev Pays a claim or fees: reverts when it does not arrive, or when the token takes another amount. `amount` in
    /// atomic units.
    function _pay(address token, address to, uint256 amount) internal virtual {
        if (token != NATIVE) {
            uint256 expected = IERC20(token).balanceOf(address(this)) - amount;
            IERC20(token).safeTransfer(to, amount);
            uint256 found = IERC20(token).balanceOf(address(this));
            if (found != expected) revert BalanceMismatch(expected, found);
            return;
        }
        (bool success, ) = to.call{value: amount}("");
        if (!success) revert NativeTransferFailed(to);
    }

    /// @dev For exponents up to 28 only, which is all there is.
    function _powerOfTen(uint256 exponent) internal pure returns (uint256) {
        unchecked {
            return 10 ** exponent;
        }
    }

    function _setPause(bool inbound, bool outbound) private {
        _switchboard.inboundPaused = inbound;
        _switchboard.outboundPaused = outbound;
        emit PauseSet(inbound, outbound, msg.sender);
    }

    function _setRelayer(address newRelayer) private {
        if (newRelayer == address(0) || newRelayer == defaultAdmin()) revert InvalidSetting();
        if (hasRole(GUARDIAN_ROLE, newRelayer) || hasRole(POLICY_MANAGER_ROLE, newRelayer)) revert InvalidSetting();
        address previous = _switchboard.relayer;
        emit RelayerChanged(previous, newRelayer);
        _switchboard.relayer = newRelayer;
        _switchboard.rotated = previous != address(0);
        _onRelayerSet(newRelayer);
    }

    function _setToken(address token, bool allowed, uint8 granularityExponent) private {
        if (granularityExponent > 18) revert InvalidSetting();
        TokenState storage state = _tokens[token];
        state.allowed = allowed;
        state.granularityExponent = granularityExponent;
        _onTokenSet(token, allowed);
        emit TokenSet(token, allowed, granularityExponent);
    }

    function _setOutflowLimit(address token, uint128 capacity, uint32 window) private {
        TokenState storage state = _tokens[token];
        // Settled under the old limit first: the new rate must not drain the past, nor the new capacity forget it.
        uint256 left = _outflowLevel(state) * 10 ** state.outflowExponent;
        (bool exact, uint40 units, uint40 used, uint8 exponent) = OutflowLimit.split(capacity, left);
        if (!exact || capacity > type(uint96).max) revert InvalidSetting();
        if (window == 0 || window > type(uint24).max) revert InvalidSetting();
        state.outflowUsed = used;
        state.outflowUpdatedAt = uint32(block.timestamp);
        state.outflowCapacity = units;
        state.outflowExponent = exponent;
        state.outflowWindow = uint24(window);
        emit OutflowLimitSet(token, capacity, window);
    }

    function _claim(address token, address account, address to) private returns (uint256 amount) {
        amount = claimable[token][account];
        if (amount == 0) revert NothingToPay();
        claimable[token][account] = 0;
        totalClaimable[token] -= amount;
        // Fits: the credit was added to it before.
        _tokens[token].reserved -= uint96(amount);
        emit Claimed(token, account, to, amount);
        _pay(token, to, amount);
    }

    function _outflowLevel(TokenState storage state) private view returns (uint256) {
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
