// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeEnd} from "../../src/bridge/BridgeEnd.sol";
import {BridgeLock} from "../../src/bridge/BridgeLock.sol";
import {BridgeMint} from "../../src/bridge/BridgeMint.sol";
import {TestUSDC} from "../../src/mocks/TestUSDC.sol";
import {BridgedToken} from "../../src/tokens/BridgedToken.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {DryRun} from "../mocks/DryRun.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {Vm} from "../fixtures/Vm.sol";
import {HostileActor} from "./HostileActor.sol";
import {OutflowModel} from "./OutflowModel.sol";

/// @dev Both bridge contracts with each other as peer, four assets, honest and hostile actors, and a ledger of every
/// action. The ledger does not use the contracts' own accounting. The actions are in the contracts that inherit from
/// this one.
abstract contract BridgeState {
    struct Ledger {
        uint256 deposited;
        uint256 donated;
        uint256 released;
        uint256 credited;
        uint256 claimed;
        uint256 feesKept;
        uint256 collected;
        uint256 toMint;
        uint256 burnt;
        uint256 toRelease;
        uint256 retired;
        uint256 minted;
        uint256 sent;
        uint256 refunded;
    }

    struct Operation {
        uint256 nonce;
        address recipient;
        uint256 amount;
        uint256 fee;
    }

    /// @dev The number of an operation is used once for each kind.
    enum Kind {
        Mint,
        Release,
        Intent
    }

    struct Delivery {
        Kind kind;
        uint256 asset;
        uint256 nonce;
    }

    uint256 internal constant ASSETS = 4;
    uint256 internal constant XCN_ASSET = 2;
    uint256 internal constant CHAOS = 3;
    uint256 internal constant UNIT = 1e10;
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    /// @dev The usual limit: some hundred operations of the usual size.
    uint128 internal constant CAPACITY = 1e21;
    uint32 internal constant WINDOW = 1 hours;
    /// @dev Keys of the first two actors, who sign permits.
    uint256[2] internal _keys = [0xAC01, 0xAC02];

    BridgeLock public immutable lock;
    BridgeMint public immutable bridgeMint;
    TestUSDC internal immutable _usdc;
    ChaoticToken public immutable chaos;

    /// @dev By asset: ETH, USDC, XCN, chaotic token. `here` is on Ethereum, `there` on the partner chain.
    address[ASSETS] public here;
    address[ASSETS] public there;
    address[5] public actors;
    address[2] internal _treasuries = [address(0x7001), address(0x7002)];
    address[3] internal _wallets = [address(0x5E01), address(0x5E02), address(0x5E03)];
    address internal _relayer;
    address internal _admin = address(0xAD01);
    address internal _guardian = address(0x6D01);
    address internal _policyManager = address(0x9001);
    DryRun internal immutable _dryRun;
    uint256 internal _time = 1_000_000;

    Ledger[ASSETS] internal _ledgers;
    Operation[][ASSETS] internal _toMint;
    Operation[][ASSETS] internal _toRelease;
    OutflowModel[ASSETS] private _modelsHere;
    OutflowModel[ASSETS] private _modelsThere;
    mapping(bytes32 => uint256) private _deliveries;
    Delivery[] internal _delivered;
    uint256 internal _intents;

    /// @dev Refused payments that BridgeLock owes to an account, and refused native XCN that BridgeMint owes.
    mapping(address account => uint256)[ASSETS] internal _creditsHere;
    mapping(address account => uint256) internal _creditsThere;

    /// @dev Counts every event by asset: a campaign in which nothing happens proves nothing.
    mapping(bytes32 what => uint256[ASSETS]) private _counts;
    mapping(ChaoticToken.Mode mode => uint256[2]) public seenModes;

    /// @dev Counters of forbidden events.
    uint256 public deliveredTwice;
    uint256 public ranWhilePaused;
    uint256 public stoppedWithoutCause;
    uint256 public exitsStopped;
    uint256 public unauthorised;
    uint256 public wrongEffects;
    uint256 public spentHandedIn;
    uint256 public overLimit;

    constructor() {
        vm.warp(_time);
        _usdc = TestUSDC(Artifact.create("TestUSDC", ""));
        chaos = new ChaoticToken();
        here = [address(0), address(_usdc), Artifact.create("TestXCN", ""), address(chaos)];
        _relayer = _wallets[0];
        // BridgeMint is the next contract but one. Both need each other's address.
        address mintAddress = _nextButOne();
        BridgeEnd.TokenSetup[] memory none = new BridgeEnd.TokenSetup[](0);
        bytes memory args = abi.encode(_setup(mintAddress), none, here[2], _treasuries[0]);
        lock = BridgeLock(Artifact.create("BridgeLock", args));
        args = abi.encode(_setup(address(lock)), none, new BridgeMint.FeeSetup[](0), UNIT);
        bridgeMint = BridgeMint(Artifact.create("BridgeMint", args));
        assert(address(bridgeMint) == mintAddress);
        there = [_bridged(18), _bridged(6), address(0), _bridged(18)];
        for (uint256 i = 0; i < ASSETS; i++) {
            uint8 exponent = i == XCN_ASSET ? 10 : 0;
            vm.startPrank(_admin);
            lock.setToken(here[i], true, exponent);
            bridgeMint.setToken(there[i], true, exponent);
            vm.stopPrank();
            vm.prank(_policyManager);
            bridgeMint.setFeePolicy(there[i], 25, 1_000, 10_000);
            (_modelsHere[i], _modelsThere[i]) = (new OutflowModel(), new OutflowModel());
            _limit(i, true, CAPACITY, WINDOW);
            _limit(i, false, CAPACITY, WINDOW);
        }
        actors = [
            vm.addr(_keys[0]),
            vm.addr(_keys[1]),
            address(new HostileActor()),
            address(new HostileActor()),
            address(new HostileActor())
        ];
        _dryRun = new DryRun();
    }

    function countOf(bytes32 what) public view returns (uint256 sum) {
        for (uint256 i = 0; i < ASSETS; i++) sum += _counts[what][i];
    }

    function countOfAsset(bytes32 what, uint256 asset) external view returns (uint256) {
        return _counts[what][asset];
    }

    function _record(bytes32 what, uint256 asset) internal {
        _counts[what][asset]++;
    }

    function _balance(address token, address account) internal view returns (uint256) {
        return token == address(0) ? account.balance : TestUSDC(token).balanceOf(account);
    }

    function _end(bool onLock, uint256 asset) internal view returns (BridgeEnd, address token) {
        if (onLock) return (BridgeEnd(address(lock)), here[asset]);
        return (BridgeEnd(address(bridgeMint)), there[asset]);
    }

    function _actor(uint256 seed) internal view returns (address) {
        return actors[seed % actors.length];
    }

    function _limit(uint256 asset, bool onLock, uint128 capacity, uint32 window) internal {
        (BridgeEnd end, address token) = _end(onLock, asset);
        vm.prank(_policyManager);
        try end.setOutflowLimit(token, capacity, window) {
            (onLock ? _modelsHere : _modelsThere)[asset].setLimit(capacity, window, _time);
        } catch {}
    }

    /// @dev Amounts of all usual sizes, and sometimes one that is too small.
    function _amount(uint256 seed, uint256 asset) internal pure returns (uint256 amount) {
        if (seed % 24 == 0) return (seed >> 8) % 10_000;
        uint256 exponent = asset == XCN_ASSET ? 10 + ((seed >> 24) % 7) : 2 + ((seed >> 24) % 15);
        amount = (1_000 + ((seed >> 8) % 9_000)) * 10 ** exponent;
    }

    /// @dev An asset whose list is not empty, if there is one.
    function _assetIn(Operation[][ASSETS] storage lists, uint256 seed) internal view returns (uint256 asset) {
        for (uint256 i = 0; i < ASSETS; i++) {
            asset = (seed + i) % ASSETS;
            if (lists[asset].length > 0) return asset;
        }
    }

    /// @dev A call with a gas limit, as in a transaction: some receivers and tokens use all the gas they get.
    function _callAs(address from, address to, uint256 value, bytes memory call) internal returns (bool done) {
        vm.prank(from);
        (done, ) = to.call{gas: 700_000, value: value}(call);
    }

    /// @dev Removes an operation from a list.
    function _take(Operation[] storage list, uint256 seed) internal returns (Operation memory operation) {
        uint256 index = seed % list.length;
        operation = list[index];
        list[index] = list[list.length - 1];
        list.pop();
    }

    /// @dev Records atomic units that left BridgeLock, or BridgeMint.
    function _recordOutflow(bool onLock, uint256 asset, uint256 amount) internal {
        if (!(onLock ? _modelsHere : _modelsThere)[asset].record(amount, _time)) overLimit++;
    }

    function _countDelivery(Kind kind, uint256 asset, uint256 nonce) internal {
        if (++_deliveries[keccak256(abi.encode(kind, nonce))] > 1) deliveredTwice++;
        _delivered.push(Delivery(kind, asset, nonce));
    }

    function _setup(address peer) private view returns (BridgeEnd.Setup memory) {
        return BridgeEnd.Setup(8901, peer, _relayer, _admin, 1 days, _guardian, _policyManager);
    }

    function _bridged(uint8 decimals) private returns (address) {
        return Artifact.create("BridgedToken", abi.encode("Bridged", "B", decimals, address(bridgeMint)));
    }

    /// @dev Three contracts were created before the bridge contracts, so their nonces are 4 and 5.
    function _nextButOne() private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"05")))));
    }
}
