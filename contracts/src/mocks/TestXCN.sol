// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title XCN for tests
/// @notice Anyone may mint. Never for a chain with value.
contract TestXCN is ERC20Permit {
    /// @notice Creates the token without any units.
    constructor() ERC20("XCN", "XCN") ERC20Permit("XCN") {}

    /// @notice Creates units.
    /// @param to Receiver.
    /// @param amount Atomic units, 18 decimals.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
