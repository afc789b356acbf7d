// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../src/bridge/BridgeEnd.sol";
import {BridgeLock} from "../src/bridge/BridgeLock.sol";
import {BridgeMint} from "../src/bridge/BridgeMint.sol";
import {BridgedToken} from "../src/tokens/BridgedToken.sol";
import {TestUSDC} from "../src/testing/TestUSDC.sol";
import {TestXCN} from "../src/testing/TestXCN.sol";
import {Artifact} from "./Artifact.sol";
import {Vm} from "./Vm.sol";

/// @dev Both ends in one EVM, as different chains see each other, with the keys in different hands.
abstract contract BridgeFixture {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint256 internal constant PEER_CHAIN = 8901;
    uint256 internal constant UNIT = 1e10;
    uint48 internal constant ADMIN_DELAY = 2 days;
    uint128 internal constant CAPACITY = 1_000_000e18;
    uint32 internal constant WINDOW = 1 hours;

    address internal immutable admin = address(0xA1);
    address internal immutable guardian = address(0xA2);
    address internal immutable policyManager = address(0xA3);
    address internal immutable treasury = address(0xA4);
    address internal immutable relayer = address(0xA5);
    address internal immutable peer = address(0xA6);
    address internal immutable alice = address(0xB1);
    address internal immutable bob = address(0xB2);

    BridgeLock internal lock;
    BridgeMint internal bridgeMint;
    TestUSDC internal usdc;
    TestXCN internal xcn;
    BridgedToken internal bridgedEth;

    function setUp() public virtual {
        usdc = TestUSDC(Artifact.create("TestUSDC", ""));
        xcn = TestXCN(Artifact.create("TestXCN", ""));
        lock = newLock(setup(), address(xcn), treasury);
        bridgeMint = newMint(setup(), UNIT);
        bridgedEth = newToken("Bridged Ether", "ETH", 18, address(bridgeMint));
        list(lock, address(0), 0);
        list(lock, address(usdc), 0);
        list(lock, address(xcn), 10);
        list(bridgeMint, address(0), 10);
        list(bridgeMint, address(bridgedEth), 0);
        vm.startPrank(policyManager);
        bridgeMint.setFeePolicy(address(bridgedEth), 25, 0.003 ether, 0.01 ether);
        bridgeMint.setFeePolicy(address(0), 25, 1_000 ether, 5_000 ether);
        vm.stopPrank();
    }

    function setup() internal view returns (BridgeEnd.Setup memory) {
        return BridgeEnd.Setup(PEER_CHAIN, peer, relayer, admin, ADMIN_DELAY, guardian, policyManager);
    }

    function newLock(
        BridgeEnd.Setup memory with,
        address xcnToken,
        address initialTreasury
    ) internal returns (BridgeLock) {
        return newLock(with, new BridgeEnd.TokenSetup[](0), xcnToken, initialTreasury);
    }

    function newMint(BridgeEnd.Setup memory with, uint256 unit) internal returns (BridgeMint) {
        return newMint(with, new BridgeEnd.TokenSetup[](0), new BridgeMint.FeeSetup[](0), unit);
    }

    function newLock(
        BridgeEnd.Setup memory with,
        BridgeEnd.TokenSetup[] memory tokens,
        address xcnToken,
        address initialTreasury
    ) internal returns (BridgeLock) {
        return BridgeLock(Artifact.create("BridgeLock", abi.encode(with, tokens, xcnToken, initialTreasury)));
    }

    function newMint(
        BridgeEnd.Setup memory with,
        BridgeEnd.TokenSetup[] memory tokens,
        BridgeMint.FeeSetup[] memory fees,
        uint256 unit
    ) internal returns (BridgeMint) {
        return BridgeMint(Artifact.create("BridgeMint", abi.encode(with, tokens, fees, unit)));
    }

    function newToken(
        string memory name,
        string memory symbol,
        uint8 decimals,
        address bridge
    ) internal returns (BridgedToken) {
        return BridgedToken(Artifact.create("BridgedToken", abi.encode(name, symbol, decimals, bridge)));
    }

    function list(BridgeEnd end, address token, uint8 exponent) internal {
        vm.prank(admin);
        end.setToken(token, true, exponent);
        vm.prank(policyManager);
        end.setOutflowLimit(token, CAPACITY, WINDOW);
    }

    /// @dev Puts collateral into the lock as deposits do.
    function fund(address token, uint256 amount) internal {
        if (token == address(0)) {
            depositWithValue(alice, amount, bob);
            return;
        }
        TestXCN(token).mint(alice, amount);
        vm.startPrank(alice);
        TestXCN(token).approve(address(lock), amount);
        lock.deposit(token, amount, bob);
        vm.stopPrank();
    }

    function depositWithValue(address from, uint256 value, address recipient) internal returns (bytes32) {
        vm.deal(from, value);
        vm.prank(from);
        return lock.depositNative{value: value}(recipient);
    }

    function idOf(uint256 chainId, address origin, uint256 nonce) internal pure returns (bytes32) {
        return keccak256(abi.encode(chainId, origin, nonce));
    }
}
