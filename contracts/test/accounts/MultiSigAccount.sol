// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @dev Two owners must sign, like a Safe of 2 of 2: the signatures of 65 bytes follow each other in the order of the
/// owners. The owners are in the code, so that an EIP-7702 account that delegates to it has them, too.
contract MultiSigAccount is IERC1271 {
    address private immutable FIRST;
    address private immutable SECOND;

    error NotTwoSignatures(uint256 length);

    constructor(address first, address second) {
        (FIRST, SECOND) = (first, second);
    }

    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        if (signatures.length != 130) revert NotTwoSignatures(signatures.length);
        (address first, , ) = ECDSA.tryRecover(hash, signatures[:65]);
        (address second, , ) = ECDSA.tryRecover(hash, signatures[65:]);
        return first == FIRST && second == SECOND ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
