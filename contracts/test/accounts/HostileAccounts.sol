// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Returns the given bytes for every call.
contract AnsweringAccount {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        return _answer;
    }
}

/// @dev Reverts with the given bytes for every call.
contract RevertingAccount {
    bytes private _data;

    constructor(bytes memory data) {
        _data = data;
    }

    fallback() external payable {
        bytes memory data = _data;
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }
}

/// @dev Never returns.
contract LoopingAccount {
    fallback() external payable {
        while (true) {}
    }
}

/// @dev Returns a megabyte.
contract BombingAccount {
    fallback() external payable {
        assembly ("memory-safe") {
            return(0, 1000000)
        }
    }
}

/// @dev Implements only the variant of the ERC-1271 drafts, and accepts every signature.
contract LegacyAccount {
    function isValidSignature(bytes calldata, bytes calldata) external pure returns (bytes4) {
        return 0x20c13b0b;
    }
}
