// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Keys and settings of a bridge contract
/// @notice The admin is the owner of Ownable2Step, a timelock outside local environments. Guardian, policy manager,
/// relayer, standby, attesters and treasury are all different accounts.
/// @dev Amounts are in atomic units. Limits are stored in the token's unit, which its listing fixes.
interface IBridgeGovernance {
    // ------------------------------------------------------------------------------------------------- Types

    /// @notice Keys and peer of a new contract.
    /// @param peerChainId Chain id of the other contract.
    /// @param peer The bridge contract on the other chain.
    /// @param admin First admin.
    /// @param guardian First guardian.
    /// @param policyManager First policy manager.
    /// @param relayer The only caller of deliveries, the same wallet on both chains.
    /// @param standby Relayer that the guardian may activate once; zero for none.
    /// @param attesters First attester set in ascending order, at most 9.
    /// @param threshold Attester signatures that a call needs to move value; 0 for none.
    /// @param minimumThreshold The threshold never goes below this.
    /// @param exitWindow Seconds between the announcement of a successor and the first hand-over; 0 forbids both.
    struct Setup {
        uint256 peerChainId;
        address peer;
        address admin;
        address guardian;
        address policyManager;
        address relayer;
        address standby;
        address[] attesters;
        uint256 threshold;
        uint256 minimumThreshold;
        uint32 exitWindow;
    }

    /// @notice The limits of a token.
    /// @param capacity Atomic units that can leave at once.
    /// @param window Seconds in which a used-up capacity refills: whole minutes, 1 to 65,535 of them.
    /// @param maxAmount Maximum of an operation that begins here, in atomic units.
    struct Limits {
        uint256 capacity;
        uint256 window;
        uint256 maxAmount;
    }

    /// @notice A token to list for both directions.
    /// @param token Token; address(0) is the native coin.
    /// @param granularityExponent Amounts are multiples of ten to the power of this, at most 18.
    /// @param unitExponent The token's unit is ten to the power of this, at most 18. Limits are whole numbers of units
    /// below 2^32.
    /// @param limits Initial limits.
    /// @param ceiling Bounds of the limits. Its window is the shortest one allowed.
    struct TokenSetup {
        address token;
        uint8 granularityExponent;
        uint8 unitExponent;
        Limits limits;
        Limits ceiling;
    }

    // ------------------------------------------------------------------------------------------------ Events

    /// @notice The relayer was replaced, by the admin or by the activation of the standby.
    /// @param previous Previous relayer.
    /// @param current New relayer.
    event RelayerChanged(address indexed previous, address indexed current);
    /// @notice The standby relayer was announced, withdrawn or activated.
    /// @param standby The standby; zero for none.
    event StandbyChanged(address indexed standby);
    /// @notice The guardian was replaced.
    /// @param previous Previous guardian.
    /// @param current New guardian.
    event GuardianChanged(address indexed previous, address indexed current);
    /// @notice The policy manager was replaced.
    /// @param previous Previous policy manager.
    /// @param current New policy manager.
    event PolicyManagerChanged(address indexed previous, address indexed current);
    /// @notice A new attester set is in force. Attestations of earlier sets are void.
    /// @param setNumber Number of the set, from 1.
    /// @param attesters Its members in ascending order.
    /// @param threshold Signatures that a call needs.
    event AttestersSet(uint256 indexed setNumber, address[] attesters, uint256 threshold);
    /// @notice A token was listed.
    /// @param token Token; address(0) is the native coin.
    /// @param granularityExponent Amounts are multiples of ten to the power of this.
    /// @param unitExponent Limits are multiples of ten to the power of this.
    event TokenListed(address indexed token, uint8 granularityExponent, uint8 unitExponent);
    /// @notice The listing of a token was set.
    /// @param token Token; address(0) is the native coin.
    /// @param mayBegin Whether operations may begin here.
    /// @param mayDeliver Whether operations may be delivered here.
    event ListingSet(address indexed token, bool mayBegin, bool mayDeliver);
    /// @notice The outflow limit of a token was set.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that can leave at once.
    /// @param window Seconds in which a used-up capacity refills.
    event OutflowLimitSet(address indexed token, uint256 capacity, uint256 window);
    /// @notice The maximum of an operation was set.
    /// @param token Token; address(0) is the native coin.
    /// @param maxAmount Atomic units.
    event MaxAmountSet(address indexed token, uint256 maxAmount);
    /// @notice The bounds of a token's limits were set.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Highest capacity in atomic units.
    /// @param window Shortest window in seconds.
    /// @param maxAmount Highest maximum of an operation in atomic units.
    event LimitCeilingSet(address indexed token, uint256 capacity, uint256 window, uint256 maxAmount);
    /// @notice A direction was paused or resumed.
    /// @param beginningsPausedUntil Unix seconds until which no operation begins; 2^32 - 1 means without end.
    /// @param deliveriesPaused Whether deliveries are stopped.
    /// @param count How many pauses there were; unpause must name it.
    /// @param by The caller.
    event PauseSet(uint256 beginningsPausedUntil, bool deliveriesPaused, uint256 count, address indexed by);

