// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "../fixtures/Vm.sol";

/// @dev Tries a call from outside and reverts it: an attack that would fail anyway proves nothing.
contract DryRun {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    error Reverted(bool worked);

    function works(address from, address to, uint256 value, bytes calldata call) external returns (bool worked) {
        try this.run(from, to, value, call) {} catch (bytes memory answer) {
            // The selector, then the one word.
            assembly ("memory-safe") {
                worked := mload(add(answer, 0x24))
            }
        }
    }

    function run(address from, address to, uint256 value, bytes calldata call) external {
        vm.prank(from);
        (bool worked, ) = to.call{value: value, gas: 700_000}(call);
        revert Reverted(worked);
    }
}
