// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {BridgeEnd} from "./BridgeEnd.sol";
import {IBridgeLock} from "./IBridgeLock.sol";

/// @title BridgeLock
/// @notice The Ethereum end of the bridge.
contract BridgeLock is IBridgeLock, BridgeEnd {
    using SafeERC20 for IERC20;

    /// @inheritdoc IBridgeLock
    address public immutable xcn;
    /// @inheritdoc IBridgeLock
    address public treasury;

    mapping(bytes32 intentId => bool) private _releasedIntents;

    /// @notice Creates the Ethereum end.
    /// @param setup Peer and keys.
    /// @param tokens Tokens listed from the beginning.
    /// @param xcnToken XCN on this chain.
    /// @param initialTreasury Where collected fees go.
    constructor(
        Setup memory setup,
        TokenSetup[] memory tokens,
        address xcnToken,
        address initialTreasury
    ) BridgeEnd(setup, tokens) {
        if (xcnToken == address(0) || initialTreasury == address(0)) revert InvalidSetting();
        xcn = xcnToken;
        treasury = initialTreasury;
        emit TreasurySet(initialTreasury);
    }

    /// @inheritdoc IBridgeLock
    function deposit(address token, uint256 amount, address recipient) external nonReentrant returns (bytes32) {
        return _deposit(token, amount, recipient);
    }

    /// @inheritdoc IBridgeLock
    function depositWithPermit(
        address token,
        uint256 amount,
        address recipient,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (bytes32) {
        // Checked before the token is called at all: an unlisted one gets no say.
        if (token == NATIVE || !_tokens[token].allowed) revert TokenNotAllowed(token);
        // A permit that was used before has set the allowance already; a wrong one fails at the transfer.
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        return _deposit(token, amount, recipient);
    }

    /// @inheritdoc IBridgeLock
    function depositNative(address recipient) external payable nonReentrant returns (bytes32 depositId) {
        _checkDeposit(NATIVE, msg.value);
        depositId = _emitDeposit(NATIVE, msg.value, recipient);
    }

    /// @inheritdoc IBridgeLock
    function release(
        uint256 withdrawNonce,
        address token,
        address recipient,
        uint256 amount,
        uint256 fee
    ) external nonReentrant {
        _checkDelivery(token, recipient);
        if (token == NATIVE) revert TokenNotAllowed(token);
        _releaseToken(_markDelivered(withdrawNonce), token, recipient, amount, fee);
    }

    /// @inheritdoc IBridgeLock
    function releaseNative(
        uint256 withdrawNonce,
        address recipient,
        uint256 amount,
        uint256 fee
    ) external nonReentrant {
        _checkDelivery(NATIVE, recipient);
        bytes32 id = _markDelivered(withdrawNonce);
        uint256 reserved = _countOutflow(NATIVE, amount, fee);
        if (address(this).balance < amount + reserved) revert InsufficientCollateral(NATIVE);
        emit Release(id, NATIVE, recipient, amount, fee);
        if (!_trySendNative(recipient, amount)) _credit(id, NATIVE, recipient, amount);
    }

    /// @inheritdoc IBridgeLock
    function releaseIntent(bytes32 intentId, address recipient, uint256 amount, uint256 fee) external nonReentrant {
        _checkDelivery(xcn, recipient);
        if (intentId == bytes32(0)) revert InvalidSetting();
        if (_releasedIntents[intentId]) revert AlreadyDelivered(intentId);
        _releasedIntents[intentId] = true;
        _releaseToken(intentId, xcn, recipient, amount, fee);
    }

    /// @inheritdoc IBridgeLock
    function collectFees(address token) external nonReentrant returns (uint256 amount) {
        amount = feesAccrued(token);
        if (amount == 0) revert NothingToPay();
        // Fits: it is part of the reserved sum.
        uint256 reserved = _tokens[token].reserved -= uint96(amount);
        _pay(token, treasury, amount);
        // Credits come before fees where a token took balance away.
        if (_balance(token) < reserved) revert InsufficientCollateral(token);
        emit FeesCollected(token, amount);
    }

    /// @inheritdoc IBridgeLock
    function setTreasury(address newTreasury) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (newTreasury == address(0) || newTreasury == address(this)) revert InvalidSetting();
        treasury = newTreasury;
        emit TreasurySet(newTreasury);
    }

    /// @inheritdoc IBridgeLock
    function isReleased(uint256 withdrawNonce) external view returns (bool) {
        return _isDelivered(withdrawNonce);
    }

    /// @inheritdoc IBridgeLock
    function isIntentReleased(bytes32 intentId) external view returns (bool) {
        return _releasedIntents[intentId];
    }

    /// @inheritdoc IBridgeLock
    function locked(address token) external view returns (uint256) {
        (uint256 balance, uint256 reserved) = (_balance(token), _tokens[token].reserved);
        // A token may take balance away, and then above all this view is needed.
        return balance > reserved ? balance - reserved : 0;
    }

    /// @inheritdoc IBridgeLock
    function depositNonce() external view returns (uint256) {
        return _switchboard.nonce;
    }

    /// @inheritdoc IBridgeLock
    function depositsPaused() external view returns (bool) {
        return _switchboard.inboundPaused;
    }

    /// @inheritdoc IBridgeLock
    function releasesPaused() external view returns (bool) {
        return _switchboard.outboundPaused;
    }

    /// @inheritdoc IBridgeLock
    function feesAccrued(address token) public view returns (uint256) {
        return _tokens[token].reserved - totalClaimable[token];
    }

    function _deposit(address token, uint256 amount, address recipient) private returns (bytes32 depositId) {
        if (token == NATIVE) revert TokenNotAllowed(token);
        _checkDeposit(token, amount);
        uint256 before = _balance(token);
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = _balance(token) - before;
        if (received != amount) revert AmountMismatch(amount, received);
        depositId = _emitDeposit(token, amount, recipient);
    }

    /// @dev Reverts unless the token is listed and the amount can exist on the other side. One read.
    function _checkDeposit(address token, uint256 amount) private view {
        TokenState storage state = _tokens[token];
        (bool allowed, uint256 granularity) = (state.allowed, _powerOfTen(state.granularityExponent));
        if (!allowed) revert TokenNotAllowed(token);
        if (amount == 0) revert ZeroAmount();
        if (amount % granularity != 0) revert Dust(amount, granularity);
    }

    function _emitDeposit(address token, uint256 amount, address recipient) private returns (bytes32 depositId) {
        (uint256 nonce, , ) = _begin(token, recipient);
        depositId = _operationId(block.chainid, address(this), nonce);
        emit Deposit(depositId, token, msg.sender, recipient, amount, nonce);
    }

    function _releaseToken(bytes32 id, address token, address recipient, uint256 amount, uint256 fee) private {
        uint256 reserved = _countOutflow(token, amount, fee);
        emit Release(id, token, recipient, amount, fee);
        uint256 expected = _balance(token);
        if (IERC20(token).trySafeTransfer(recipient, amount)) {
            expected -= amount;
        } else {
            _credit(id, token, recipient, amount);
            reserved += amount;
        }
        uint256 found = _balance(token);
        // A token that says one thing and does another would pay twice, or from what backs others.
        if (found != expected) revert BalanceMismatch(expected, found);
        if (found < reserved) revert InsufficientCollateral(token);
    }

    function _balance(address token) private view returns (uint256) {
        return token == NATIVE ? address(this).balance : IERC20(token).balanceOf(address(this));
    }
}
