// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ReentrantBridgedToken} from "../mocks/HostileTokens.sol";
import {ReentrantReceiver, RejectingReceiver} from "../mocks/HostileReceivers.sol";
import {DryRun} from "../mocks/DryRun.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev A recipient re-enters before the accounting is complete (The DAO, and later attacks). Every attack has all it
/// needs: credits, fees, the relayer's key, coins, an allowance. It succeeds outside the payment, just before and from
/// the same caller. So only the guard refuses it inside.
contract ReentrancyTest is BridgeFixture {
    address private constant ETH = address(0);
    address private constant OTHER = address(0x0713E5);

    DryRun private dryRun;
    ReentrantReceiver private thief;
    ChaoticToken private token;
    ReentrantBridgedToken private bridged;

    error Guarded();

    function setUp() public override {
        super.setUp();
        dryRun = new DryRun();
        thief = new ReentrantReceiver();
        token = new ChaoticToken();
        bridged = new ReentrantBridgedToken();
        list(lock, address(token), 0);
        list(bridgeMint, address(bridged), 0);
        fund(ETH, 100 ether);
        fund(address(usdc), 1_000);
        fund(address(xcn), 1_000 ether);
        fund(address(token), 1_000);
        giveEverything(address(thief));
        giveEverything(address(token));
        creditAll();
        thief.setAccepts(true);
        // A first payment to an account costs more gas than a delivery has.
        address[3] memory paid = [bob, treasury, OTHER];
        for (uint256 i = 0; i < 3; i++) {
            vm.deal(paid[i], 1);
            usdc.mint(paid[i], 1);
        }
        token.setMode(ChaoticToken.Mode.Reenters);
    }

    /// @dev From within a delivery of coins, with the gas of a delivery.
    function test_ARecipientOfCoinsReachesNothing() public {
        bytes memory delivery = abi.encodeCall(lock.releaseNative, (50, address(thief), 1 ether, 1));
        bytes[] memory attacks = attacksOnLock(address(thief));
        // The last three are calls of the relayer, which cannot be the recipient of a delivery.
        for (uint256 i = 0; i < attacks.length - 3; i++) {
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], relayer, 0, delivery);
        }
    }

    /// @dev From within a claim, with all remaining gas, and with the relayer's key.
    function test_AClaimantReachesNothing() public {
        becomeRelayer(address(thief));
        bytes[] memory attacks = attacksOnLock(address(thief));
        bytes memory claim = abi.encodeCall(lock.claimFor, (ETH, address(thief)));
        for (uint256 i = 0; i < attacks.length; i++) {
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], alice, 0, claim);
        }
        // And the same as the treasury.
        vm.prank(admin);
        lock.setTreasury(address(thief));
        bytes memory collection = abi.encodeCall(lock.collectFees, (ETH));
        for (uint256 i = 0; i < attacks.length; i++) {
            // Fees that are being collected cannot be collected again.
            if (i == 4) attacks[i] = abi.encodeCall(lock.collectFees, (address(usdc)));
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], bob, 0, collection);
        }
    }

    /// @dev A credit is removed before it is paid, and cannot be claimed again meanwhile.
    function test_AClaimIsPaidOnce() public {
        bytes memory claim = abi.encodeCall(lock.claim, (address(usdc), bob));
        bytes memory first = abi.encodeCall(lock.claimFor, (ETH, address(thief)));
        refused(thief, address(lock), 0, claim, alice, 0, first);
        lock.claimFor(ETH, address(thief));
        vm.assertEq(lock.claimable(ETH, address(thief)), 0);
        vm.assertEq(address(thief).balance, 1 ether + 10);
    }

    /// @dev A token with hooks re-enters from every call that moves it, and has the relayer's key.
    function test_ATokenWithHooksReachesNothing() public {
        becomeRelayer(address(token));
        token.mint(alice, 100);
        vm.prank(alice);
        token.approve(address(lock), 100);
        bytes[] memory attacks = attacksOnLock(address(token));
        for (uint256 i = 0; i < attacks.length; i++) {
            bytes memory call = abi.encodeCall(lock.deposit, (address(token), 100, bob));
            refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], alice, 0, call);
            call = abi.encodeCall(lock.depositWithPermit, (address(token), 100, bob, 0, 27, 0, 0));
            refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], alice, 0, call);
            call = abi.encodeCall(lock.release, (50, address(token), bob, 100, 0));
            refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], address(token), 0, call);
            call = abi.encodeCall(lock.claim, (address(token), alice));
            refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], OTHER, 0, call);
            call = abi.encodeCall(lock.collectFees, (address(token)));
            refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], alice, 0, call);
        }
    }

    /// @dev On the partner chain, from within a delivery of native XCN.
    function test_ARecipientOfNativeXcnReachesNothing() public {
        vm.deal(relayer, 1);
        bytes memory delivery = abi.encodeCall(bridgeMint.mint, (50, ETH, address(thief), UNIT));
        bytes memory attack = abi.encodeCall(bridgeMint.claim, (ETH, bob));
        refused(thief, address(bridgeMint), 0, attack, relayer, 1, delivery);
        attack = abi.encodeCall(bridgeMint.claimFor, (ETH, address(thief)));
        refused(thief, address(bridgeMint), 0, attack, relayer, 1, delivery);
    }

    /// @dev From within a claim, with the relayer's key. A burn may run within a burn: it takes tokens and pays
    /// nothing.
    function test_AClaimantOfNativeXcnReachesNothing() public {
        handIn(10 ether);
        becomeRelayer(address(thief));
        bytes memory claim = abi.encodeCall(bridgeMint.claimFor, (ETH, address(thief)));
        bytes[] memory attacks = attacksOnMint(address(bridgedEth));
        for (uint256 i = 0; i < attacks.length; i++) {
            refused(thief, address(bridgeMint), i == 0 ? 1 : 0, attacks[i], alice, 0, claim);
        }
    }

    /// @dev A listed bridged token re-enters from every call of its bridge.
    function test_ABridgedTokenReachesNothing() public {
        vm.deal(address(bridged), 10);
        becomeRelayer(address(bridged));
        bytes[] memory attacks = attacksOnMint(address(bridged));
        for (uint256 i = 0; i < attacks.length; i++) {
            bytes memory call = abi.encodeCall(bridgeMint.mint, (50, address(bridged), alice, 1));
            refused(bridged, address(bridgeMint), i == 0 ? 1 : 0, attacks[i], address(bridged), 0, call);
            call = abi.encodeCall(bridgeMint.refund, (address(bridged), alice, 1));
            refused(bridged, address(bridgeMint), i == 0 ? 1 : 0, attacks[i], address(bridged), 0, call);
            call = abi.encodeCall(bridgeMint.retire, (address(bridged), 1));
            refused(bridged, address(bridgeMint), i == 0 ? 1 : 0, attacks[i], address(bridged), 0, call);
        }
    }

    /// @dev Reverts its changes, so that the next attack starts from the same state.
    function strike(
        ReentrantAttacker attacker,
        address end,
        uint64 value,
        bytes calldata attack,
        address payer,
        uint256 payment,
        bytes calldata call
    ) external {
        vm.assertTrue(dryRun.works(address(attacker), end, value, attack));
        attacker.setAttack(end, value, attack);
        vm.prank(payer);
        (bool done, ) = end.call{value: payment}(call);
        vm.assertTrue(done);
        vm.assertEq(uint256(attacker.outcome()), uint256(ReentrantAttacker.Outcome.Guarded));
        revert Guarded();
    }

    function refused(
        ReentrantAttacker attacker,
        address end,
        uint64 value,
        bytes memory attack,
        address payer,
        uint256 payment,
        bytes memory call
    ) private {
        vm.expectRevert(Guarded.selector);
        this.strike(attacker, end, value, attack, payer, payment, call);
    }

    /// @dev Every function of the lock that moves or books anything. The first pays a coin; the last three are the
    /// relayer's.
    function attacksOnLock(address caller) private view returns (bytes[] memory attacks) {
        attacks = new bytes[](10);
        attacks[0] = abi.encodeCall(lock.depositNative, (bob));
        attacks[1] = abi.encodeCall(lock.deposit, (address(usdc), 1, bob));
        attacks[2] = abi.encodeCall(lock.depositWithPermit, (address(usdc), 1, bob, 0, 27, 0, 0));
        attacks[3] = abi.encodeCall(lock.claim, (address(usdc), bob));
        attacks[4] = abi.encodeCall(lock.collectFees, (ETH));
        attacks[5] = abi.encodeCall(lock.claimFor, (address(usdc), OTHER));
        attacks[6] = abi.encodeCall(lock.claimFor, (address(usdc), caller));
        attacks[7] = abi.encodeCall(lock.release, (99, address(usdc), bob, 1, 0));
        attacks[8] = abi.encodeCall(lock.releaseNative, (99, bob, 1 ether, 0));
        attacks[9] = abi.encodeCall(lock.releaseIntent, ("again", bob, 1, 0));
    }

    function attacksOnMint(address bridgedToken) private view returns (bytes[] memory attacks) {
        attacks = new bytes[](6);
        attacks[0] = abi.encodeCall(bridgeMint.mint, (99, ETH, bob, UNIT));
        attacks[1] = abi.encodeCall(bridgeMint.mint, (99, bridgedToken, bob, 1));
        attacks[2] = abi.encodeCall(bridgeMint.refund, (bridgedToken, bob, 1));
        attacks[3] = abi.encodeCall(bridgeMint.retire, (bridgedToken, 1));
        attacks[4] = abi.encodeCall(bridgeMint.retireOf, (relayer, bridgedToken, 1));
        attacks[5] = abi.encodeCall(bridgeMint.claimFor, (ETH, OTHER));
    }

    function becomeRelayer(address account) private {
        vm.startPrank(admin);
        lock.setRelayer(account);
        bridgeMint.setRelayer(account);
        vm.stopPrank();
    }

    /// @dev Coins, and USDC with an allowance for the lock.
    function giveEverything(address account) private {
        vm.deal(account, 10);
        usdc.mint(account, 10);
        vm.prank(account);
        usdc.approve(address(lock), 10);
    }

    /// @dev Credits of coins and USDC for the thief, the token and a third account, and fees of every asset.
    function creditAll() private {
        address rejecting = address(new RejectingReceiver());
        vm.etch(OTHER, rejecting.code);
        address[3] memory accounts = [address(thief), OTHER, address(token)];
        token.setMode(ChaoticToken.Mode.Reverts);
        vm.deal(relayer, 2);
        for (uint256 i = 0; i < 3; i++) {
            usdc.setBlocklisted(accounts[i], true);
            vm.startPrank(relayer);
            lock.release(i, address(usdc), accounts[i], 10, 5);
            if (i < 2) {
                lock.releaseNative(10 + i, accounts[i], 1 ether, 5);
                lock.release(20 + i, address(token), accounts[i], 10, 5);
                bridgeMint.mint{value: 1}(i, ETH, accounts[i], UNIT);
            }
            vm.stopPrank();
            usdc.setBlocklisted(accounts[i], false);
        }
        RejectingReceiver(payable(OTHER)).setAccepts(true);
    }

    /// @dev Bridged tokens in the wallets of the current and the next relayer.
    function handIn(uint256 amount) private {
        vm.prank(relayer);
        bridgeMint.mint(77, address(bridgedEth), alice, amount);
        vm.startPrank(alice);
        bridgedEth.transfer(address(thief), amount / 2);
        bridgedEth.transfer(relayer, amount / 2);
        vm.stopPrank();
    }
}
