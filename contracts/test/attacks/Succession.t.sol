// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeSuccession} from "../../src/interfaces/IBridgeSuccession.sol";
import {IOffices} from "../../src/interfaces/IOffices.sol";
import {IBridge} from "../fixtures/Interfaces.sol";
import {OfficesFixture} from "../fixtures/OfficesFixture.sol";
import {SuccessionFixture} from "../fixtures/SuccessionFixture.sol";
import {ReentrantSuccessor, ThievingSuccessor} from "../mocks/HostileSuccessors.sol";
import {RejectingReceiver} from "../mocks/HostileReceivers.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";

/// @dev A succession used against the users: by the admin's or the relayer's key, or by the successor itself.
contract SuccessionAttackTest is SuccessionFixture {
    /// @dev The stolen key of an admin without offices. Before the end of the window no call gives it anything, and
    /// users can leave by then. What it gets at the end is why there are offices.
    function test_AStolenAdminWaitsForTheWholeWindow() public {
        fund(ETH, 10 ether);
        address thief = address(0x7417EF);
        address own = address(new ThievingSuccessor(thief));
        announce(lock, own);
        for (uint256 day = 0; day <= 30; day++) {
            vm.warp(BEGAN + day * 1 days - (day == 30 ? 1 : 0));
            trySuccession(own);
            // Ending and announcing again does not shorten the window.
            uint256 state = vm.snapshotState();
            terminate(lock);
            announce(lock, own);
            vm.assertEq(handOverFrom(lock), block.timestamp + EXIT_WINDOW);
            vm.assertFalse(tryCall(admin, abi.encodeCall(lock.handOver, (ETH, 1))));
            vm.revertToState(state);
            // Users can leave until the end.
            if (day % 10 == 0) {
                vm.prank(relayer);
                lock.releaseNative(day, bob, 1 ether, 0);
            }
        }
        vm.assertEq(thief.balance, 0);
        vm.assertEq(bob.balance, 4 ether);
        vm.warp(BEGAN + EXIT_WINDOW);
        handOver(lock, ETH, 6 ether);
        vm.assertEq(thief.balance, 6 ether);
    }

    /// @dev At any time, of any asset and amount: either nothing moves, or the successor gets all that moves.
    function testFuzz_OnlyTheSuccessorIsPaid(uint256 time, uint256 amount, uint256 asset) public {
        fund(ETH, 10 ether);
        fund(address(usdc), 10 ether);
        vm.prank(relayer);
        lock.release(0, address(usdc), address(lock), 2 ether, 1 ether);
        close(lock, address(nextLock));
        address token = asset % 2 == 0 ? ETH : address(usdc);
        uint256 free = asset % 2 == 0 ? 10 ether : 7 ether;
        vm.warp(BEGAN + EXIT_WINDOW - 3 days + (time % 6 days));
        amount = amount % (2 * free);
        bool works = block.timestamp >= BEGAN + EXIT_WINDOW && amount > 0 && amount <= free;
        bool done = tryCall(admin, abi.encodeCall(lock.handOver, (token, amount)));
        vm.assertEq(done, works);
        vm.assertEq(hasBegun(lock), works);
        vm.assertEq(nextLock.locked(token), works ? amount : 0);
        vm.assertEq(lock.locked(token), works ? free - amount : free);
        vm.assertEq(lock.feesAccrued(address(usdc)) + lock.totalClaimable(address(usdc)), 3 ether);
        vm.assertEq(bob.balance + usdc.balanceOf(bob) + admin.balance + usdc.balanceOf(admin), 0);
    }

    /// @dev Neither the relayer's key nor any other except the admin's announces, ends or hands over anything.
    function test_NoOtherKeySucceeds() public {
        fund(ETH, 10 ether);
        closeBoth();
        uint256 state = vm.snapshotState();
        terminate(bridgeMint);
        address[6] memory others = [relayer, standby, guardian, policyManager, treasury, address(nextLock)];
        for (uint256 i = 0; i < others.length; i++) {
            vm.assertFalse(tryCall(others[i], abi.encodeCall(lock.handOver, (ETH, 1))));
            vm.assertFalse(tryCall(others[i], abi.encodeCall(lock.terminateSuccession, ())));
            vm.prank(others[i]);
            (bool done, ) = address(bridgeMint).call(abi.encodeCall(lock.announceSuccessor, (address(nextMint))));
            vm.assertFalse(done);
        }
        vm.revertToState(state);
    }

    /// @dev While both editions mint, a stolen relayer key mints up to both limits: so the old one is lowered.
    function test_AStolenRelayerHasBothLimits() public {
        closeBoth();
        handOver(bridgeMint, address(bridgedEth), 0);
        IBridgeGovernance.Limits memory low = IBridgeGovernance.Limits(5 ether, WINDOW, 5 ether);
        vm.prank(admin);
        bridgeMint.setLimitCeiling(address(bridgedEth), low);
        vm.startPrank(relayer);
        bridgeMint.mint(0, address(bridgedEth), bob, 5 ether);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1));
        bridgeMint.mint(1, address(bridgedEth), bob, 1);
        nextMint.mint(0, address(bridgedEth), bob, CAPACITY);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.OutflowLimitExceeded.selector, 0, 1));
        nextMint.mint(1, address(bridgedEth), bob, 1);
        vm.stopPrank();
        vm.assertEq(bridgedEth.totalSupply(), CAPACITY + 5 ether);
    }

    /// @dev The successor calls back while it is paid, with a credit that it could otherwise claim.
    function test_ASuccessorReachesNothingFromWithin() public {
        fund(ETH, 10 ether);
        ReentrantSuccessor hostile = new ReentrantSuccessor();
        vm.startPrank(relayer);
        lock.releaseNative(0, address(hostile), 1 ether, 1 ether);
        lock.releaseNative(1, address(lock), 1 ether, 0);
        vm.stopPrank();
        vm.assertEq(lock.claimable(ETH, address(hostile)), 1 ether);
        close(lock, address(hostile));
        vm.warp(handOverFrom(lock));
        bytes[7] memory attacks = [
            abi.encodeCall(lock.claim, (ETH, bob)),
            abi.encodeCall(lock.claimFor, (ETH, address(hostile))),
            abi.encodeCall(lock.collectFees, (ETH)),
            abi.encodeCall(lock.handOver, (ETH, 1)),
            abi.encodeCall(lock.terminateSuccession, ()),
            abi.encodeCall(lock.closeForEver, ()),
            abi.encodeCall(lock.depositNative, (bob))
        ];
        for (uint256 i = 0; i < attacks.length; i++) {
            hostile.setAttack(address(lock), 0, attacks[i]);
            handOver(lock, ETH, 1 ether);
            bool isGuarded = hostile.outcome() == ReentrantAttacker.Outcome.Guarded;
            vm.assertEq(isGuarded, i < 3 || i == 6);
            vm.assertTrue(isGuarded || hostile.outcome() == ReentrantAttacker.Outcome.Failed);
        }
        vm.assertEq(address(hostile).balance, 7 ether);
        vm.assertEq(lock.locked(ETH), 0);
        vm.assertEq(address(lock).balance, 3 ether);
    }

    /// @dev A hand-over of coin that is refused changes nothing, and the succession can be ended.
    function test_ASuccessorThatRefusesCoin() public {
        fund(ETH, 10 ether);
        RejectingReceiver refusing = new RejectingReceiver();
        close(lock, address(refusing));
        vm.warp(handOverFrom(lock));
        vm.assertFalse(tryCall(admin, abi.encodeCall(lock.handOver, (ETH, 1 ether))));
        vm.assertEq(lock.locked(ETH), 10 ether);
        terminate(lock);
    }

    /// @dev A complete succession, with two full editions. After every step the collateral of both equals the tokens,
    /// pending operations, credits and fees, and the coin of both on the partner chain the float and the credits.
    function test_ItIsSolventAtEveryStep() public {
        addFloat(1_000);
        depositWithValue(alice, 9 ether, alice);
        depositWithValue(alice, 4 ether, alice);
        vm.startPrank(relayer);
        bridgeMint.mint(0, address(bridgedEth), alice, 9 ether);
        bridgeMint.mint(7, ETH, address(bridgeMint), 100 * UNIT);
        vm.stopPrank();
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 3 ether, address(lock), 1 ether);
        checkSolvent(4 ether, 3 ether);
        closeBoth();
        // The partner chain first: then both mint.
        handOver(bridgeMint, address(bridgedEth), 0);
        handOver(bridgeMint, ETH, 900 * UNIT);
        vm.assertEq(nextMint.float(), 900 * UNIT);
        vm.assertEq(bridgeMint.float(), 0);
        checkSolvent(4 ether, 3 ether);
        // On Ethereum the backing of the circulating tokens.
        handOver(lock, ETH, 6 ether);
        checkSolvent(4 ether, 3 ether);
        // The old edition drains while the new one runs.
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), bob, 4 ether);
        checkSolvent(0, 3 ether);
        vm.prank(relayer);
        lock.releaseNative(0, address(lock), 2.9 ether, 0.1 ether);
        checkSolvent(0, 0);
        vm.deal(alice, 2 ether);
        vm.prank(alice);
        nextLock.depositNative{value: 2 ether}(alice);
        checkSolvent(2 ether, 0);
        vm.prank(relayer);
        nextMint.mint(0, address(bridgedEth), alice, 2 ether);
        handOver(lock, ETH, 4 ether);
        checkSolvent(0, 0);
        // Users burn here, and are paid there; credits and fees are paid by the old edition.
        vm.prank(alice);
        nextMint.burn(address(bridgedEth), 8 ether, bob, 0);
        checkSolvent(0, 8 ether);
        vm.prank(relayer);
        nextLock.releaseNative(0, bob, 8 ether, 0);
        vm.prank(bob);
        nextMint.burn(address(bridgedEth), 4 ether, bob, 0);
        vm.prank(relayer);
        nextLock.releaseNative(1, bob, 4 ether, 0);
        vm.startPrank(admin);
        lock.redirectCredit(ETH, address(lock), bob);
        bridgeMint.redirectCredit(ETH, address(bridgeMint), bob);
        vm.stopPrank();
        lock.claimFor(ETH, bob);
        lock.collectFees(ETH);
        bridgeMint.claimFor(ETH, bob);
        checkSolvent(0, 0);
        vm.assertEq(bob.balance, 14.9 ether + 100);
        vm.assertEq(address(lock).balance + address(nextLock).balance + address(bridgeMint).balance, 0);
    }

    /// @dev No call by the admin's key before the end of the window pays anything.
    function trySuccession(address own) private {
        vm.assertFalse(tryCall(admin, abi.encodeCall(lock.announceSuccessor, (own))));
        vm.assertFalse(tryCall(admin, abi.encodeCall(lock.handOver, (ETH, 1))));
        bool mayClose = block.timestamp == BEGAN + EXIT_WINDOW - 3 days;
        vm.assertEq(tryCall(admin, abi.encodeCall(lock.closeForEver, ())), mayClose);
    }

    function tryCall(address by, bytes memory call) private returns (bool done) {
        vm.prank(by);
        (done, ) = address(lock).call(call);
    }

    /// @dev Checks ether to the unit, given the deposits that are not minted and the withdrawals that are not released.
    function checkSolvent(uint256 toMint, uint256 toRelease) private view {
        uint256 owed = toMint + toRelease + bridgedEth.totalSupply() - bridgedEth.balanceOf(relayer);
        IBridge[2] memory ends = [IBridge(address(lock)), IBridge(address(nextLock))];
        for (uint256 i = 0; i < 2; i++) owed += ends[i].totalClaimable(ETH);
        owed += lock.feesAccrued(ETH) + nextLock.feesAccrued(ETH);
        vm.assertEq(address(lock).balance + address(nextLock).balance, owed);
        uint256 coin = (address(bridgeMint).balance + address(nextMint).balance) * UNIT;
        uint256 credits = bridgeMint.totalClaimable(ETH) + nextMint.totalClaimable(ETH);
        vm.assertEq(coin, bridgeMint.float() + nextMint.float() + credits);
    }
}

