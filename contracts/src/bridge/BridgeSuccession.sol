// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../interfaces/IBridgeBase.sol";
import {IBridgeSuccession} from "../interfaces/IBridgeSuccession.sol";
import {BridgeBase} from "./BridgeBase.sol";

/// @title Succession of both bridge contracts
/// @notice Announce, close, hand over: in this order, after the exit window, and only to the announced contract.
abstract contract BridgeSuccession is IBridgeSuccession, BridgeBase {
    /// @dev One slot.
    struct Succession {
        address successor;
        uint48 handOverFrom;
        bool hasBegun;
    }

    /// @dev Seconds before the end of the exit window from which any account may close beginnings.
    uint256 private constant CLOSING = 3 days;
    /// @dev Minimum seconds between closing and the first hand-over, for operations that began last.
    uint256 private constant SETTLING = 1 days;

    uint256 private immutable _exitWindow;
    Succession private _succession;

    constructor(Setup memory setup, TokenSetup[] memory tokens) BridgeBase(setup, tokens) {
        _exitWindow = setup.exitWindow;
    }

    /// @inheritdoc IBridgeSuccession
    function announceSuccessor(address successor) external onlyOwner {
        if (_exitWindow == 0) revert SuccessionForbidden();
        address current = _succession.successor;
        if (current != address(0)) revert SuccessorTaken(current);
        _requireRecipient(successor);
        if (successor.code.length == 0) revert SuccessorWithoutCode(successor);
        uint256 from = block.timestamp + _exitWindow;
        // Fits: the window is below 2^32.
        _succession = Succession(successor, uint48(from), false);
        emit SuccessorAnnounced(successor, from);
    }

    /// @inheritdoc IBridgeSuccession
    function terminateSuccession() external onlyOwner {
        address successor = _announced();
        if (_succession.hasBegun) revert HandOverHasBegun();
        delete _succession;
        emit SuccessionEnded(successor);
    }

    /// @inheritdoc IBridgeSuccession
    function closeForEver() external {
        address successor = _announced();
        if (_areBeginningsClosed()) revert BeginningsAreClosed();
        uint256 from = _succession.handOverFrom;
        // With an exit window below three days, as in local environments, closing is possible immediately.
        if (block.timestamp + CLOSING < from) revert TooEarly(from - CLOSING);
        _closeBeginnings();
        uint256 settled = block.timestamp + SETTLING;
        if (settled > from) from = settled;
        _succession.handOverFrom = uint48(from);
        emit BeginningsClosed(successor, from);
    }

    /// @inheritdoc IBridgeSuccession
    function handOver(address token, uint256 amount) external onlyOwner nonReentrant {
        address successor = _announced();
        if (!_areBeginningsClosed()) revert BeginningsAreOpen();
        uint256 from = _succession.handOverFrom;
        if (block.timestamp < from) revert TooEarly(from);
        _listed(token);
        uint256 free = _free(token);
        if (amount > free) revert AboveFree(amount, free);
        _succession.hasBegun = true;
        emit HandedOver(successor, token, amount);
        if (token != NATIVE) return _handOverToken(token, successor, amount);
        uint256 value = _toValue(amount);
        if (_fromValue(value) != amount) revert Dust(amount, _fromValue(1));
        IBridgeBase(successor).topUp{value: value}();
    }

    /// @inheritdoc IBridgeSuccession
    function successionProgress()
        external
        view
        returns (uint256 exitWindow, address successor, uint256 handOverFrom, bool hasBegun)
    {
        return (_exitWindow, _succession.successor, _succession.handOverFrom, _succession.hasBegun);
    }

    /// @dev Hands over an ERC-20, or the right to mint it.
    function _handOverToken(address token, address successor, uint256 amount) internal virtual;

    function _announced() private view returns (address successor) {
        successor = _succession.successor;
        if (successor == address(0)) revert NoSuccessor();
    }
}
