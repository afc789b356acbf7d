// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBridgeGovernance} from "../../src/interfaces/IBridgeGovernance.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ChaoticToken} from "../mocks/ChaoticToken.sol";
import {DryRun} from "../mocks/DryRun.sol";
import {Artifact} from "../fixtures/Artifact.sol";
import {IBridge, ILock, IMint, ITestToken} from "../fixtures/Interfaces.sol";
import {AttesterKeys} from "./AttesterKeys.sol";
import {HostileActor} from "./HostileActor.sol";
import {OutflowModel} from "./OutflowModel.sol";

/// @dev Both bridge contracts with each other as peer, four assets, honest and hostile actors, and a ledger of every
/// action. The ledger does not use the contracts' own accounting. The actions are in the contracts that inherit from
/// this one.
abstract contract BridgeState is AttesterKeys {
    struct Ledger {
        uint256 deposited;
        uint256 donated;
        uint256 released;
        uint256 credited;
        uint256 claimed;
        uint256 creditedThere;
        uint256 claimedThere;
        uint256 feesKept;
        uint256 collected;
        uint256 toMint;
        uint256 burnt;
        uint256 toRelease;
        uint256 retired;
        uint256 minted;
        uint256 sent;
        uint256 refunded;
        uint256 handedOver;
    }

    struct Operation {
        bool isIntent;
        uint256 nonce;
        address recipient;
        uint256 amount;
        uint256 fee;
    }

    /// @dev Each kind of operation uses a number once.
    enum Kind {
        Mint,
        Release,
        Intent,
        Refund
    }

    struct Delivery {
        Kind kind;
        uint256 asset;
        Operation operation;
    }

    /// @dev The expected settings of an asset on one side.
    struct Settings {
        IBridgeGovernance.Limits limits;
        IBridgeGovernance.Limits ceiling;
        bool mayBegin;
        bool mayDeliver;
    }

    /// @dev The expected pauses of one side.
    struct PauseState {
        uint256 beginningsUntil;
        bool deliveries;
        uint256 count;
    }

    uint256 internal constant ASSETS = 4;
    uint256 internal constant XCN_ASSET = 2;
    uint256 internal constant CHAOS = 3;
    uint256 internal constant UNIT = 1e10;
    uint256 internal constant PARTIES = 16;
    uint256 internal constant WITHOUT_END = type(uint32).max;

    /// @dev The default limit: a few hundred operations of the usual size.
    uint256 internal constant CAPACITY = 1e21;
    uint256 internal constant WINDOW = 1 hours;
    uint256 internal constant MAX_AMOUNT = 1e20;
    uint8 internal constant LIMIT_EXPONENT = 12;
    uint256 internal constant LIMIT_UNIT = 10 ** LIMIT_EXPONENT;
    uint256 internal constant GAS = 1_500_000;
    uint32 internal constant EXIT_WINDOW = 30 days;

    /// @dev Keys of the first two actors, who sign permits and authorizations.
    uint256[2] internal _keys = [0xAC01, 0xAC02];

    ILock public immutable lock;
    IMint public immutable bridgeMint;
    ITestToken internal immutable _usdc;
    ChaoticToken public immutable chaos;

    /// @dev By asset: ETH, USDC, XCN, chaotic token. `here` is on Ethereum, `there` on the partner chain.
    address[ASSETS] public here;
    address[ASSETS] public there;
    address[5] public actors;
    address[2] internal _treasuries = [address(0x7001), address(0x7002)];
    address[3] internal _wallets = [address(0x5E01), address(0x5E02), address(0x5E03)];
    address internal _relayer = address(0x5E01);
    address internal _standby;
    address internal _admin = address(0xAD01);
    address internal _guardian = address(0x6D01);
    address internal _policyManager = address(0x9001);
    DryRun internal immutable _dryRun;

    Ledger[ASSETS] internal _ledgers;
    Operation[][ASSETS] internal _toMint;
    Operation[][ASSETS] internal _toRelease;
    mapping(bool onLock => OutflowModel[ASSETS]) private _models;
    mapping(bool onLock => Settings[ASSETS]) internal _settings;
    mapping(bool onLock => PauseState) internal _pauses;
    /// @dev Whether beginnings are closed for a succession, permanently.
    mapping(bool onLock => bool) internal _closed;
    mapping(bytes32 => uint256) internal _deliveries;
    Delivery[] internal _delivered;
    mapping(address wallet => bool) internal _wasRelayer;
    uint256 internal _intents;
    uint256 internal _refunds;
    /// @dev 18-decimal units of coin in BridgeMint that back no credit.
    uint256 internal _float;
    uint256 public turns;

    /// @dev The debt of BridgeLock, or BridgeMint, to an account.
    mapping(bool onLock => mapping(address account => uint256)[ASSETS]) internal _credits;

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
        _usdc = ITestToken(Artifact.create("TestUSDC", ""));
        chaos = new ChaoticToken();
        here = [address(0), address(_usdc), Artifact.create("TestXCN", ""), address(chaos)];
        _choose(7, _thresholdFloor());
        _wasRelayer[_relayer] = true;
        // BridgeMint is the next contract but one. Both need each other's address.
        address mintAddress = _nextButOne();
        IBridgeGovernance.TokenSetup[] memory listed = new IBridgeGovernance.TokenSetup[](3);
        for (uint256 i = 0; i < 3; i++) listed[i] = _listing(here[i], i);
        bytes memory args = abi.encode(_setup(mintAddress), listed, here[2], _treasuries[0]);
        lock = ILock(Artifact.create("BridgeLock", args));
        listed = new IBridgeGovernance.TokenSetup[](1);
        listed[0] = _listing(address(0), XCN_ASSET);
        IBridgeMint.FeeSetup[] memory fees = new IBridgeMint.FeeSetup[](1);
        IBridgeMint.FeePolicy memory ceiling = IBridgeMint.FeePolicy(1_000, 1e10, 1e11);
        fees[0] = IBridgeMint.FeeSetup(address(0), IBridgeMint.FeePolicy(25, 1_000, 10_000), ceiling);
        args = abi.encode(_setup(address(lock)), listed, fees, UNIT);
        bridgeMint = IMint(Artifact.create("BridgeMint", args));
        assert(address(bridgeMint) == mintAddress);
        there = [_bridged(18), _bridged(6), address(0), _bridged(18)];
        vm.startPrank(_admin);
        lock.listToken(_listing(here[3], 3));
        for (uint256 i = 0; i < ASSETS; i++) {
            if (i == XCN_ASSET) continue;
            bridgeMint.listToken(_listing(there[i], i));
            bridgeMint.setFeeCeiling(there[i], ceiling);
        }
        vm.stopPrank();
        for (uint256 i = 0; i < 2 * ASSETS; i++) {
            bool onLock = i < ASSETS;
            _settings[onLock][i % ASSETS] = Settings(_usualLimits(), _usualCeiling(), true, true);
            _models[onLock][i % ASSETS] = new OutflowModel();
            _models[onLock][i % ASSETS].setLimit(CAPACITY, WINDOW, _time);
            if (!onLock) _usualFees(i % ASSETS);
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

    /// @dev Initial and minimum threshold.
    function _thresholdFloor() internal pure virtual returns (uint256) {
        return 0;
    }

    function _record(bytes32 what, uint256 asset) internal {
        _counts[what][asset]++;
    }

    function _balance(address token, address account) internal view returns (uint256) {
        return token == address(0) ? account.balance : IERC20(token).balanceOf(account);
    }

    function _side(bool onLock) internal view returns (address) {
        return onLock ? address(lock) : address(bridgeMint);
    }

    function _governed(bool onLock) internal view returns (IBridge) {
        return IBridge(_side(onLock));
    }

    function _token(bool onLock, uint256 asset) internal view returns (address) {
        return onLock ? here[asset] : there[asset];
    }

    function _actor(uint256 seed) internal view returns (address) {
        return actors[seed % actors.length];
    }

    /// @dev All accounts that may have a credit: actors, relayer wallets, listed tokens, bridge contracts.
    function _party(uint256 index) internal view returns (address) {
        if (index < 5) return actors[index];
        if (index < 8) return _wallets[index - 5];
        if (index < 11) return here[index - 7];
        if (index < 14) return there[index == 13 ? CHAOS : index - 11];
        return _side(index == 14);
    }

    /// @dev Usually an actor. Sometimes an account that cannot receive on the other side, or is refused here.
    function _recipient(uint256 seed, bool onLock) internal view returns (address) {
        if (seed % 10 > 0) return _actor(seed >> 4);
        uint256 which = (seed >> 4) % 8;
        if (which == 0) return _side(onLock);
        if (which < 3) return _wallets[(seed >> 8) % 3];
        // A token of the other side. There is none for the native coin.
        return
            onLock
                ? there[
                    which == 3
                        ? 0
                        : which == 4
                            ? 1
                            : 3
                ]
                : here[which < 6 ? which - 2 : 1];
    }

    /// @dev Whether the side where an operation begins refuses its recipient.
    function _isRefused(address recipient, bool onLock) internal view returns (bool) {
        if (recipient == address(0) || recipient == _relayer) return true;
        if (recipient == address(lock) || recipient == address(bridgeMint)) return true;
        for (uint256 i = 0; i < ASSETS; i++) if (recipient == _token(onLock, i)) return true;
        return false;
    }

    function _isWallet(address account) internal view returns (bool) {
        return account == _wallets[0] || account == _wallets[1] || account == _wallets[2];
    }

    function _arePaused(bool onLock, bool beginnings) internal view returns (bool) {
        PauseState storage pauses = _pauses[onLock];
        return beginnings ? _time < pauses.beginningsUntil : pauses.deliveries;
    }

    function _usualLimits() internal pure returns (IBridgeGovernance.Limits memory) {
        return IBridgeGovernance.Limits(CAPACITY, WINDOW, MAX_AMOUNT);
    }

    function _usualCeiling() internal pure returns (IBridgeGovernance.Limits memory) {
        return IBridgeGovernance.Limits(2 * CAPACITY, 60, 2 * MAX_AMOUNT);
    }

    function _usualFees(uint256 asset) internal {
        vm.prank(_policyManager);
        bridgeMint.setFeePolicy(there[asset], IBridgeMint.FeePolicy(25, 1_000, 10_000));
    }

    /// @dev Records a limit that was set, by the policy manager or by a lower ceiling.
    function _noteLimit(uint256 asset, bool onLock, uint256 capacity, uint256 window) internal {
        IBridgeGovernance.Limits storage limits = _settings[onLock][asset].limits;
        if (capacity == limits.capacity && window == limits.window) return;
        (limits.capacity, limits.window) = (capacity, window);
        _models[onLock][asset].setLimit(capacity, window, _time);
    }

    /// @dev Amounts of all usual sizes, sometimes one that is too small.
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
        (done, ) = _callFor(from, to, value, call, GAS);
    }

    function _callFor(
        address from,
        address to,
        uint256 value,
        bytes memory call,
        uint256 limit
    ) internal returns (bool done, bytes memory answer) {
        vm.prank(from);
        (done, answer) = to.call{gas: limit, value: value}(call);
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
        if (!_models[onLock][asset].record(amount, _time)) overLimit++;
    }

    function _countDelivery(Kind kind, uint256 asset, Operation memory operation) internal {
        if (++_deliveries[_deliveryKey(kind, operation)] > 1) deliveredTwice++;
        _delivered.push(Delivery(kind, asset, operation));
    }

    /// @dev The signed terms behind an operation. Its number is part of the nonce.
    function _intentOf(Operation memory operation) internal view returns (IBridgeLock.Intent memory) {
        return
            IBridgeLock.Intent({
                sender: actors[0],
                recipient: operation.recipient,
                amount: operation.amount + operation.fee,
                deadline: type(uint256).max,
                nonceHash: keccak256(abi.encode(operation.nonce)),
                signature: abi.encode("signature", operation.nonce)
            });
    }

    function _setup(address peer) internal view returns (IBridgeGovernance.Setup memory) {
        return
            IBridgeGovernance.Setup({
                peerChainId: PEER_CHAIN,
                peer: peer,
                admin: _admin,
                guardian: _guardian,
                policyManager: _policyManager,
                relayer: _relayer,
                standby: address(0),
                attesters: _members,
                threshold: _threshold,
                minimumThreshold: _thresholdFloor(),
                exitWindow: EXIT_WINDOW
            });
    }

    function _listing(address token, uint256 asset) internal pure returns (IBridgeGovernance.TokenSetup memory) {
        uint8 granularity = asset == XCN_ASSET ? 10 : 0;
        return IBridgeGovernance.TokenSetup(token, granularity, LIMIT_EXPONENT, _usualLimits(), _usualCeiling());
    }

    function _deliveryKey(Kind kind, Operation memory operation) internal view returns (bytes32) {
        bytes32 id =
            kind == Kind.Intent ? _intentId(_intentOf(operation), address(bridgeMint)) : bytes32(operation.nonce);
        return keccak256(abi.encode(kind, id));
    }

    function _bridged(uint8 decimals) private returns (address) {
        return Artifact.create("BridgedToken", abi.encode("Bridged", "B", decimals, address(bridgeMint)));
    }

    /// @dev Three contracts were created before the bridge contracts, so their nonces are 4 and 5.
    function _nextButOne() private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"05")))));
    }
}
