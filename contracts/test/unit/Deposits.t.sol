// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {ILock, ITestToken} from "../fixtures/Interfaces.sol";
import {FalseToken, FeeOnTransferToken, GenerousToken, GreedyPermitToken} from "../mocks/HostileTokens.sol";

contract DepositsTest is BridgeFixture {
    uint256 private constant KEY = 0xC0FFEE;

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
        address[5] memory lossy = [address(0), peer, relayer, address(lock), address(xcn)];
        for (uint256 i = 0; i < 5; i++) {
            vm.prank(alice);
            vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, lossy[i]));
            lock.depositNative{value: 1}(lossy[i]);
        }
        usdc.mint(alice, 1);
        vm.startPrank(alice);
        usdc.approve(address(lock), 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, address(usdc)));
        lock.deposit(address(usdc), 1, address(usdc));
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.depositNative(bob);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.deposit(address(usdc), 0, bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.deposit(address(0), 1, bob);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(bridgedEth)));
        lock.deposit(address(bridgedEth), 1, bob);
        vm.stopPrank();
        vm.assertEq(lock.depositNonce(), 0);
    }

    /// @dev More tokens than the contract has immutables: the later ones are not recipients either.
    function test_LaterListedTokensAreNoRecipients() public {
        vm.deal(alice, 1 ether);
        vm.startPrank(alice);
        lock.depositNative{value: 1}(address(bridgedEth));
        vm.stopPrank();
        list(lock, address(bridgedEth), 0);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, address(bridgedEth)));
        lock.depositNative{value: 1}(address(bridgedEth));
    }

    function test_AnAssetWithoutBeginningsIsNotDeposited() public {
        setListing(lock, address(0), false, true);
        vm.deal(alice, 1);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.depositNative{value: 1}(bob);
    }

    function test_ADepositIsAtMostTheMaximum() public {
        vm.prank(policyManager);
        lock.setMaxAmount(address(0), 3 * LIMIT_UNIT);
        vm.deal(alice, 1 ether);
        vm.startPrank(alice);
        bytes memory refusal = abi.encodeWithSelector(
            IBridgeBase.AboveMaximum.selector,
            3 * LIMIT_UNIT + 1,
            3 * LIMIT_UNIT
        );
        vm.expectRevert(refusal);
        lock.depositNative{value: 3 * LIMIT_UNIT + 1}(bob);
        lock.depositNative{value: 3 * LIMIT_UNIT}(bob);
        vm.stopPrank();
    }

    function testFuzz_DustOfXcnIsRefused(uint80 amount) public {
        vm.assume(amount != 0);
        xcn.mint(alice, amount);
        vm.startPrank(alice);
        xcn.approve(address(lock), amount);
        if (amount % 1e10 != 0) vm.expectRevert(abi.encodeWithSelector(IBridgeBase.Dust.selector, amount, 1e10));
        lock.deposit(address(xcn), amount, bob);
        vm.stopPrank();
        vm.assertEq(lock.locked(address(xcn)), amount % 1e10 == 0 ? amount : 0);
    }

    /// @dev A native coin with more decimals than the other side can represent.
    function test_DustOfTheNativeCoinIsRefusedToo() public {
        IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](1);
        tokens[0] = listing(address(0), 10);
        ILock made = newLock(setup(), tokens, address(xcn), treasury);
        vm.deal(alice, 1 ether);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.Dust.selector, 1e10 + 1, 1e10));
        made.depositNative{value: 1e10 + 1}(bob);
        made.depositNative{value: 1e10}(bob);
        vm.stopPrank();
        vm.assertEq(made.locked(address(0)), 1e10);
    }

    function test_FeeOnTransferTokenIsRefused() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        list(lock, address(token), 0);
        token.mint(alice, 1_000);
        vm.startPrank(alice);
        token.approve(address(lock), 1_000);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AmountMismatch.selector, 1_000, 990));
        lock.deposit(address(token), 1_000, bob);
        vm.stopPrank();
    }

    /// @dev Only the asked amount would be minted, and the rest would belong to no one.
    function test_ATokenThatDeliversMoreThanAskedIsRefused() public {
        GenerousToken token = new GenerousToken();
        list(lock, address(token), 0);
        token.mint(alice, 1_000);
        vm.startPrank(alice);
        token.approve(address(lock), 1_000);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.AmountMismatch.selector, 1_000, 1_001));
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

    // ----------------------------------------------------------------------------------------------- Permits

    function permit(uint256 amount, uint256 deadline) private view returns (uint8, bytes32, bytes32) {
        bytes32 kind = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        address owner = vm.addr(KEY);
        bytes32 message = keccak256(abi.encode(kind, owner, address(lock), amount, usdc.nonces(owner), deadline));
        return vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), message)));
    }

    function test_DepositWithPermitAlsoWhenFrontRun() public {
        address owner = vm.addr(KEY);
        usdc.mint(owner, 20);
        uint256 deadline = block.timestamp + 60;
        (uint8 v, bytes32 r, bytes32 s) = permit(10, deadline);
        vm.prank(owner);
        lock.depositWithPermit(address(usdc), 10, bob, deadline, v, r, s);
        (v, r, s) = permit(10, deadline);
        // Another account copies the permit from the mempool and submits it first.
        usdc.permit(owner, address(lock), 10, deadline, v, r, s);
        vm.prank(owner);
        lock.depositWithPermit(address(usdc), 10, bob, deadline, v, r, s);
        vm.assertEq(lock.locked(address(usdc)), 20);
    }

    function test_PermitOfAnotherMovesNothing() public {
        usdc.mint(vm.addr(KEY), 10);
        (uint8 v, bytes32 r, bytes32 s) = permit(10, block.timestamp + 60);
        vm.prank(bob);
        (bool success, ) = address(lock).call(
            abi.encodeCall(lock.depositWithPermit, (address(usdc), 10, bob, block.timestamp + 60, v, r, s))
        );
        vm.assertFalse(success);
        vm.assertEq(usdc.balanceOf(vm.addr(KEY)), 10);
    }

    function test_PermitDepositRefusesUnlistedTokens() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.depositWithPermit(address(0), 1, bob, 0, 0, 0, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(this)));
        lock.depositWithPermit(address(this), 1, bob, 0, 0, 0, 0);
    }

    /// @dev The contract does not call an unlisted token, not even its permit, which could burn the caller's gas.
    function test_AnUnlistedTokenIsNotCalled() public {
        address token = address(new GreedyPermitToken());
        (bool done, bytes memory answer) = address(lock).call{gas: 100_000}(
            abi.encodeCall(lock.depositWithPermit, (token, 1, bob, 0, 0, 0, 0))
        );
        vm.assertFalse(done);
        vm.assertEq(keccak256(answer), keccak256(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, token)));
    }

    // ---------------------------------------------------------------------------------------- Authorizations

    function authorization(
        address recipient,
        uint256 amount,
        bytes32 salt
    ) private view returns (IBridgeLock.Authorization memory signed) {
        signed.from = vm.addr(KEY);
        signed.validBefore = block.timestamp + 1 hours;
        signed.salt = salt;
        bytes32 message = keccak256(
            abi.encode(
                usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH(),
                signed.from,
                address(lock),
                amount,
                signed.validAfter,
                signed.validBefore,
                keccak256(abi.encode(recipient, salt))
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), message));
        (signed.v, signed.r, signed.s) = vm.sign(KEY, digest);
    }

    /// @dev The signer pays no gas and is the sender; the submitter does not appear.
    function test_AnybodySubmitsAnAuthorization() public {
        address signer = vm.addr(KEY);
        usdc.mint(signer, 30);
        IBridgeLock.Authorization memory signed = authorization(bob, 30, "salt");
        bytes32 id = idOf(block.chainid, address(lock), 0);
        vm.expectEmit(address(lock));
        emit IBridgeLock.Deposit(id, address(usdc), signer, bob, 30, 0);
        vm.prank(alice);
        vm.assertEq(lock.depositWithAuthorization(address(usdc), 30, bob, signed), id);
        vm.assertEq(lock.locked(address(usdc)), 30);
        bytes32 nonce = keccak256(abi.encode(bob, bytes32("salt")));
        vm.expectRevert(abi.encodeWithSelector(ITestToken.AuthorizationUsed.selector, nonce));
        lock.depositWithAuthorization(address(usdc), 30, bob, signed);
    }

    /// @dev A front-runner changes the recipient, amount or salt: the signature covers all three.
    function test_ASubmitterChangesNothing() public {
        usdc.mint(vm.addr(KEY), 60);
        IBridgeLock.Authorization memory signed = authorization(bob, 30, "salt");
        vm.startPrank(alice);
        vm.expectPartialRevert(ITestToken.NotSigner.selector);
        lock.depositWithAuthorization(address(usdc), 30, alice, signed);
        vm.expectPartialRevert(ITestToken.NotSigner.selector);
        lock.depositWithAuthorization(address(usdc), 60, bob, signed);
        signed.salt = "other";
        vm.expectPartialRevert(ITestToken.NotSigner.selector);
        lock.depositWithAuthorization(address(usdc), 30, bob, signed);
        signed.salt = "salt";
        // The front-runner cannot use up the authorization by taking the tokens either.
        bytes32 nonce = keccak256(abi.encode(bob, bytes32("salt")));
        vm.expectRevert(abi.encodeWithSelector(ITestToken.NotReceiver.selector, alice));
        usdc.receiveWithAuthorization(
            signed.from,
            address(lock),
            30,
            0,
            signed.validBefore,
            nonce,
            signed.v,
            signed.r,
            signed.s
        );
        lock.depositWithAuthorization(address(usdc), 30, bob, signed);
        vm.stopPrank();
        vm.assertEq(lock.depositNonce(), 1);
    }

    function test_AnAuthorizationIsADepositLikeOthers() public {
        usdc.mint(vm.addr(KEY), 30);
        IBridgeLock.Authorization memory signed = authorization(relayer, 30, "salt");
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, relayer));
        lock.depositWithAuthorization(address(usdc), 30, relayer, signed);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(this)));
        lock.depositWithAuthorization(address(this), 30, bob, signed);
        vm.expectRevert(abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, address(0)));
        lock.depositWithAuthorization(address(0), 30, bob, signed);
        vm.expectRevert(IBridgeBase.ZeroAmount.selector);
        lock.depositWithAuthorization(address(usdc), 0, bob, signed);
        vm.prank(guardian);
        lock.pause(true, false);
        signed = authorization(bob, 30, "salt");
        vm.expectRevert(IBridgeBase.Paused.selector);
        lock.depositWithAuthorization(address(usdc), 30, bob, signed);
        vm.assertEq(usdc.balanceOf(vm.addr(KEY)), 30);
    }
}
