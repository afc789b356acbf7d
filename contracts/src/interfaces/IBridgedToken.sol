// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title A token of Ethereum on the partner chain
/// @notice ERC-20, the functions of its bridge, and views of handed-in units.
interface IBridgedToken is IERC20Metadata {
    /// @notice The successor can create, accept and destroy units from this block on, beside the bridge.
    /// @param successor The successor of the bridge.
    event SuccessorNamed(address indexed successor);

    /// @notice The caller is neither the bridge nor, except in nameSuccessor, its successor.
    /// @param caller The caller.
    error NotBridge(address caller);
    /// @notice The units were handed in: they can only be retired, not moved or refunded.
    /// @param wallet A relayer wallet, current or former.
    error HandedIn(address wallet);
    /// @notice The wallet has fewer handed-in units than asked for.
    /// @param wallet The relayer wallet.
    /// @param left Atomic units that can be retired.
    /// @param asked Atomic units asked for.
    error NotHandedIn(address wallet, uint256 left, uint256 asked);
    /// @notice The supply would reach 2^127 units.
    error SupplyOverflow();
    /// @notice The bridge has already named its successor.
    /// @param successor The successor.
    error SuccessorSet(address successor);

    /// @notice Creates units for collateral on Ethereum. Creates none for a sealed wallet, whose owner could not move
    /// them.
    /// @dev Bridge only.
    /// @param to Receiver, not zero.
    /// @param amount Atomic units.
    /// @return minted Whether the units were created.
    function mint(address to, uint256 amount) external returns (bool minted);

    /// @notice Moves units that their holder hands in for a withdrawal, and seals the wallet. The bridge passes only
    /// its own caller as `from`, so no allowance is needed and none is left open.
    /// @dev Bridge only. Reverts with HandedIn for a sealed holder: its units were handed in before.
    /// @param from Holder.
    /// @param wallet The relayer wallet.
    /// @param amount Atomic units.
    function bridgeTransfer(address from, address wallet, uint256 amount) external;

    /// @notice Returns units that came to a relayer wallet by a plain transfer.
    /// @dev Bridge only. Reverts with HandedIn for handed-in units: refunding them would pay twice, beside their
    /// release.
    /// @param wallet Relayer wallet, current or former.
    /// @param to Receiver, not zero.
    /// @param amount Atomic units.
    function bridgeRefund(address wallet, address to, uint256 amount) external;

    /// @notice Destroys units that were handed in.
    /// @dev Bridge only. Reverts with NotHandedIn.
    /// @param wallet Relayer wallet, current or former.
    /// @param amount Atomic units.
    function retire(address wallet, uint256 amount) external;

    /// @notice Permanently accepts a second bridge contract beside the bridge. Balances and the token's address stay
    /// the same.
    /// @dev The bridge only, not its successor, and once. Reverts with NotBridge, SuccessorSet.
    /// @param newSuccessor The successor of the bridge.
    function nameSuccessor(address newSuccessor) external;

    /// @notice Units in a relayer wallet that were handed in and are not retired.
    /// @param wallet Relayer wallet, current or former.
    /// @return Atomic units.
    function handedIn(address wallet) external view returns (uint256);

    /// @notice Whether an account received handed-in units. Only the bridge moves the units of a sealed account.
    /// @param account The account.
    /// @return Whether it is sealed.
    function isSealed(address account) external view returns (bool);

    /// @notice The BridgeMint that may create, accept and destroy units.
    /// @return Its address.
    function bridge() external view returns (address);

    /// @notice The BridgeMint that may do the same after a hand-over.
    /// @return Its address; zero before a hand-over.
    function successor() external view returns (address);
}
