// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "./ERC3009.sol";

/// @title USDC of a testnet: 6 decimals and ERC-3009
/// @notice Its supply is fixed, and no account has special rights. The faucet hands it out within its limits. Never for
/// a chain with value.
contract TestnetUSDC is ERC3009 {
    /// @notice Creates the token with its whole supply.
    /// @param holder Receives it.
    /// @param supply Atomic units, 6 decimals.
    constructor(address holder, uint256 supply) ERC20("USD Coin", "USDC") ERC20Permit("USD Coin") {
        _mint(holder, supply);
    }

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