    // ------------------------------------------------------------------------------------------------ Errors

    /// @notice The caller is neither the guardian nor, for pause, the admin.
    /// @param caller The caller.
    error NotGuardian(address caller);
    /// @notice The caller is not the policy manager.
    /// @param caller The caller.
    error NotPolicyManager(address caller);
    /// @notice A required address is zero.
    error ZeroAddress();
    /// @notice The other contract must be on another chain.
    /// @param chainId This chain.
    error PeerOnSameChain(uint256 chainId);
    /// @notice The account already holds a role of this contract.
    /// @param account The account.
    error RoleTaken(address account);
    /// @notice The account was the relayer, so its key may be compromised.
    /// @param account The account.
    error FormerRelayer(address account);
    /// @notice The admin cannot renounce: without an admin, no account could lift a pause.
    error AdminRequired();
    /// @notice No standby is announced, or it was already activated.
    error NoStandby();
    /// @notice There was a later pause than the one that the call would lift.
    /// @param given Count in the call.
    /// @param current Current count.
    error PauseCountMismatch(uint256 given, uint256 current);
    /// @notice There are more than 9 attesters.
    /// @param count Number of attesters.
    error TooManyAttesters(uint256 count);
    /// @notice Attesters must be in ascending order, each once and none zero.
    /// @param attester The first one out of order.
    error AttestersNotSorted(address attester);
    /// @notice The threshold is below its minimum or above the number of attesters.
    /// @param threshold Threshold asked for.
    /// @param minimum Lowest threshold allowed.
    /// @param maximum Number of attesters.
    error ThresholdOutOfRange(uint256 threshold, uint256 minimum, uint256 maximum);
    /// @notice The token is already listed; its unit and granularity are fixed.
    /// @param token Token; address(0) is the native coin.
    error AlreadyListed(address token);
    /// @notice The token was never listed.
    /// @param token Token; address(0) is the native coin.
    error NotListed(address token);
    /// @notice The exponent is above 18.
    /// @param exponent The exponent.
    error ExponentTooLarge(uint8 exponent);
    /// @notice The amount is not a whole number of units below 2^32.
    /// @param amount Atomic units.
    /// @param unit Atomic units per unit.
    error NotInUnits(uint256 amount, uint256 unit);
    /// @notice The window is not a whole number of minutes between 1 and 65,535.
    /// @param window Seconds.
    error InvalidWindow(uint256 window);
    /// @notice The window is shorter than its bound: the limit would refill faster than the admin allows.
    /// @param window Seconds asked for.
    /// @param floor The minimum in seconds.
    error WindowBelowFloor(uint256 window, uint256 floor);
    /// @notice The value is above its ceiling.
    /// @param value Value asked for.
    /// @param ceiling Highest value allowed.
    error AboveCeiling(uint256 value, uint256 ceiling);

    // ---------------------------------------------------------------------------------------------- Guardian

    /// @notice Stops one or both directions. Never resumes any.
    /// @dev Guardian or admin. A guardian's pause of beginnings ends after 7 days. An admin's pause has no end, and
    /// also extends a guardian's. Only the admin can resume deliveries. Reverts with NotGuardian.
    /// @param beginnings Stop operations that begin here.
    /// @param deliveries Stop deliveries here.
    function pause(bool beginnings, bool deliveries) external;

    /// @notice Makes the standby the relayer, once.
    /// @dev Guardian only. Reverts with NotGuardian, NoStandby.
    function activateStandby() external;

    // ------------------------------------------------------------------------------------------------- Admin

    /// @notice Resumes one or both directions, unless there was a later pause. Beginnings that were closed for a
    /// succession stay paused.
    /// @dev Admin only. Reverts with PauseCountMismatch.
    /// @param count How many pauses there were, as `pauses` returns it.
    /// @param beginnings Resume operations that begin here.
    /// @param deliveries Resume deliveries here.
    function unpause(uint256 count, bool beginnings, bool deliveries) external;

    /// @notice Replaces the relayer immediately.
    /// @dev Admin only. Reverts with ZeroAddress, RoleTaken.
    /// @param newRelayer The new relayer.
    function setRelayer(address newRelayer) external;

    /// @notice Announces the relayer that the guardian may activate once, or withdraws it.
    /// @dev Admin only. Reverts with RoleTaken, FormerRelayer.
    /// @param newStandby The standby; zero for none.
    function setStandby(address newStandby) external;

    /// @notice Replaces the guardian. Needed after a handover to another admin, since a Sentinel reads the offices of
    /// one timelock. Replacing the account of the guardian's office needs no call here.
    /// @dev Admin only. Reverts with ZeroAddress, RoleTaken, FormerRelayer.
    /// @param newGuardian The new guardian.
    function setGuardian(address newGuardian) external;

    /// @notice Replaces the policy manager.
    /// @dev Admin only. Reverts with ZeroAddress, RoleTaken, FormerRelayer.
    /// @param newPolicyManager The new policy manager.
    function setPolicyManager(address newPolicyManager) external;

