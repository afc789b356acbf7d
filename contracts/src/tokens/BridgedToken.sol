// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IBridgedToken} from "../interfaces/IBridgedToken.sol";

/// @title A token of Ethereum on the partner chain
/// @notice Backed one to one by the collateral of BridgeLock. Only the bridge, and the successor that it names, create,
/// accept and destroy units. Units that a relayer wallet received in a burn are sealed: only the bridge moves them, so
/// that a stolen relayer key cannot hand them in again. They are retired and never refunded, since their withdrawal is
/// paid on Ethereum.
/// @dev Balances are stored here instead of in ERC20, since the seal shares their slot: a transfer checks it without
/// another read, and the slot of a relayer wallet is never zero again. A slot has the balance (128 bits), the handed-in
/// units (127 bits) and the seal (1 bit).
contract BridgedToken is IBridgedToken, ERC20Permit {
    /// @dev In a slot: the seal.
    uint256 private constant SEAL = 1 << 255;
    /// @dev In a slot: the offset of the handed-in units.
    uint256 private constant HANDED_IN_SHIFT = 128;
    /// @dev The supply stays below this, so every balance and every sum of handed-in units fits its bits.
    uint256 private constant MAX_SUPPLY = 1 << 127;

    /// @inheritdoc IBridgedToken
    address public immutable bridge;
    uint8 private immutable _decimals;

    /// @inheritdoc IBridgedToken
    address public successor;
    uint256 private _supply;
    /// @dev Balance, handed-in units and seal.
    mapping(address account => uint256) private _slots;

    modifier onlyBridge() {
        if (msg.sender != bridge) _requireSuccessor();
        _;
    }

    /// @notice Creates the token of a bridge.
    /// @param name_ Name of the token.
    /// @param symbol_ Symbol of the token.
    /// @param decimals_ Decimals, those of the original.
    /// @param bridge_ BridgeMint of this chain.
    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        address bridge_
    ) ERC20(name_, symbol_) ERC20Permit(name_) {
        _decimals = decimals_;
        bridge = bridge_;
    }

    /// @inheritdoc IBridgedToken
    function mint(address to, uint256 amount) external onlyBridge returns (bool minted) {
        uint256 slot = _slots[to];
        if (slot & SEAL != 0) return false;
        uint256 supply = _supply + amount;
        if (supply >= MAX_SUPPLY) revert SupplyOverflow();
        _supply = supply;
        unchecked {
            _slots[to] = slot + amount;
        }
        emit Transfer(address(0), to, amount);
        return true;
    }

    /// @inheritdoc IBridgedToken
    function bridgeTransfer(address from, address wallet, uint256 amount) external onlyBridge {
        _take(from, amount, false);
        // No overflow: units that were handed in and not retired are part of the balance.
        unchecked {
            _slots[wallet] = (_slots[wallet] + amount + (amount << HANDED_IN_SHIFT)) | SEAL;
        }
        emit Transfer(from, wallet, amount);
    }

    /// @inheritdoc IBridgedToken
    function bridgeRefund(address wallet, address to, uint256 amount) external onlyBridge {
        _take(wallet, amount, true);
        if (balanceOf(wallet) < handedIn(wallet)) revert HandedIn(wallet);
        unchecked {
            _slots[to] += amount;
        }
        emit Transfer(wallet, to, amount);
    }

    /// @inheritdoc IBridgedToken
    function retire(address wallet, uint256 amount) external onlyBridge {
        uint256 left = handedIn(wallet);
        if (amount > left) revert NotHandedIn(wallet, left, amount);
        // No underflow: units that were handed in and not retired are part of balance and supply.
        unchecked {
            _slots[wallet] -= amount + (amount << HANDED_IN_SHIFT);
            _supply -= amount;
        }
        emit Transfer(wallet, address(0), amount);
    }

    /// @inheritdoc IBridgedToken
    function nameSuccessor(address newSuccessor) external {
        if (msg.sender != bridge) revert NotBridge(msg.sender);
        if (successor != address(0)) revert SuccessorSet(successor);
        successor = newSuccessor;
        emit SuccessorNamed(newSuccessor);
    }

    /// @inheritdoc IBridgedToken
    function handedIn(address wallet) public view returns (uint256) {
        return (_slots[wallet] & ~SEAL) >> HANDED_IN_SHIFT;
    }

    /// @inheritdoc IBridgedToken
    function isSealed(address account) public view returns (bool) {
        return _slots[account] & SEAL != 0;
    }

    /// @inheritdoc ERC20
    function decimals() public view override(ERC20, IERC20Metadata) returns (uint8) {
        return _decimals;
    }

    /// @inheritdoc ERC20
    function totalSupply() public view override(ERC20, IERC20) returns (uint256) {
        return _supply;
    }

    /// @inheritdoc ERC20
    function balanceOf(address account) public view override(ERC20, IERC20) returns (uint256) {
        return uint128(_slots[account]);
    }

    /// @dev Transfers by a holder or with an allowance; only the functions above create and destroy units. No balance
    /// reaches the seal, since the supply stays below it. Units sent to the token or the bridge would be lost, so both
    /// are refused. The successor is not: reading it would cost every transfer 2,100 gas.
    function _update(address from, address to, uint256 value) internal override {
        address bridge_ = bridge;
        bool isLost;
        // Two jumps would cost every transfer more.
        assembly ("memory-safe") {
            isLost := or(eq(to, bridge_), eq(to, address()))
        }
        if (isLost) revert ERC20InvalidReceiver(to);
        _take(from, value, false);
        unchecked {
            _slots[to] += value;
        }
        emit Transfer(from, to, value);
    }

    /// @dev Called only when the caller is not the bridge, whose calls pay for no read.
    function _requireSuccessor() private view {
        if (msg.sender != successor) revert NotBridge(msg.sender);
    }

    function _take(address from, uint256 value, bool evenSealed) private {
        uint256 slot = _slots[from];
        if (slot & SEAL != 0 && !evenSealed) revert HandedIn(from);
        uint256 balance = uint128(slot);
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        unchecked {
            _slots[from] = slot - value;
        }
    }
}
