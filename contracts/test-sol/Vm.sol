// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The cheat codes of Hardhat's Solidity test runner that the tests use.
interface Vm {
    function prank(address caller) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function expectRevert(bytes calldata revertData) external;
    function expectRevert(bytes4 selector) external;
    function expectEmit(address emitter) external;
    function expectCall(address callee, uint256 value, uint64 gasGiven, bytes calldata data) external;
    function warp(uint256 timestamp) external;
    function deal(address account, uint256 balance) external;
    function assume(bool condition) external pure;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata reason) external pure;
    function assertGe(uint256 left, uint256 right, string calldata reason) external pure;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function chainId(uint256 id) external;
    function assertEq(address left, address right) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(bool left, bool right) external pure;
    function assertTrue(bool condition) external pure;
    function assertFalse(bool condition) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertGe(uint256 left, uint256 right) external pure;
}
