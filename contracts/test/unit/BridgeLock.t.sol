// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBridgeEnd} from "../../src/bridge/IBridgeEnd.sol";
import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {IBridgeLock} from "../../src/bridge/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {FalseToken, FeeOnTransferToken, SilentToken} from "../mocks/HostileTokens.sol";

contract BridgeLockTest is BridgeFixture {
    function test_DepositLocksAndNumbers() public {
        usdc.mint(alice, 30);
        vm.prank(alice);
        usdc.approve(address(lock), 30);
        for (uint256 nonce = 0; nonce < 3; nonce++) {
            bytes32 id = idOf(block.chainid, address(lock), nonce);
            vm.expectEmit(address(lock));
            emit IBridgeLock.Deposit(id, address(usdc), alice, bob, 10, nonce);
            vm.prank(alice);
            vm.assertEq(lock.deposit(address(usdc), 10, bob), id);
        }
        vm.assertEq(lock.depositNonce(), 3);
        vm.assertEq(lock.locked(address(usdc)), 30);
        vm.assertEq(usdc.balanceOf(address(lock)), 30);
    }

    function test_DepositNativeLocks() public {
        bytes32 id = depositWithValue(alice, 5 ether, bob);
        vm.assertEq(id, idOf(block.chainid, address(lock), 0));
        vm.assertEq(lock.locked(address(0)), 5 ether);
    }

    function test_DepositRefusesWhatWouldBeLost() public {
        vm.deal(alice, 10 ether);
        address[4] memory lossy = [address(0), peer, relayer, address(lock)];
        for (uint256 i = 0; i < 4; i++) {
            vm.prank(alice);
            vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, lossy[i]));
            lock.depositNative{value: 1}(lossy[i]);
        }
        usdc.mint(alice, 1);
        vm.startPrank(alice);
        usdc.approve(address(lock), 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(usdc)));
        lock.deposit(address(usdc), 1, address(usdc));
        vm.expectRevert(IBridgeEnd.ZeroAmount.selector);
        lock.depositNative(bob);
        vm.expectRevert(IBridgeEnd.ZeroAmount.selector);
        lock.deposit(address(usdc), 0, bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(0)));
        lock.deposit(address(0), 1, bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(bridgedEth)));
        lock.deposit(address(bridgedEth), 1, bob);
        vm.stopPrank();
        vm.assertEq(lock.depositNonce(), 0);
    }

    function test_DelistedNativeIsRefused() public {
        vm.prank(admin);
        lock.setToken(address(0), false, 0);
        vm.deal(alice, 1);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(0)));
        lock.depositNative{value: 1}(bob);
    }

    function testFuzz_DustOfXcnIsRefused(uint96 amount) public {
        vm.assume(amount != 0);
        xcn.mint(alice, amount);
        vm.startPrank(alice);
        xcn.approve(address(lock), amount);
        if (amount % 1e10 != 0) vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.Dust.selector, amount, 1e10));
        lock.deposit(address(xcn), amount, bob);
        vm.stopPrank();
        vm.assertEq(lock.locked(address(xcn)), amount % 1e10 == 0 ? amount : 0);
    }

    function test_FeeOnTransferTokenIsRefused() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        list(lock, address(token), 0);
        token.mint(alice, 1_000);
        vm.startPrank(alice);
        token.approve(address(lock), 1_000);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AmountMismatch.selector, 1_000, 990));
        lock.deposit(address(token), 1_000, bob);
        vm.stopPrank();
    }

    function test_FalseTokenCannotBeDeposited() public {
        FalseToken token = new FalseToken();
        list(lock, address(token), 0);
        token.mint(alice, 10);
        token.setLies(true);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(token)));
        lock.deposit(address(token), 10, bob);
    }

    function test_SilentTokenWorksBothWays() public {
        SilentToken token = new SilentToken();
        list(lock, address(token), 0);
        token.mint(alice, 10);
        vm.startPrank(alice);
        token.approve(address(lock), 10);
        lock.deposit(address(token), 10, bob);
        vm.stopPrank();
        vm.prank(relayer);
        lock.release(0, address(token), bob, 9, 1);
        vm.assertEq(token.balanceOf(bob), 9);
        vm.assertEq(lock.feesAccrued(address(token)), 1);
    }

    function permit(uint256 key, uint256 amount, uint256 deadline) private view returns (uint8, bytes32, bytes32) {
        bytes32 kind = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        address owner = vm.addr(key);
        bytes32 message = keccak256(abi.encode(kind, owner, address(lock), amount, usdc.nonces(owner), deadline));
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), message)));
    }

    function test_DepositWithPermitAlsoWhenFrontRun() public {
        uint256 key = 0xC0FFEE;
        address owner = vm.addr(key);
        usdc.mint(owner, 20);
        uint256 deadline = block.timestamp + 60;
        (uint8 v, bytes32 r, bytes32 s) = permit(key, 10, deadline);
        vm.prank(owner);
        lock.depositWithPermit(address(usdc), 10, bob, deadline, v, r, s);
        (v, r, s) = permit(key, 10, deadline);
        // Somebody copies the permit from the mempool and submits it first.
        usdc.permit(owner, address(lock), 10, deadline, v, r, s);
        vm.prank(owner);
        lock.depositWithPermit(address(usdc), 10, bob, deadline, v, r, s);
        vm.assertEq(lock.locked(address(usdc)), 20);
    }

    function test_PermitOfAnotherMovesNothing() public {
        uint256 key = 0xC0FFEE;
        usdc.mint(vm.addr(key), 10);
        (uint8 v, bytes32 r, bytes32 s) = permit(key, 10, block.timestamp + 60);
        vm.prank(bob);
        (bool success, ) = address(lock).call(
            abi.encodeCall(lock.depositWithPermit, (address(usdc), 10, bob, block.timestamp + 60, v, r, s))
        );
        vm.assertFalse(success);
        vm.assertEq(usdc.balanceOf(vm.addr(key)), 10);
    }

    function test_PermitDepositRefusesUnlistedTokens() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(0)));
        lock.depositWithPermit(address(0), 1, bob, 0, 0, 0, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(this)));
        lock.depositWithPermit(address(this), 1, bob, 0, 0, 0, 0);
    }

    function test_ReleasePaysKeepsFeeAndMarksTheNumber() public {
        fund(address(usdc), 1_000);
        bytes32 id = idOf(PEER_CHAIN, peer, 7);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(id, address(usdc), bob, 90, 10);
        vm.prank(relayer);
        lock.release(7, address(usdc), bob, 90, 10);
        vm.assertEq(usdc.balanceOf(bob), 90);
        vm.assertEq(lock.feesAccrued(address(usdc)), 10);
        vm.assertEq(lock.locked(address(usdc)), 900);
        vm.assertTrue(lock.isReleased(7));
        vm.assertFalse(lock.isReleased(6));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, id));
        lock.release(7, address(usdc), bob, 90, 10);
        // The number is used up for every asset.
        fund(address(0), 1 ether);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, id));
        lock.releaseNative(7, bob, 90, 10);
    }

    function testFuzz_ANumberIsReleasedOnce(uint256 nonce, uint256 other) public {
        vm.assume(nonce != other);
        fund(address(0), 10);
        vm.prank(relayer);
        lock.releaseNative(nonce, bob, 1, 0);
        vm.assertTrue(lock.isReleased(nonce));
        vm.assertFalse(lock.isReleased(other));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, idOf(PEER_CHAIN, peer, nonce)));
        lock.releaseNative(nonce, bob, 1, 0);
    }

    function test_ReleaseIntentPaysXcnOnce() public {
        fund(address(xcn), 100e10);
        bytes32 intent = keccak256("intent");
        vm.expectEmit(address(lock));
        emit IBridgeLock.Release(intent, address(xcn), bob, 60, 5);
        vm.prank(relayer);
        lock.releaseIntent(intent, bob, 60, 5);
        vm.assertEq(xcn.balanceOf(bob), 60);
        vm.assertTrue(lock.isIntentReleased(intent));
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.AlreadyDelivered.selector, intent));
        lock.releaseIntent(intent, bob, 60, 5);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.releaseIntent(bytes32(0), bob, 60, 5);
        vm.stopPrank();
    }

    function test_OnlyTheRelayerReleases() public {
        fund(address(usdc), 100);
        address[4] memory others = [alice, admin, guardian, policyManager];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeEnd.NotRelayer.selector, others[i]);
            vm.startPrank(others[i]);
            vm.expectRevert(refusal);
            lock.release(1, address(usdc), bob, 1, 0);
            vm.expectRevert(refusal);
            lock.releaseNative(1, bob, 1, 0);
            vm.expectRevert(refusal);
            lock.releaseIntent(bytes32(uint256(1)), bob, 1, 0);
            vm.stopPrank();
        }
    }

    function test_ReleaseRefusesBadTerms() public {
        fund(address(usdc), 100);
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(0)));
        lock.release(1, address(0), bob, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.TokenNotAllowed.selector, address(bridgedEth)));
        lock.release(1, address(bridgedEth), bob, 1, 0);
        vm.expectRevert(IBridgeEnd.ZeroAmount.selector);
        lock.release(1, address(usdc), bob, 0, 1);
        vm.stopPrank();
    }

    function test_ReleaseRefusesWhereFundsWouldBeLost() public {
        address[3] memory lossy = [address(0), address(lock), relayer];
        vm.startPrank(relayer);
        for (uint256 i = 0; i < 3; i++) {
            bytes memory refusal = abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, lossy[i]);
            vm.expectRevert(refusal);
            lock.release(1, address(usdc), lossy[i], 1, 0);
            vm.expectRevert(refusal);
            lock.releaseNative(1, lossy[i], 1, 0);
            vm.expectRevert(refusal);
            lock.releaseIntent(bytes32(uint256(1)), lossy[i], 1, 0);
        }
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(usdc)));
        lock.release(1, address(usdc), address(usdc), 1, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InvalidRecipient.selector, address(xcn)));
        lock.releaseIntent(bytes32(uint256(1)), address(xcn), 1, 0);
        vm.stopPrank();
        vm.assertFalse(lock.isReleased(1));
    }

    function test_CollateralMustCoverFeesAndCredits() public {
        fund(address(usdc), 100);
        vm.startPrank(relayer);
        lock.release(1, address(usdc), bob, 50, 40);
        // 50 are left, and 40 of them are fees: paying 11 would use fees.
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InsufficientCollateral.selector, address(usdc)));
        lock.release(2, address(usdc), bob, 11, 0);
        lock.release(2, address(usdc), bob, 10, 0);
        vm.stopPrank();
        fund(address(0), 100);
        vm.startPrank(relayer);
        lock.releaseNative(3, bob, 50, 40);
        vm.expectRevert(abi.encodeWithSelector(IBridgeEnd.InsufficientCollateral.selector, address(0)));
        lock.releaseNative(4, bob, 11, 0);
        vm.stopPrank();
    }

    function test_LockedIsZeroWhenATokenTookBalanceAway() public {
        fund(address(usdc), 100);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 50, 40);
        vm.assertEq(lock.locked(address(usdc)), 10);
        vm.prank(address(lock));
        usdc.transfer(alice, 20);
        vm.assertEq(lock.locked(address(usdc)), 0);
        vm.assertEq(lock.feesAccrued(address(usdc)), 40);
    }

    function test_FeesGoToTheTreasuryAndNowhereElse() public {
        fund(address(usdc), 100);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 60, 5);
        vm.expectEmit(address(lock));
        emit IBridgeLock.FeesCollected(address(usdc), 5);
        vm.prank(alice);
        vm.assertEq(lock.collectFees(address(usdc)), 5);
        vm.assertEq(usdc.balanceOf(treasury), 5);
        vm.assertEq(lock.locked(address(usdc)), 35);
        vm.expectRevert(IBridgeEnd.NothingToPay.selector);
        lock.collectFees(address(usdc));
        fund(address(0), 10);
        vm.prank(relayer);
        lock.releaseNative(2, bob, 1, 2);
        lock.collectFees(address(0));
        vm.assertEq(treasury.balance, 2);
    }

    function test_OnlyTheAdminSetsTheTreasury() public {
        vm.expectEmit(address(lock));
        emit IBridgeLock.TreasurySet(bob);
        vm.prank(admin);
        lock.setTreasury(bob);
        vm.assertEq(lock.treasury(), bob);
        vm.startPrank(admin);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.setTreasury(address(0));
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        lock.setTreasury(address(lock));
        vm.stopPrank();
    }

    function test_PausesStopTheirDirectionOnly() public {
        fund(address(0), 10);
        vm.prank(guardian);
        lock.pause(true, false);
        vm.assertTrue(lock.depositsPaused());
        vm.assertFalse(lock.releasesPaused());
        vm.deal(alice, 1);
        vm.prank(alice);
        vm.expectRevert(IBridgeEnd.Paused.selector);
        lock.depositNative{value: 1}(bob);
        vm.prank(relayer);
        lock.releaseNative(1, bob, 1, 0);
        vm.prank(guardian);
        lock.pause(false, true);
        vm.assertTrue(lock.depositsPaused());
        vm.prank(relayer);
        vm.expectRevert(IBridgeEnd.Paused.selector);
        lock.releaseNative(2, bob, 1, 0);
        vm.prank(admin);
        lock.setPause(false, false);
        vm.prank(relayer);
        lock.releaseNative(2, bob, 1, 0);
    }

    function test_ConstructorRefusesBadSettings() public {
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newLock(setup(), address(0), treasury);
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newLock(setup(), address(xcn), address(0));
        BridgeEnd.Setup memory bad = setup();
        bad.relayer = bad.admin;
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newLock(bad, address(xcn), treasury);
        bad = setup();
        bad.guardian = bad.relayer;
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newLock(bad, address(xcn), treasury);
        bad = setup();
        bad.peerChainId = block.chainid;
        vm.expectRevert(IBridgeEnd.InvalidSetting.selector);
        newLock(bad, address(xcn), treasury);
    }
}
