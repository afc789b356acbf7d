// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title XCN of a testnet
/// @notice Its supply is fixed, and no account has special rights. The faucet hands it out within its limits. Never for
/// a chain with value.
contract TestnetXCN is ERC20Permit {
    /// @notice Creates the token with its whole supply.
    /// @param holder Receives it.
    /// @param supply Atomic units, 18 decimals.
    constructor(address holder, uint256 supply) ERC20("XCN", "XCN") ERC20Permit("XCN") {
        _mint(holder, supply);
    }
}
