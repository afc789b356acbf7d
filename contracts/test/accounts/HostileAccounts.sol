// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Returns given bytes, whatever it is asked.
contract AnsweringAccount {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        return _answer;
    }
}

/// @dev Reverts with given bytes, whatever it is asked.
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

/// @dev Never answers.
contract LoopingAccount {
    fallback() external payable {
        while (true) {}
    }
}

/// @dev Answers with a megabyte.
contract BombingAccount {
    fallback() external payable {
        assembly ("memory-safe") {
            return(0, 1000000)
        }
    }
}

/// @dev Knows only the variant of ERC-1271's drafts, and accepts every signature by it.
contract LegacyAccount {
    function isValidSignature(bytes calldata, bytes calldata) external pure returns (bytes4) {
        return 0x20c13b0b;
    }
}
