// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "./Vm.sol";

/// @dev Creates contracts from what was compiled of them, as a deployment does. With `new`, every test would carry the code of
/// the bridge, and the compiler would optimise it once more for each of them: minutes.
library Artifact {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function create(string memory name, bytes memory args) internal returns (address created) {
        bytes memory code = abi.encodePacked(vm.getCode(name), args);
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
            if iszero(created) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }
}
