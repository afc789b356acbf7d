// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IBridgeMint} from "../bridge/IBridgeMint.sol";

/// @title A token of Ethereum on the partner chain
/// @notice Backed one to one by the collateral of BridgeLock. Only its bridge creates, takes in and destroys units.
/// Units in a relayer wallet were handed in. Only the bridge moves them, or a stolen relayer key could hand them in
/// again.
contract BridgedToken is ERC20Permit {
    /// @notice The BridgeMint that may create, take in and destroy units.
    address public immutable bridge;
    uint8 private immutable _decimals;

    /// @notice The caller is not the bridge.
    /// @param caller Who called.
    error NotBridge(address caller);
    /// @notice The units were handed in; they are retired, or returned by the bridge's refund.
    /// @param wallet A relayer wallet, of now or of before.
    error HandedIn(address wallet);

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

    /// @notice Moves units that their holder hands in for a withdrawal, or that the relayer returns. The bridge passes
    /// only its own caller as `from`, so no allowance is needed and none is left open.
    /// @dev Bridge only.
    /// @param from Who hands in, or the relayer wallet.
    /// @param to The relayer wallet, or who gets them back.
    /// @param amount Atomic units.
    function handOver(address from, address to, uint256 amount) external onlyBridge {
        _transfer(from, to, amount);
    }

    /// @notice Destroys units that were handed in.
    /// @dev Bridge only.
    /// @param holder Relayer wallet, of now or of before.
    /// @param amount Atomic units.
    function retire(address holder, uint256 amount) external onlyBridge {
        _burn(holder, amount);
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    /// @dev Everybody but the bridge moves only what was not handed in.
    function _update(address from, address to, uint256 value) internal override {
        if (msg.sender != bridge && IBridgeMint(bridge).isRelayerWallet(from)) revert HandedIn(from);
        super._update(from, to, value);
    }
}
