// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrantAttacker} from "./ReentrantAttacker.sol";

/// @dev A token that misbehaves in one settable mode at a time.
contract ChaoticToken is ReentrantAttacker {
    enum Mode {
        Honest,
        FeeOnTransfer,
        ReturnsFalse,
        ReturnsNothing,
        Reverts,
        Reenters,
        Blocklists,
        LiesThatItMoved,
        TakesMoreFromTheSender,
        MovesAndReturnsFalse,
        EatsGas
    }

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public blocked;
    Mode public mode;

    error Refused();

    /// @dev Receives coin for an attack that pays.
    receive() external payable {}

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _answer(_move(msg.sender, to, amount));
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _answer(_move(from, to, amount));
    }

    /// @dev ERC-3009, without its signature.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 amount,
        uint256,
        uint256,
        bytes32,
        uint8,
        bytes32,
        bytes32
    ) external {
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        Mode current = mode;
        if (current == Mode.Reverts) revert Refused();
        if (current == Mode.Blocklists && (blocked[from] || blocked[to])) revert Refused();
        if (current == Mode.ReturnsFalse) return false;
        if (current == Mode.LiesThatItMoved) return true;
        if (current == Mode.EatsGas) while (true) {}
        if (current == Mode.Reenters) _attack();
        uint256 tax = current == Mode.FeeOnTransfer ? amount / 100 + 1 : 0;
        balanceOf[from] -= amount;
        balanceOf[to] += amount > tax ? amount - tax : 0;
        if (current == Mode.TakesMoreFromTheSender && balanceOf[from] > 0) balanceOf[from] -= 1;
        return current != Mode.MovesAndReturnsFalse;
    }

    function _answer(bool value) private view returns (bool) {
        if (mode == Mode.ReturnsNothing) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        return value;
    }
}
