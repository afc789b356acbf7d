// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {ReentrantBridgedToken} from "../mocks/HostileTokens.sol";
import {ReentrantReceiver, RejectingReceiver} from "../mocks/HostileReceivers.sol";
import {DryRun} from "../mocks/DryRun.sol";
import {ReentrantAttacker} from "../mocks/ReentrantAttacker.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev A recipient re-enters before the accounting is complete (The DAO, and later attacks). Every attack has what it
/// needs: credits, fees, the relayer's key, coin, an allowance. It succeeds just before the payment, from the same
/// caller, so only the guard refuses it inside.
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

    /// @dev From within a delivery of coin, single or in a batch, with the gas of a delivery.
    function test_ARecipientOfCoinsReachesNothing() public {
        bytes memory delivery = abi.encodeCall(lock.releaseNative, (50, address(thief), 1 ether, 1));
        bytes memory batch = batchOfReleases(address(0), address(thief));
        bytes[] memory attacks = attacksOfAnyone(address(thief));
        for (uint256 i = 0; i < attacks.length; i++) {
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], relayer, 0, delivery);
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], relayer, 0, batch);
        }
    }

    /// @dev From within a claim, and from within a collection as the treasury, with all remaining gas.
    function test_AClaimantReachesNothing() public {
        bytes[] memory attacks = attacksOfAnyone(address(thief));
        bytes memory claim = abi.encodeCall(lock.claimFor, (ETH, address(thief)));
        for (uint256 i = 0; i < attacks.length; i++) {
            refused(thief, address(lock), i == 0 ? 1 : 0, attacks[i], alice, 0, claim);
        }
        vm.prank(admin);
        lock.setTreasury(address(thief));
        bytes memory collection = abi.encodeCall(lock.collectFees, (ETH));
        for (uint256 i = 0; i < attacks.length; i++) {
            // Fees that are being collected cannot be collected again.
            if (i == 3) attacks[i] = abi.encodeCall(lock.collectFees, (address(usdc)));
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

    /// @dev A token with hooks re-enters from every call that moves tokens.
    function test_ATokenWithHooksReachesNothing() public {
        // A listed token has no credit to claim: it can never receive.
        bytes[] memory attacks = attacksOfAnyone(OTHER);
        attacks[6] = abi.encodeCall(lock.claimFor, (ETH, address(thief)));
        reenterFromToken(attacks, relayer);
    }

    /// @dev The same token with the relayer's key: a relayer wallet cannot claim, but can deliver.
    function test_ATokenWithHooksAndTheRelayersKeyReachesNothing() public {
        becomeRelayer(address(token));
        reenterFromToken(attacksOfRelayer(), address(token));
    }

    function reenterFromToken(bytes[] memory attacks, address payer) private {
        token.mint(alice, 100);
        vm.prank(alice);
        token.approve(address(lock), 100);
        IBridgeLock.Authorization memory authorization;
        authorization.from = alice;
        bytes[7] memory calls = [
            abi.encodeCall(lock.deposit, (address(token), 100, bob)),
            abi.encodeCall(lock.depositWithPermit, (address(token), 100, bob, 0, 27, 0, 0)),
            abi.encodeCall(lock.depositWithAuthorization, (address(token), 100, bob, authorization)),
            abi.encodeCall(lock.release, (50, address(token), bob, 100, 0)),
            batchOfReleases(address(token), bob),
            abi.encodeCall(lock.claim, (address(token), alice)),
            abi.encodeCall(lock.collectFees, (address(token)))
        ];
        address[7] memory callers = [alice, alice, alice, payer, payer, OTHER, alice];
        for (uint256 i = 0; i < attacks.length; i++) {
            for (uint256 j = 0; j < 7; j++) {
                refused(token, address(lock), i == 0 ? 1 : 0, attacks[i], callers[j], 0, calls[j]);
            }
        }
    }

    /// @dev On the partner chain, from within a delivery of native XCN.
    function test_ARecipientOfNativeXcnReachesNothing() public {
        vm.deal(relayer, 1);
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(50, ETH, address(thief), UNIT);
        bytes[3] memory deliveries = [
            abi.encodeCall(bridgeMint.mint, (50, ETH, address(thief), UNIT)),
            abi.encodeCall(bridgeMint.mintMany, (payments, noAttestation())),
            abi.encodeCall(bridgeMint.refundNative, ("50", address(thief), noAttestation()))
        ];
        for (uint256 i = 0; i < 3; i++) {
            bytes memory attack = abi.encodeCall(bridgeMint.claim, (ETH, bob));
            refused(thief, address(bridgeMint), 0, attack, relayer, 1, deliveries[i]);
            attack = abi.encodeCall(bridgeMint.claimFor, (ETH, address(thief)));
            refused(thief, address(bridgeMint), 0, attack, relayer, 1, deliveries[i]);
        }
        bytes memory claim = abi.encodeCall(bridgeMint.claimFor, (ETH, address(thief)));
        refused(thief, address(bridgeMint), 0, abi.encodeCall(bridgeMint.claimFor, (ETH, OTHER)), alice, 0, claim);
    }

    /// @dev A batch returns the coin of skipped items to the relayer, with all remaining gas. A relayer that is a
    /// contract re-enters from there. A burn may run within a burn: it takes tokens and pays nothing.
    function test_ARelayerThatGetsCoinBackReachesNothing() public {
        handIn(10 ether);
        becomeRelayer(address(thief));
        burnOne();
        // Already delivered, so skipped.
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(0, ETH, OTHER, UNIT);
        bytes memory batch = abi.encodeCall(bridgeMint.mintMany, (payments, noAttestation()));
        bytes[] memory attacks = attacksOnMint(address(bridgedEth));
        for (uint256 i = 0; i < attacks.length; i++) {
            refused(thief, address(bridgeMint), i < 2 ? 1 : 0, attacks[i], address(thief), 1, batch);
        }
    }

    /// @dev A listed bridged token re-enters from every call of its bridge.
    function test_ABridgedTokenReachesNothing() public {
        vm.deal(address(bridged), 10);
        becomeRelayer(address(bridged));
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(50, address(bridged), alice, 1);
        bytes[4] memory calls = [
            abi.encodeCall(bridgeMint.mint, (50, address(bridged), alice, 1)),
            abi.encodeCall(bridgeMint.mintMany, (payments, noAttestation())),
            abi.encodeCall(bridgeMint.refund, ("50", address(bridged), alice, 1, noAttestation())),
            abi.encodeCall(bridgeMint.retire, (address(bridged), 1))
        ];
        bytes[] memory attacks = attacksOnMint(address(bridged));
        for (uint256 i = 0; i < attacks.length; i++) {
            for (uint256 j = 0; j < 4; j++) {
                refused(bridged, address(bridgeMint), i < 2 ? 1 : 0, attacks[i], address(bridged), 0, calls[j]);
            }
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

    /// @dev Every function of the lock that anyone may call and that moves funds or changes state. The first one pays
    /// coin.
    function attacksOfAnyone(address caller) private view returns (bytes[] memory attacks) {
        attacks = new bytes[](7);
        attacks[0] = abi.encodeCall(lock.depositNative, (bob));
        attacks[1] = abi.encodeCall(lock.deposit, (address(usdc), 1, bob));
        attacks[2] = abi.encodeCall(lock.depositWithPermit, (address(usdc), 1, bob, 0, 27, 0, 0));
        attacks[3] = abi.encodeCall(lock.collectFees, (ETH));
        attacks[4] = abi.encodeCall(lock.claimFor, (address(usdc), OTHER));
        attacks[5] = abi.encodeCall(lock.claimFor, (address(usdc), caller));
        attacks[6] = abi.encodeCall(lock.claim, (address(usdc), bob));
    }

    /// @dev As above for a relayer, who can deliver and cannot claim.
    function attacksOfRelayer() private view returns (bytes[] memory attacks) {
        attacks = attacksOfAnyone(OTHER);
        attacks[6] = abi.encodeCall(lock.release, (99, address(usdc), bob, 1, 0));
        bytes[] memory all = new bytes[](10);
        for (uint256 i = 0; i < 7; i++) all[i] = attacks[i];
        all[7] = abi.encodeCall(lock.releaseNative, (99, bob, 1 ether, 0));
        all[8] = abi.encodeCall(lock.releaseIntent, (intentOf(bob, 1, "again"), TRANSFER, 0, noAttestation()));
        all[9] = batchOfReleases(address(usdc), bob);
        return all;
    }

    function batchOfReleases(address asset, address recipient) private view returns (bytes memory) {
        IBridgeLock.Payment[] memory payments = new IBridgeLock.Payment[](1);
        payments[0] = IBridgeLock.Payment(98, asset, recipient, 100, 0);
        return abi.encodeCall(lock.releaseMany, (payments, noAttestation()));
    }

    /// @dev Every function of a relayer on the partner chain, and one claim. The first two pay coin.
    function attacksOnMint(address bridgedToken) private view returns (bytes[] memory attacks) {
        IBridgeMint.Payment[] memory payments = new IBridgeMint.Payment[](1);
        payments[0] = IBridgeMint.Payment(98, bridgedToken, bob, 1);
        attacks = new bytes[](9);
        attacks[0] = abi.encodeCall(bridgeMint.mint, (99, ETH, OTHER, UNIT));
        attacks[1] = abi.encodeCall(bridgeMint.refundNative, ("99", OTHER, noAttestation()));
        attacks[2] = abi.encodeCall(bridgeMint.mint, (99, bridgedToken, bob, 1));
        attacks[3] = abi.encodeCall(bridgeMint.mintMany, (payments, noAttestation()));
        attacks[4] = abi.encodeCall(bridgeMint.refund, ("99", bridgedToken, bob, 1, noAttestation()));
        attacks[5] = abi.encodeCall(bridgeMint.refundOf, ("99", relayer, bridgedToken, bob, 1, noAttestation()));
        attacks[6] = abi.encodeCall(bridgeMint.retire, (bridgedToken, 1));
        attacks[7] = abi.encodeCall(bridgeMint.retireOf, (relayer, bridgedToken, 1));
        attacks[8] = abi.encodeCall(bridgeMint.claimFor, (ETH, OTHER));
    }

    function becomeRelayer(address account) private {
        vm.startPrank(admin);
        lock.setRelayer(account);
        bridgeMint.setRelayer(account);
        vm.stopPrank();
    }

    /// @dev Gives coin, and USDC with an allowance for the lock.
    function giveEverything(address account) private {
        vm.deal(account, 10);
        usdc.mint(account, 10);
        vm.prank(account);
        usdc.approve(address(lock), 10);
    }

    /// @dev Creates credits of coin and USDC for the thief, the token and a third account, and fees of every asset.
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

    /// @dev Puts bridged tokens in the wallets of the current and the next relayer.
    function handIn(uint256 amount) private {
        vm.prank(relayer);
        bridgeMint.mint(77, address(bridgedEth), alice, amount);
        vm.startPrank(alice);
        bridgedEth.transfer(address(thief), amount / 2);
        bridgedEth.transfer(relayer, amount / 4);
        vm.stopPrank();
        burnOne();
    }

    /// @dev Hands one bridged token in to the current relayer.
    function burnOne() private {
        vm.prank(alice);
        bridgeMint.burn(address(bridgedEth), 1 ether, alice, type(uint256).max);
    }
}
