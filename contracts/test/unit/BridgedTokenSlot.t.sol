// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";

/// @dev Balance, handed-in units and seal share a slot. This test is the bridge of its token.
contract BridgedTokenSlotTest is BridgeFixture {
    uint256 private constant SUPPLY = (1 << 127) - 1;
    uint256 private constant KEY = 0xA11CE;
    bytes32 private constant PERMIT = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );

    IBridgedToken private token;
    address private wallet;

    function setUp() public override {
        super.setUp();
        token = newToken("Own", "O", 0, address(this));
        wallet = vm.addr(KEY);
    }

    function isHandedIn() private view returns (bytes memory) {
        return abi.encodeWithSelector(IBridgedToken.HandedIn.selector, wallet);
    }

    function check(address account, uint256 balance, uint256 handedIn, bool sealed_) private view {
        vm.assertEq(token.balanceOf(account), balance);
        vm.assertEq(token.handedIn(account), handedIn);
        vm.assertEq(token.isSealed(account), sealed_);
    }

    function expectTransfer(address from, address to, uint256 amount) private {
        vm.expectEmit(address(token));
        emit IERC20.Transfer(from, to, amount);
    }

    function test_EveryMovementIsATransfer() public {
        expectTransfer(address(0), alice, 10);
        token.mint(alice, 10);
        expectTransfer(alice, wallet, 6);
        token.bridgeTransfer(alice, wallet, 6);
        expectTransfer(alice, wallet, 2);
        vm.prank(alice);
        token.transfer(wallet, 2);
        expectTransfer(wallet, bob, 2);
        token.bridgeRefund(wallet, bob, 2);
        expectTransfer(wallet, address(0), 6);
        token.retire(wallet, 6);
    }

    /// @dev One wallet holds the whole supply, all handed in: no field of the slot overflows into the next.
    function test_TheWholeSupplyFits() public {
        token.mint(alice, SUPPLY);
        check(alice, SUPPLY, 0, false);
        token.bridgeTransfer(alice, wallet, SUPPLY);
        check(wallet, SUPPLY, SUPPLY, true);
        check(alice, 0, 0, false);
        token.retire(wallet, SUPPLY);
        check(wallet, 0, 0, true);
        vm.assertEq(token.totalSupply(), 0);
        token.mint(alice, SUPPLY);
        vm.prank(alice);
        token.transfer(wallet, SUPPLY);
        check(wallet, SUPPLY, 0, true);
        token.bridgeRefund(wallet, alice, SUPPLY);
        check(wallet, 0, 0, true);
    }

    /// @dev Hands in, sends, refunds and retires any amounts, and compares with sums kept here.
    function testFuzz_ThePartsOfASlotAreIndependent(uint120[6] calldata amounts) public {
        (uint256 balance, uint256 handedIn) = (0, 0);
        token.mint(alice, SUPPLY);
        for (uint256 i = 0; i < 6; i++) {
            uint256 amount = uint256(amounts[i]) + 1;
            if (i % 2 == 0) {
                token.bridgeTransfer(alice, wallet, amount);
                handedIn += amount;
            } else {
                vm.prank(alice);
                token.transfer(wallet, amount);
            }
            balance += amount;
            check(wallet, balance, handedIn, true);
        }
        uint256 free = balance - handedIn;
        vm.expectRevert(isHandedIn());
        token.bridgeRefund(wallet, bob, free + 1);
        token.bridgeRefund(wallet, bob, free);
        check(wallet, handedIn, handedIn, true);
        check(bob, free, 0, false);
        token.retire(wallet, handedIn / 3);
        check(wallet, handedIn - handedIn / 3, handedIn - handedIn / 3, true);
        vm.assertEq(token.totalSupply(), SUPPLY - handedIn / 3);
    }

    /// @dev Units that were sent by mistake can be refunded, and never retired.
    function test_ARetirementTakesHandedInUnitsOnly() public {
        token.mint(alice, 10);
        token.bridgeTransfer(alice, wallet, 4);
        vm.prank(alice);
        token.transfer(wallet, 3);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.NotHandedIn.selector, wallet, 4, 5));
        token.retire(wallet, 5);
        token.retire(wallet, 4);
        check(wallet, 3, 0, true);
        vm.expectRevert(abi.encodeWithSelector(IBridgedToken.NotHandedIn.selector, wallet, 0, 1));
        token.retire(wallet, 1);
    }

    /// @dev Plain transfers to the token itself or to its bridge would be lost.
    function test_NeitherTheTokenNorItsBridgeReceivesTransfers() public {
        token.mint(alice, 10);
        address[2] memory never = [address(token), token.bridge()];
        for (uint256 i = 0; i < 2; i++) {
            vm.prank(alice);
            vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, never[i]));
            token.transfer(never[i], 1);
        }
        check(alice, 10, 0, false);
    }

    /// @dev No path of the token moves what a sealed wallet holds: transfer, allowance, permit, burn, mint to it.
    function test_ASealedWalletMovesNothing() public {
        token.mint(alice, 10);
        token.bridgeTransfer(alice, wallet, 4);
        vm.prank(alice);
        token.transfer(wallet, 3);
        vm.startPrank(wallet);
        vm.expectRevert(isHandedIn());
        token.transfer(bob, 1);
        vm.expectRevert(isHandedIn());
        token.transfer(bob, 0);
        token.approve(bob, 7);
        vm.stopPrank();
        vm.prank(bob);
        vm.expectRevert(isHandedIn());
        token.transferFrom(wallet, bob, 1);
        vm.expectRevert(isHandedIn());
        token.bridgeTransfer(wallet, bob, 1);
        vm.assertFalse(token.mint(wallet, 1));
        check(wallet, 7, 4, true);
        vm.assertEq(token.totalSupply(), 10);
    }

    /// @dev Its permit sets an allowance that is useless.
    function test_APermitOfASealedWalletMovesNothing() public {
        token.mint(alice, 10);
        token.bridgeTransfer(alice, wallet, 4);
        IERC20Permit permits = IERC20Permit(address(token));
        uint256 deadline = block.timestamp + 1;
        bytes32 message = keccak256(abi.encode(PERMIT, wallet, bob, 4, permits.nonces(wallet), deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", permits.DOMAIN_SEPARATOR(), message));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        permits.permit(wallet, bob, 4, deadline, v, r, s);
        vm.assertEq(token.allowance(wallet, bob), 4);
        vm.prank(bob);
        vm.expectRevert(isHandedIn());
        token.transferFrom(wallet, bob, 4);
    }

    /// @dev For all other accounts the token is an ordinary ERC-20, to the last unit.
    function test_OthersTransferAsEver() public {
        token.mint(alice, 10);
        vm.startPrank(alice);
        token.transfer(bob, 10);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 0, 1));
        token.transfer(bob, 1);
        vm.stopPrank();
        vm.startPrank(bob);
        token.transfer(bob, 10);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        token.transfer(address(0), 1);
        vm.stopPrank();
        check(bob, 10, 0, false);
        vm.assertEq(token.totalSupply(), 10);
    }
}