    /// @notice Replaces the attester set. Voids every attestation of the previous set.
    /// @dev Admin only. Reverts with TooManyAttesters, AttestersNotSorted, RoleTaken, ThresholdOutOfRange.
    /// @param newAttesters Members in ascending order, at most 9.
    /// @param newThreshold Signatures that a call needs to move value.
    function setAttesters(address[] calldata newAttesters, uint256 newThreshold) external;

    /// @notice Lists a token for both directions. Its unit and granularity never change.
    /// @dev Admin only. Reverts with AlreadyListed, ExponentTooLarge, NotInUnits, InvalidWindow, AboveCeiling,
    /// WindowBelowFloor.
    /// @param listed The token and its limits.
    function listToken(TokenSetup calldata listed) external;

    /// @notice Opens or closes the directions of a listed token. With deliveries but without beginnings, the token
    /// winds down.
    /// @dev Admin only. Does not change collateral or credits. Reverts with NotListed.
    /// @param token Token; address(0) is the native coin.
    /// @param mayBegin Whether operations may begin here.
    /// @param mayDeliver Whether operations may be delivered here.
    function setListing(address token, bool mayBegin, bool mayDeliver) external;

    /// @notice Bounds the limits of a token, and moves limits that are outside to the new bound.
    /// @dev Admin only. Reverts with NotListed, NotInUnits, InvalidWindow.
    /// @param token Token; address(0) is the native coin.
    /// @param ceiling Highest capacity and maximum, shortest window.
    function setLimitCeiling(address token, Limits calldata ceiling) external;

    // ---------------------------------------------------------------------------------------- Policy manager

    /// @notice Sets how fast a token can leave. Earlier outflows stay counted, even above the new capacity.
    /// @dev Policy manager only. Reverts with NotListed, NotInUnits, InvalidWindow, AboveCeiling, WindowBelowFloor.
    /// @param token Token; address(0) is the native coin.
    /// @param capacity Atomic units that can leave at once.
    /// @param window Seconds in which a used-up capacity refills, in whole minutes.
    function setOutflowLimit(address token, uint256 capacity, uint256 window) external;

    /// @notice Sets the maximum of an operation that begins here.
    /// @dev Policy manager only. Reverts with NotListed, NotInUnits, AboveCeiling.
    /// @param token Token; address(0) is the native coin.
    /// @param maxAmount Atomic units.
    function setMaxAmount(address token, uint256 maxAmount) external;

    // ------------------------------------------------------------------------------------------------- Views

    /// @notice The only caller of deliveries.
    /// @return Its address.
    function relayer() external view returns (address);

    /// @notice Whether an account is or was the relayer. Such an account never claims a credit.
    /// @param account The account.
    /// @return Whether it is or was.
    function isRelayerWallet(address account) external view returns (bool);

    /// @notice The relayer that the guardian may activate.
    /// @return Its address; zero for none.
    function standby() external view returns (address);

    /// @notice The account that may pause: a Sentinel, for its pausers and the guardian's office.
    /// @return Its address.
    function guardian() external view returns (address);

    /// @notice The account that sets limits and fees within their ceilings.
    /// @return Its address.
    function policyManager() external view returns (address);

    /// @notice The current attester set.
    /// @return setNumber Its number.
    /// @return members Its members in ascending order.
    /// @return threshold Signatures that a call needs to move value.
    function attesters() external view returns (uint256 setNumber, address[] memory members, uint256 threshold);

    /// @notice The threshold never goes below this.
    /// @return The number of signatures.
    function minimumThreshold() external view returns (uint256);

    /// @notice The pauses.
    /// @return beginningsPausedUntil Unix seconds until which no operation begins; 2^32 - 1 means without end.
    /// @return deliveriesPaused Whether deliveries are stopped.
    /// @return count How many pauses there were; unpause must name it.
    function pauses() external view returns (uint256 beginningsPausedUntil, bool deliveriesPaused, uint256 count);

    /// @notice The listing of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return mayBegin Whether operations may begin here.
    /// @return mayDeliver Whether operations may be delivered here.
    /// @return granularity Amounts are multiples of this many atomic units; 0 for a token that was never listed.
    /// @return unit Limits are multiples of this many atomic units; 0 for a token that was never listed.
    function tokenSettings(
        address token
    ) external view returns (bool mayBegin, bool mayDeliver, uint256 granularity, uint256 unit);

    /// @notice The outflow limit of a token.
    /// @param token Token; address(0) is the native coin.
    /// @return capacity Atomic units that can leave at once.
    /// @return window Seconds in which a used-up capacity refills.
    function outflowLimit(address token) external view returns (uint256 capacity, uint256 window);

    /// @notice The maximum of an operation that begins here.
    /// @param token Token; address(0) is the native coin.
    /// @return Atomic units.
    function maxAmount(address token) external view returns (uint256);

    /// @notice The bounds of a token's limits.
    /// @param token Token; address(0) is the native coin.
    /// @return ceiling Highest capacity and maximum, shortest window.
    function limitCeiling(address token) external view returns (Limits memory ceiling);
}
