// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";

/// @title BridgeFactory
/// @notice Deploys contracts at addresses that depend on the deployer and a salt only, not on the creation code. Two
/// contracts can therefore name each other in their constructors.
/// @dev CREATE2 deploys a proxy of 8 bytes, whose first CREATE deploys the contract (the scheme known as CREATE3).
contract BridgeFactory {
    using Address for address;

    /// @dev Returns the code 363d3d37363d34f0, which deploys its call data as creation code.
    bytes private constant PROXY = hex"67363d3d37363d34f03d5260086018f3";

    /// @notice Block in which this factory deployed a contract; 0 for any other address. Its events begin there.
    mapping(address deployed => uint256) public deployedAtBlock;

    /// @notice A contract was deployed.
    /// @param deployer The caller.
    /// @param salt Its salt.
    /// @param deployed Its address.
    event Deployed(address indexed deployer, bytes32 indexed salt, address deployed);

    /// @notice The deployer used this salt before.
    /// @param deployed Address of that contract.
    error AlreadyDeployed(address deployed);
    /// @notice The constructor reverted, or left no code.
    error DeploymentFailed();

    /// @notice Deploys a contract at `addressOf(msg.sender, salt)`.
    /// @dev Anyone, each deployer at its own addresses. Reverts with AlreadyDeployed, DeploymentFailed.
    /// @param salt Any number that the caller has not used.
    /// @param creationCode Creation code with the constructor's arguments.
    /// @return deployed Its address.
    function deploy(bytes32 salt, bytes calldata creationCode) external returns (address deployed) {
        deployed = addressOf(msg.sender, salt);
        if (deployed.code.length != 0) revert AlreadyDeployed(deployed);
        address proxy = Create2.deploy(0, _ownSalt(msg.sender, salt), PROXY);
        // The proxy does not report failures, so the code is checked.
        proxy.functionCall(creationCode);
        if (deployed.code.length == 0) revert DeploymentFailed();
        deployedAtBlock[deployed] = block.number;
        emit Deployed(msg.sender, salt, deployed);
    }

    /// @notice The address of a contract by deployer and salt, deployed or not.
    /// @param deployer The account that deploys it.
    /// @param salt Its salt.
    /// @return Its address.
    function addressOf(address deployer, bytes32 salt) public view returns (address) {
        address proxy = Create2.computeAddress(_ownSalt(deployer, salt), keccak256(PROXY));
        // RLP of the proxy's address and 1, the nonce of a new contract.
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", proxy, hex"01")))));
    }

    /// @dev Includes the deployer, so that no one can take another deployer's address.
    function _ownSalt(address deployer, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(deployer, salt));
    }
}
