// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgedToken} from "../../src/interfaces/IBridgedToken.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {IBridgeSuccession} from "../../src/interfaces/IBridgeSuccession.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {IBridge, ILock, IMint, ITestToken} from "../fixtures/Interfaces.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {CoverageGoals} from "./CoverageGoals.sol";
import {InvariantHandler} from "./InvariantHandler.sol";

/// @dev A succession of both contracts by a second edition, at a random moment and in random steps. Afterwards the
/// first edition drains, while users begin operations in the second one, each delivered in the same turn. Its deposits
/// and withdrawals enter the same ledger: minted and burnt count for both.
contract SucceededBridge is InvariantHandler {
    uint256 private constant CLOSING = 3 days;
    uint256 private constant SETTLING = 1 days;

    ILock private immutable _nextLock;
    IMint private immutable _nextMint;
    address private immutable _nextRelayer = address(0x5E0A);
    /// @dev Pays deposits to the second edition, and receives what it releases.
    address private immutable _user = address(0x05E4);

    mapping(bool onLock => address) private _successors;
    mapping(bool onLock => uint256) private _handOverFrom;
    mapping(bool onLock => bool) private _hasBegun;
    mapping(uint256 asset => bool) private _mayMint;
    /// @dev Collateral and float of the second edition.
    uint256[ASSETS] private _held;
    uint256 private _nextFloat;

    constructor() {
        address mintAddress = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        IBridgeGovernance.TokenSetup[] memory tokens = new IBridgeGovernance.TokenSetup[](ASSETS);
        for (uint256 i = 0; i < ASSETS; i++) tokens[i] = _listing(here[i], i);
        bytes memory args = abi.encode(_nextSetup(mintAddress), tokens, here[XCN_ASSET], address(0x7003));
        _nextLock = ILock(Artifact.create("BridgeLock", args));
        IBridgeMint.FeeSetup[] memory fees = new IBridgeMint.FeeSetup[](ASSETS);
        IBridgeMint.FeePolicy memory none = IBridgeMint.FeePolicy(0, 0, 1);
        for (uint256 i = 0; i < ASSETS; i++) {
            tokens[i] = _listing(there[i], i);
            fees[i] = IBridgeMint.FeeSetup(there[i], none, none);
        }
        args = abi.encode(_nextSetup(address(_nextLock)), tokens, fees, UNIT);
        _nextMint = IMint(Artifact.create("BridgeMint", args));
        assert(address(_nextMint) == mintAddress);
    }

    /// @dev The second edition holds what it was handed and what its users deposited, to the unit.
    function checkSuccession() external view {
        for (uint256 i = 0; i < ASSETS; i++) {
            if (_heldBySuccessor(i) != _held[i]) revert Broken("the successor holds what it was handed", i);
            if (i == XCN_ASSET) continue;
            address successor = IBridgedToken(there[i]).successor();
            if (successor != (_mayMint[i] ? address(_nextMint) : address(0))) revert Broken("who mints", i);
        }
        if (_nextMint.float() != _nextFloat) revert Broken("the float that was handed over", XCN_ASSET);
        for (uint256 i = 0; i < 2; i++) {
            bool onLock = i == 0;
            (, address successor, uint256 from, bool begun) = _governed(onLock).successionProgress();
            bool isRight = successor == _successors[onLock] && from == _handOverFrom[onLock];
            if (!isRight || begun != _hasBegun[onLock]) revert Broken("the succession as announced", i);
        }
    }

    /// @dev The next step of a succession, or an operation of the second edition.
    function _steal(uint256 asset, uint256 seed) internal override {
        (bool onLock, uint256 what) = (seed % 2 == 0, (seed >> 8) % 8);
        seed >>= 16;
        if (_successors[onLock] == address(0)) return _announce(onLock, seed);
        bool mayEnd = _closed[onLock] ? what == 0 : what < 4;
        if (mayEnd && !_hasBegun[onLock]) return _terminate(onLock);
        if (!_closed[onLock]) return _close(onLock, seed);
        if (what < 4) return _handOver(onLock, asset, seed);
        if (asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest) return;
        if (asset != XCN_ASSET && !_mayMint[asset]) return;
        if (what < 6) _depositNext(asset, seed);
        else _withdrawNext(asset, seed);
    }

    function _heldBySuccessor(uint256 asset) internal view override returns (uint256) {
        return _balance(here[asset], address(_nextLock));
    }

    function _announce(bool onLock, uint256 seed) private {
        address successor = onLock ? address(_nextLock) : address(_nextMint);
        bytes memory call = abi.encodeCall(IBridgeSuccession.announceSuccessor, (successor));
        _mustFail(_stranger(seed), _side(onLock), call);
        vm.prank(_admin);
        _governed(onLock).announceSuccessor(successor);
        (_successors[onLock], _handOverFrom[onLock]) = (successor, _time + EXIT_WINDOW);
        _mustFail(_admin, _side(onLock), call);
        _record("successor announced", onLock ? 0 : 1);
    }

    /// @dev Another successor may then be announced, with a full window. Closed beginnings stay closed.
    function _terminate(bool onLock) private {
        vm.prank(_admin);
        _governed(onLock).terminateSuccession();
        delete _successors[onLock];
        delete _handOverFrom[onLock];
        _record("succession ended", _closed[onLock] ? 1 : 0);
    }

    /// @dev Any account closes beginnings, three days before the end of the window or later.
    function _close(bool onLock, uint256 seed) private {
        bytes memory call = abi.encodeCall(IBridgeSuccession.closeForEver, ());
        uint256 opens = _handOverFrom[onLock] - CLOSING;
        if (_time < opens) {
            _mustFail(_admin, _side(onLock), call);
            _wait(opens - _time);
        }
        _wait(seed % 5 days);
        vm.prank(_stranger(seed));
        _governed(onLock).closeForEver();
        _mustFail(_admin, _side(onLock), call);
        (_closed[onLock], _pauses[onLock].beginningsUntil) = (true, WITHOUT_END);
        if (_time + SETTLING > _handOverFrom[onLock]) _handOverFrom[onLock] = _time + SETTLING;
        _record("beginnings closed", onLock ? 0 : 1);
    }

    function _handOver(bool onLock, uint256 asset, uint256 seed) private {
        // A misbehaving token changes the amount that arrives.
        if (onLock && asset == CHAOS && chaos.mode() != ChaoticToken.Mode.Honest) return;
        uint256 step = !onLock && asset == XCN_ASSET ? UNIT : 1;
        uint256 free = _freeOf(onLock, asset);
        uint256 amount = seed % 2 == 0 ? free : (seed >> 8) % (free + 1);
        amount -= amount % step;
        bytes memory call = _handOverCall(onLock, asset, amount);
        if (_time < _handOverFrom[onLock]) {
            _mustFail(_admin, _side(onLock), call);
            _wait(_handOverFrom[onLock] - _time);
        }
        _mustFail(_stranger(seed), _side(onLock), call);
        _mustFail(_admin, _side(onLock), _handOverCall(onLock, asset, free + step));
        bool isRight = !onLock && asset != XCN_ASSET;
        bool mayWork = isRight ? !_mayMint[asset] : amount > 0 && !(onLock && _refusesTransfers(asset, address(0)));
        bool done = _callAs(_admin, _side(onLock), 0, call);
        if (done != mayWork) wrongEffects++;
        if (!done) return;
        _hasBegun[onLock] = true;
        if (onLock) {
            _ledgers[asset].handedOver += amount;
            _held[asset] += amount;
        } else if (isRight) _mayMint[asset] = true;
        else (_float, _nextFloat) = (_float - amount, _nextFloat + amount);
        _record(onLock ? bytes32("collateral handed over") : bytes32("handed over there"), asset);
    }

    /// @dev A deposit to the second edition, and its mint.
    function _depositNext(uint256 asset, uint256 seed) private {
        uint256 amount = _amount(seed >> 64, asset);
        if (asset == XCN_ASSET) amount -= amount % UNIT;
        if (amount == 0 || !_fund(_user, asset, amount)) return;
        _waitFor(_nextMint, there[asset], amount);
        address recipient = actors[seed % 2];
        vm.startPrank(_user);
        if (asset == 0) _nextLock.depositNative{value: amount}(recipient);
        else {
            ITestToken(here[asset]).approve(address(_nextLock), amount);
            _nextLock.deposit(here[asset], amount, recipient);
        }
        vm.stopPrank();
        uint256 value = asset == XCN_ASSET ? amount / UNIT : 0;
        vm.deal(_nextRelayer, value);
        uint256 number = _nextLock.depositNonce() - 1;
        vm.prank(_nextRelayer);
        _nextMint.mint{value: value}(number, there[asset], recipient, amount);
        _ledgers[asset].minted += amount;
        _held[asset] += amount;
        _record("deposit to the successor", asset);
    }

    /// @dev A withdrawal from the second edition, by holders of either edition's tokens, and its release.
    function _withdrawNext(uint256 asset, uint256 seed) private {
        (address sender, uint256 most) = asset == XCN_ASSET ? (_user, _xcnInCirculation()) : _holder(seed, asset);
        uint256 amount = _amount(seed >> 64, asset);
        if (amount > most) amount = most;
        if (amount > _held[asset]) amount = _held[asset];
        if (asset == XCN_ASSET) amount -= amount % UNIT;
        if (amount == 0) return;
        _waitFor(_nextLock, here[asset], amount);
        if (asset == XCN_ASSET) {
            vm.deal(sender, amount / UNIT);
            vm.prank(sender);
            _nextMint.withdrawNative{value: amount / UNIT}(_user, 0);
            _nextFloat += amount;
        } else {
            vm.prank(sender);
            _nextMint.burn(there[asset], amount, _user, 0);
        }
        uint256 number = _nextMint.withdrawNonce() - 1;
        vm.startPrank(_nextRelayer);
        if (asset == 0) _nextLock.releaseNative(number, _user, amount, 0);
        else _nextLock.release(number, here[asset], _user, amount, 0);
        if (asset != XCN_ASSET) _nextMint.retire(there[asset], amount);
        vm.stopPrank();
        _ledgers[asset].burnt += amount;
        if (asset != XCN_ASSET) _ledgers[asset].retired += amount;
        _held[asset] -= amount;
        _record("withdrawal from the successor", asset);
    }

    /// @dev The second edition has the usual limits: they refill within the window.
    function _waitFor(IBridge end, address token, uint256 amount) private {
        if (end.outflowRoom(token) < amount) _wait(WINDOW);
    }

    /// @dev Any account except the admin, sometimes the relayer or the guardian.
    function _stranger(uint256 seed) private view returns (address) {
        uint256 which = (seed >> 32) % 8;
        if (which == 0) return _relayer;
        return which == 1 ? _guardian : _actor(which);
    }

    function _freeOf(bool onLock, uint256 asset) private view returns (uint256) {
        if (onLock) return lock.locked(here[asset]);
        return asset == XCN_ASSET ? _float : 0;
    }

    function _handOverCall(bool onLock, uint256 asset, uint256 amount) private view returns (bytes memory) {
        return abi.encodeCall(IBridgeSuccession.handOver, (_token(onLock, asset), amount));
    }

    function _nextSetup(address peer) private view returns (IBridgeGovernance.Setup memory keys) {
        keys = _setup(peer);
        keys.relayer = _nextRelayer;
        (keys.attesters, keys.threshold, keys.minimumThreshold) = (new address[](0), 0, 0);
    }
}

/// @dev Solvency of both editions together, to the unit, while the first one drains.
contract SuccessionCampaignTest is CoverageGoals {
    function setUp() external {
        handler = new SucceededBridge();
    }

    function invariant_WithASuccession() external view {
        _check();
    }

    /// @dev Beginnings soon close here, so the goals are those of the succession.
    function test_TheActorsReachEverything() external override {
        for (uint256 i = 0; i < 3_000; i++) handler.act(i);
        _requireSuccession();
        _check();
        handler.checkEach();
    }

    function _requireUsual() internal view override {
        _require("successor announced", 0, handler.countOf("successor announced"));
    }

    function _check() internal view override {
        handler.checkAll();
        handler.checkBacking();
        SucceededBridge(address(handler)).checkSuccession();
    }
}
