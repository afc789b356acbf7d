// SPDX-License-Identifier: GPL-3.0
pragma solidity 0.8.37;

import {IEntryPoint} from "@account-abstraction/contracts/interfaces/IEntryPoint.sol";
import {SimpleAccount} from "@account-abstraction/contracts/samples/SimpleAccount.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @dev The sample account of ERC-4337 plus ERC-1271: its owner's key signs. GPL, like the account that it extends.
contract OwnedAccount is SimpleAccount, IERC1271 {
    constructor(IEntryPoint entryPoint) SimpleAccount(entryPoint) {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecover(hash, signature);
        return signer == owner ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @dev Deploys accounts at addresses known in advance: an account can receive coin and sign before it has code.
contract OwnedAccountFactory {
    OwnedAccount public immutable implementation;

    constructor(IEntryPoint entryPoint) {
        implementation = new OwnedAccount(entryPoint);
    }

    function createAccount(address owner, uint256 salt) external returns (address account) {
        account = getAddress(owner, salt);
        if (account.code.length == 0) new ERC1967Proxy{salt: bytes32(salt)}(address(implementation), _setUp(owner));
    }

    function getAddress(address owner, uint256 salt) public view returns (address) {
        bytes memory arguments = abi.encode(address(implementation), _setUp(owner));
        bytes32 codeHash = keccak256(abi.encodePacked(type(ERC1967Proxy).creationCode, arguments));
        return Create2.computeAddress(bytes32(salt), codeHash);
    }

    function _setUp(address owner) private pure returns (bytes memory) {
        return abi.encodeCall(SimpleAccount.initialize, (owner));
    }
}
