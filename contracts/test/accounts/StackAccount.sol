// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @dev Alice's smart account in the genesis of a stack. Her key signs for it and sends its calls.
contract StackAccount is IERC1271 {
    /// @dev A constant, because a genesis runs no constructor.
    address private constant OWNER = 0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65;

    error NotOwner();
    error CallFailed();

    receive() external payable {}

    function execute(address to, uint256 value, bytes calldata data) external {
        if (msg.sender != OWNER) revert NotOwner();
        (bool succeeded, ) = to.call{value: value}(data);
        if (!succeeded) revert CallFailed();
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecover(hash, signature);
        return signer == OWNER ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
