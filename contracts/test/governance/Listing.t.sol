// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {BridgeFixture} from "../fixtures/BridgeFixture.sol";
import {IBridge, ILock} from "../fixtures/Interfaces.sol";

/// @dev The two flags of a listing, and the maximum of an operation, on both contracts.
contract ListingTest is BridgeFixture {
    address private constant NATIVE = address(0);

    function notAllowed(address token) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.TokenNotAllowed.selector, token);
    }

    function tryDeposit(address token, bytes memory refusal) private {
        usdc.mint(alice, 10);
        vm.deal(alice, 10);
        vm.startPrank(alice);
        usdc.approve(address(lock), 10);
        if (refusal.length > 0) vm.expectRevert(refusal);
        if (token == NATIVE) lock.depositNative{value: 10}(bob);
        else lock.deposit(token, 10, bob);
        vm.stopPrank();
    }

    /// @dev Each combination of the flags, for coin and for tokens.
    function test_EachFlagStopsItsOwnDirection() public {
        fund(NATIVE, 100);
        fund(address(usdc), 100);
        address[2] memory tokens = [NATIVE, address(usdc)];
        for (uint256 i = 0; i < 8; i++) {
            (address token, bool mayBegin, bool mayDeliver) = (tokens[i % 2], i & 2 != 0, i & 4 != 0);
            setListing(lock, token, mayBegin, mayDeliver);
            tryDeposit(token, mayBegin ? bytes("") : notAllowed(token));
            vm.prank(relayer);
            if (!mayDeliver) vm.expectRevert(notAllowed(token));
            if (token == NATIVE) lock.releaseNative(i, bob, 1, 0);
            else lock.release(i, token, bob, 1, 0);
            vm.assertEq(lock.isReleased(i), mayDeliver);
            setListing(lock, token, true, true);
        }
    }

    function test_EachFlagStopsItsOwnDirectionThere() public {
        give(alice, 10 ether);
        address token = address(bridgedEth);
        for (uint256 i = 0; i < 4; i++) {
            (bool mayBegin, bool mayDeliver) = (i & 1 != 0, i & 2 != 0);
            setListing(bridgeMint, token, mayBegin, mayDeliver);
            vm.prank(alice);
            if (!mayBegin) vm.expectRevert(notAllowed(token));
            bridgeMint.burn(token, 1 ether, bob, 1 ether);
            vm.prank(relayer);
            if (!mayDeliver) vm.expectRevert(notAllowed(token));
            bridgeMint.mint(i, token, bob, 1);
            vm.assertEq(bridgeMint.isMinted(i), mayDeliver);
        }
    }

    /// @dev With deliveries closed, credits and fees are still paid, and the rest of the collateral stays counted.
    function test_ListingsLeaveCollateralAndCredits() public {
        fund(address(usdc), 100);
        usdc.setBlocklisted(bob, true);
        vm.prank(relayer);
        lock.release(1, address(usdc), bob, 50, 10);
        usdc.setBlocklisted(bob, false);
        setListing(lock, address(usdc), false, false);
        vm.assertEq(lock.locked(address(usdc)), 40);
        vm.prank(bob);
        vm.assertEq(lock.claim(address(usdc), alice), 50);
        vm.assertEq(lock.collectFees(address(usdc)), 10);
        (, , uint256 granularity, uint256 unit) = lock.tokenSettings(address(usdc));
        vm.assertEq(granularity, 1);
        vm.assertEq(unit, LIMIT_UNIT);
        vm.assertEq(lock.maxAmount(address(usdc)), HIGHEST);
    }

    /// @dev A token is listed once: another unit would change the counted outflow, another granularity the amounts that
    /// exist there.
    function test_ATokenIsListedOnce() public {
        IBridge[2] memory both = [IBridge(address(lock)), IBridge(address(bridgeMint))];
        for (uint256 i = 0; i < 2; i++) {
            IBridgeGovernance.TokenSetup memory again = listing(NATIVE, 0);
            again.unitExponent = 1;
            vm.startPrank(admin);
            vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AlreadyListed.selector, NATIVE));
            both[i].listToken(again);
            // Not even while both directions are closed.
            both[i].setListing(NATIVE, false, false);
            vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.AlreadyListed.selector, NATIVE));
            both[i].listToken(again);
            vm.expectRevert(abi.encodeWithSelector(IBridgeGovernance.NotListed.selector, bob));
            both[i].setListing(bob, true, true);
            vm.stopPrank();
        }
    }

    function test_ANewListingIsWithinItsOwnCeiling() public {
        IBridgeGovernance.TokenSetup memory fresh = listing(bob, 0);
        fresh.limits.capacity = HIGHEST + LIMIT_UNIT;
        refuse(fresh, abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, HIGHEST + LIMIT_UNIT, HIGHEST));
        fresh = listing(bob, 0);
        fresh.ceiling.window = 2 * WINDOW;
        refuse(fresh, abi.encodeWithSelector(IBridgeGovernance.WindowBelowFloor.selector, WINDOW, 2 * WINDOW));
        fresh = listing(bob, 0);
        fresh.ceiling.maxAmount = HIGHEST - LIMIT_UNIT;
        refuse(fresh, abi.encodeWithSelector(IBridgeGovernance.AboveCeiling.selector, HIGHEST, HIGHEST - LIMIT_UNIT));
        fresh = listing(bob, 19);
        refuse(fresh, abi.encodeWithSelector(IBridgeGovernance.ExponentTooLarge.selector, 19));
        fresh = listing(bob, 18);
        fresh.unitExponent = 18;
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.TokenListed(bob, 18, 18);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.ListingSet(bob, true, true);
        list(lock, fresh);
        (, , uint256 granularity, uint256 unit) = lock.tokenSettings(bob);
        vm.assertTrue(granularity == 1 ether && unit == 1 ether);
    }

    /// @dev All fields of a token's slot at their maximum: none overflows into the next.
    function test_TheLargestSettingsAreKept() public {
        uint256 most = (2 ** 32 - 1) * 1e9;
        uint256 window = 65_535 minutes;
        IBridgeGovernance.Limits memory limits = IBridgeGovernance.Limits(most, window, most);
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.TokenListed(bob, 7, 9);
        list(lock, IBridgeGovernance.TokenSetup(bob, 7, 9, limits, limits));
        (, , uint256 granularity, uint256 unit) = lock.tokenSettings(bob);
        vm.assertEq(granularity, 1e7);
        vm.assertEq(unit, 1e9);
        (uint256 capacity, uint256 seconds_) = lock.outflowLimit(bob);
        vm.assertEq(capacity, most);
        vm.assertEq(seconds_, window);
        vm.assertEq(lock.maxAmount(bob), most);
        vm.assertEq(lock.outflowRoom(bob), most);
    }

    /// @dev A delivery has the first three tokens as immutables and looks up the others. None of them is a recipient.
    function test_NoListedTokenIsARecipient() public {
        for (uint256 count = 1; count <= 5; count++) {
            IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](count);
            for (uint256 i = 0; i < count; i++) tokens[i] = listing(i == 0 ? NATIVE : address(uint160(0x70 + i)), 0);
            ILock made = newLock(setup(), tokens, address(xcn), treasury);
            vm.deal(alice, 10);
            for (uint256 i = 0; i < 6; i++) {
                address recipient = address(uint160(0x70 + i));
                vm.prank(alice);
                bool isListed = i > 0 && i < count;
                if (isListed) vm.expectRevert(abi.encodeWithSelector(IBridgeBase.InvalidRecipient.selector, recipient));
                made.depositNative{value: 1}(recipient);
            }
            vm.assertEq(made.depositNonce(), 7 - count);
        }
    }

    // ----------------------------------------------------------------------------------------------- Maximum

    /// @dev The maximum passes and one unit more does not, for every function that begins an operation.
    function test_TheMaximumHoldsAtBothOrigins() public {
        vm.startPrank(policyManager);
        lock.setMaxAmount(NATIVE, LIMIT_UNIT);
        lock.setMaxAmount(address(xcn), LIMIT_UNIT);
        bridgeMint.setMaxAmount(address(bridgedEth), 1 ether);
        bridgeMint.setMaxAmount(NATIVE, 5_000 ether);
        vm.stopPrank();
        vm.deal(alice, 1 ether);
        xcn.mint(alice, 1 ether);
        give(alice, 3 ether);
        vm.startPrank(alice);
        vm.expectRevert(tooMuch(LIMIT_UNIT + 1, LIMIT_UNIT));
        lock.depositNative{value: LIMIT_UNIT + 1}(bob);
        lock.depositNative{value: LIMIT_UNIT}(bob);
        xcn.approve(address(lock), 1 ether);
        vm.expectRevert(tooMuch(LIMIT_UNIT + UNIT, LIMIT_UNIT));
        lock.deposit(address(xcn), LIMIT_UNIT + UNIT, bob);
        lock.deposit(address(xcn), LIMIT_UNIT, bob);
        vm.expectRevert(tooMuch(1 ether + 1, 1 ether));
        bridgeMint.burn(address(bridgedEth), 1 ether + 1, bob, 1 ether);
        bridgeMint.burn(address(bridgedEth), 1 ether, bob, 1 ether);
        vm.expectRevert(tooMuch(5_000 ether + UNIT, 5_000 ether));
        bridgeMint.withdrawNative{value: 5_000 ether / UNIT + 1}(bob, 5_000 ether);
        bridgeMint.withdrawNative{value: 5_000 ether / UNIT}(bob, 5_000 ether);
        vm.stopPrank();
        // The maximum applies to beginnings only: a delivery above it is paid.
        vm.prank(relayer);
        bridgeMint.mint(1, address(bridgedEth), bob, 2 ether);
        vm.assertEq(bridgedEth.balanceOf(bob), 2 ether);
    }

    function test_AMaximumOfZeroLetsNothingBegin() public {
        vm.expectEmit(address(lock));
        emit IBridgeGovernance.MaxAmountSet(NATIVE, 0);
        vm.prank(policyManager);
        lock.setMaxAmount(NATIVE, 0);
        tryDeposit(NATIVE, tooMuch(10, 0));
    }

    function tooMuch(uint256 amount, uint256 maximum) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeBase.AboveMaximum.selector, amount, maximum);
    }

    function refuse(IBridgeGovernance.TokenSetup memory token, bytes memory refusal) private {
        vm.prank(admin);
        vm.expectRevert(refusal);
        lock.listToken(token);
    }
}
