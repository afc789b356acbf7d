// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title A token of Ethereum on the partner chain
/// @notice Backed one to one by what BridgeLock holds. Only its bridge creates, takes in and destroys units.
contract BridgedToken is ERC20Permit {
    /// @notice The BridgeMint that may create, take in and destroy units.
    address public immutable bridge;
    uint8 private immutable _decimals;

    /// @notice The caller is not the bridge.
    error NotBridge(address caller);

    modifier onlyBridge() {
        if (msg.sender != bridge) revert NotBridge(msg.sender);
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

    /// @notice Creates units for what was locked on Ethereum.
    /// @dev Bridge only.
    /// @param to Receiver.
    /// @param amount Atomic units.
    function mint(address to, uint256 amount) external onlyBridge {
        _mint(to, amount);
    }

    /// @notice Moves units that their holder hands in for a withdrawal. The bridge calls it for its own caller only, so
    /// no allowance is needed and none is left open.
    /// @dev Bridge only.
    /// @param holder Who hands in.
    /// @param relayer Relayer wallet.
    /// @param amount Atomic units.
    function handIn(address holder, address relayer, uint256 amount) external onlyBridge {
        _transfer(holder, relayer, amount);
    }

    /// @notice Destroys units that were handed in.
    /// @dev Bridge only.
    /// @param holder Relayer wallet.
    /// @param amount Atomic units.
    function retire(address holder, uint256 amount) external onlyBridge {
        _burn(holder, amount);
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _decimals;
    }
}
