// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title A token of Ethereum on the partner chain
/// @notice Beside ERC-20: the functions of its bridge, and what it tells about tokens that were handed in.
interface IBridgedToken is IERC20Metadata {
    /// @notice Another contract may create, accept and destroy units from now on, beside the bridge.
    /// @param successor The successor of the bridge.
    event SuccessorNamed(address indexed successor);

    /// @notice The caller is neither the bridge nor, but for nameSuccessor, its successor.
    /// @param caller The caller.
    error NotBridge(address caller);
    /// @notice The units were handed in: they can be retired, and neither move nor return.
    /// @param wallet A relayer wallet, current or former.
    error HandedIn(address wallet);
    /// @notice Fewer units were handed in and not retired yet.
    /// @param wallet The relayer wallet.
    /// @param left Atomic units that may be retired.
    /// @param asked Atomic units asked for.
    error NotHandedIn(address wallet, uint256 left, uint256 asked);
    /// @notice The supply would reach 2^127 units.
    error SupplyOverflow();
    /// @notice The bridge named its successor before.
    /// @param successor The successor.
    error SuccessorSet(address successor);

    /// @notice Creates units for what was locked on Ethereum. Refuses a sealed wallet, whose owner could not move them.
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
    /// @dev Bridge only. Reverts with HandedIn for more than that: a refund beside a release would pay twice.
    /// @param wallet Relayer wallet, current or former.
    /// @param to Receiver, not zero.
    /// @param amount Atomic units.
    function bridgeRefund(address wallet, address to, uint256 amount) external;

    /// @notice Destroys units that were handed in.
    /// @dev Bridge only. Reverts with NotHandedIn.
    /// @param wallet Relayer wallet, current or former.
    /// @param amount Atomic units.
    function retire(address wallet, uint256 amount) external;

    /// @notice Accepts another bridge contract beside the bridge, for ever. Units keep their owners, and the token its
    /// address.
    /// @dev Bridge only and not its successor, once. Reverts with NotBridge, SuccessorSet.
    /// @param newSuccessor The successor of the bridge.
    function nameSuccessor(address newSuccessor) external;

    /// @notice Units in a relayer wallet that were handed in and not retired yet.
    /// @param wallet Relayer wallet, current or former.
    /// @return Atomic units.
    function handedIn(address wallet) external view returns (uint256);

    /// @notice Whether an account received units that were handed in. Then only the bridge moves what it holds.
    /// @param account The account.
    /// @return Whether it is sealed.
    function isSealed(address account) external view returns (bool);

    /// @notice The BridgeMint that may create, accept and destroy units.
    /// @return Its address.
    function bridge() external view returns (address);

    /// @notice The BridgeMint that may do so, too.
    /// @return Its address; zero before a hand-over.
    function successor() external view returns (address);
}
