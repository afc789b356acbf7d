// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeLock} from "../src/bridge/BridgeLock.sol";
import {TestUSDC} from "../src/testing/TestUSDC.sol";
import {BridgeFixture} from "./BridgeFixture.sol";
import {Vm} from "./Vm.sol";

/// @dev Random users, a relayer that pays what is owed, refusals, claims, pauses and passing time.
contract BridgeActors {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    BridgeLock private immutable lock;
    TestUSDC private immutable usdc;
    address private immutable relayer;

    uint256 public deposited;
    uint256 public released;
    uint256 public fees;
    uint256 public collected;
    uint256 public credited;
    uint256 public claimed;
    uint256 public doublePaid;
    uint256 private time = 1_000_000;

    constructor(BridgeLock lock_, TestUSDC usdc_, address relayer_) {
        lock = lock_;
        usdc = usdc_;
        relayer = relayer_;
    }

    function user(uint256 seed) private pure returns (address) {
        return address(uint160(0xC000 + (seed % 4)));
    }

    function deposit(uint256 seed, uint64 amount) external {
        address sender = user(seed);
        usdc.setBlocklisted(sender, false);
        usdc.mint(sender, amount);
        vm.startPrank(sender);
        usdc.approve(address(lock), amount);
        lock.deposit(address(usdc), amount, address(0xB0B));
        vm.stopPrank();
        deposited += amount;
    }

    function release(uint8 nonce, uint256 seed, uint64 amount, uint32 fee, bool refused) external {
        address recipient = user(seed);
        usdc.setBlocklisted(recipient, refused);
        bool before = lock.isReleased(nonce);
        vm.prank(relayer);
        lock.release(nonce, address(usdc), recipient, amount, fee);
        if (before) doublePaid++;
        if (refused) credited += amount;
        else released += amount;
        fees += fee;
    }

    function claim(uint256 seed) external {
        vm.prank(user(seed));
        claimed += lock.claim(address(usdc), address(0xCA54));
    }

    function collect() external {
        collected += lock.collectFees(address(usdc));
    }

    function wait(uint16 elapsed) external {
        time += elapsed;
        vm.warp(time);
    }
}

contract SolvencyTest is BridgeFixture {
    BridgeActors private actors;

    function setUp() public override {
        super.setUp();
        actors = new BridgeActors(lock, usdc, relayer);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(actors);
    }

    function invariant_CollateralCoversFeesAndCredits() external view {
        uint256 balance = usdc.balanceOf(address(lock));
        vm.assertGe(balance, lock.feesAccrued(address(usdc)) + lock.totalClaimable(address(usdc)));
        vm.assertEq(balance, actors.deposited() - actors.released() - actors.claimed() - actors.collected());
    }

    function invariant_TheBooksAgree() external view {
        vm.assertEq(lock.feesAccrued(address(usdc)), actors.fees() - actors.collected());
        vm.assertEq(lock.totalClaimable(address(usdc)), actors.credited() - actors.claimed());
        vm.assertEq(usdc.balanceOf(treasury), actors.collected());
    }

    function invariant_ANumberIsPaidOnce() external view {
        vm.assertEq(actors.doublePaid(), 0);
    }
}
