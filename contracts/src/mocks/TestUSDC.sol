// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "./ERC3009.sol";

/// @title USDC for tests: 6 decimals, a blocklist and ERC-3009, like the real one
/// @notice Anyone may mint and block. Never for a chain with value.
contract TestUSDC is ERC3009 {
    /// @notice The accounts that may neither send nor receive.
    mapping(address account => bool) public blocklisted;

    /// @notice The account may neither send nor receive.
    /// @param account The account.
    error Blocklisted(address account);

    /// @notice Creates the token without any units.
    constructor() ERC20("USD Coin", "USDC") ERC20Permit("USD Coin") {}

    /// @notice Creates units.
    /// @param to Receiver.
    /// @param amount Atomic units, 6 decimals.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Blocks or unblocks an account.
    /// @param account The account.
    /// @param blocked Whether it is blocked.
    function setBlocklisted(address account, bool blocked) external {
        blocklisted[account] = blocked;
    }

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (blocklisted[from]) revert Blocklisted(from);
        if (blocklisted[to]) revert Blocklisted(to);
        super._update(from, to, value);
    }
}