/// @dev The owner of the admin's timelock is stolen and announces a contract of the thief.
contract StolenOwnerSuccessionTest is OfficesFixture {
    function setup() internal view override returns (IBridgeGovernance.Setup memory keys) {
        keys = super.setup();
        keys.exitWindow = 30 days;
    }

    /// @dev Guardian and recovery have the delay and the whole window to end it, and replace the owner.
    function test_TwoOfficesEndItOnTheLastDay() public {
        deposit(10 ether);
        address own = address(new ThievingSuccessor(thief));
        execute(address(bridge), abi.encodeCall(bridge.announceSuccessor, (own)));
        vm.warp(block.timestamp + 30 days - DELAY - 1 days);
        bridge.closeForEver();
        schedule(address(bridge), abi.encodeCall(bridge.handOver, (address(0), 10 ether)));
        vm.warp(block.timestamp + DELAY);
        vm.assertFalse(tryExecute(owner, address(bridge), abi.encodeCall(bridge.handOver, (address(0), 10 ether))));
        vm.prank(guardian);
        timelock.voteEnd(1, address(bridge), own);
        vm.prank(recovery);
        timelock.voteEnd(1, address(bridge), own);
        replace(IOffices.Office.Owner, next, guardian, recovery);
        vm.warp(block.timestamp + 1 days);
        vm.assertFalse(tryExecute(owner, address(bridge), abi.encodeCall(bridge.handOver, (address(0), 10 ether))));
        // The new owner cannot execute it either: there is no successor.
        vm.prank(next);
        vm.expectRevert(IBridgeSuccession.NoSuccessor.selector);
        timelock.execute(address(bridge), 0, abi.encodeCall(bridge.handOver, (address(0), 10 ether)), 0, 0);
        vm.assertEq(bridge.locked(address(0)), 10 ether);
        // The remaining damage: beginnings stay closed.
        vm.assertTrue(bridge.depositsPaused());
    }
}
