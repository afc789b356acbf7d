// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @dev A smart account that anyone may use. A valid signature is the hash of the digest and of the number of
/// revocations.
contract OpenAccount is IERC1271 {
    uint256 private _revocations;

    error CallFailed();

    receive() external payable {}

    function execute(address to, uint256 value, bytes calldata data) external {
        (bool paid, ) = to.call{value: value}(data);
        if (!paid) revert CallFailed();
    }

    function revokeSignatures() external {
        _revocations++;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 expected = keccak256(abi.encode(hash, _revocations));
        bool isValid = keccak256(signature) == keccak256(abi.encode(expected));
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @dev Calls each account of a bundle, as the entry point of ERC-4337 does. A failing call does not stop the others.
contract OpenEntryPoint {
    event Called(address account, bool succeeded);

    function handleOps(address[] calldata accounts, bytes[] calldata calls) external {
        for (uint256 index = 0; index < accounts.length; index++) {
            (bool succeeded, ) = accounts[index].call(calls[index]);
            emit Called(accounts[index], succeeded);
        }
    }
}
