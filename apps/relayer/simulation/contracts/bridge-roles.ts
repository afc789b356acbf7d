import { bridgeLockAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import type { Functions } from '../chain/abi-contract.ts';
import type { Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { revert } from './errors.ts';

/** The accounts that a constructor sets. */
export interface Setup {
  readonly peerChainId: bigint;
  readonly peer: Address;
  readonly admin: Address;
  readonly guardian: Address;
  readonly policyManager: Address;
  readonly relayer: Address;
}

interface PauseState {
  /** Seconds. */
  readonly beginningsUntil: bigint;
  readonly deliveries: boolean;
  readonly count: bigint;
}

/** BridgeLock and BridgeMint inherit all of these. */
const EVENTS = eventsOf(bridgeLockAbi);
const GUARDIAN_PAUSE_SECONDS = 7n * 86_400n;
const WITHOUT_END = 2n ** 32n - 1n;
const OPEN: PauseState = { beginningsUntil: 0n, deliveries: false, count: 0n };
const NO_ADDRESS: Address = zeroAddress;

/** The relayer wallet of the contract. */
export const relayerOf = (frame: Frame) => frame.read('relayer', NO_ADDRESS);
/** Whether an account is or was the relayer wallet. */
export const isRelayerWallet = (frame: Frame, account: Address) => frame.read(`relayer wallet ${account}`, false);
export const areBeginningsPaused = (frame: Frame) => BigInt(frame.block.timestamp) < pausesOf(frame).beginningsUntil;
export const areDeliveriesPaused = (frame: Frame) => pausesOf(frame).deliveries;

const pausesOf = (frame: Frame) => frame.read('pauses', OPEN);

/** @throws Revert */
export function onlyOwner(frame: Frame): void {
  if (frame.sender !== frame.read('owner', NO_ADDRESS)) revert('OwnableUnauthorizedAccount', frame.sender);
}

/** @throws Revert */
export function onlyPolicyManager(frame: Frame): void {
  if (frame.sender !== frame.read('policyManager', NO_ADDRESS)) revert('NotPolicyManager', frame.sender);
}

/** Sets the roles, as the constructor of BridgeRoles.sol. There are no attesters and there is no standby. */
export function setUpRoles(frame: Frame, { admin, guardian, policyManager, relayer }: Setup): void {
  frame.write('owner', admin);
  frame.emit(EVENTS.get('OwnershipTransferred'), zeroAddress, admin);
  setRole(frame, 'guardian', guardian);
  setRole(frame, 'policyManager', policyManager);
  setRelayer(frame, relayer);
  frame.emit(EVENTS.get('AttestersSet'), 1n, [], 0n);
}

/** BridgeRoles.sol: pauses and the rotation of the relayer. Attesters are not simulated: the threshold is 0. */
export function roleFunctions(): Functions {
  return {
    relayer: { run: relayerOf },
    guardian: { run: (frame) => frame.read('guardian', NO_ADDRESS) },
    policyManager: { run: (frame) => frame.read('policyManager', NO_ADDRESS) },
    owner: { run: (frame) => frame.read('owner', NO_ADDRESS) },
    standby: { run: (frame) => frame.read('standby', NO_ADDRESS) },
    isRelayerWallet: { run: (frame, [account]) => isRelayerWallet(frame, account as Address) },
    pauses: {
      run: (frame) => {
        const { beginningsUntil, deliveries, count } = pausesOf(frame);
        return [beginningsUntil, deliveries, count];
      },
    },
    pause: { gas: 40_000n, run: (frame, [beginnings, deliveries]) => pause(frame, beginnings, deliveries) },
    unpause: {
      gas: 40_000n,
      run: (frame, [count, beginnings, deliveries]) => {
        onlyOwner(frame);
        const pauses = pausesOf(frame);
        if (count !== pauses.count) revert('PauseCountMismatch', count, pauses.count);
        resume(frame, beginnings === true, deliveries === true);
      },
    },
    setRelayer: { gas: 80_000n, run: (frame, [wallet]) => (onlyOwner(frame), setRelayer(frame, wallet as Address)) },
    setStandby: {
      gas: 60_000n,
      run: (frame, [standby]) => {
        onlyOwner(frame);
        if (standby !== zeroAddress) requireFree(frame, standby as Address);
        setStandby(frame, standby as Address);
      },
    },
    activateStandby: {
      gas: 80_000n,
      run: (frame) => {
        if (frame.sender !== frame.read('guardian', NO_ADDRESS)) revert('NotGuardian', frame.sender);
        const standby = frame.read('standby', NO_ADDRESS);
        if (standby === zeroAddress) revert('NoStandby');
        setStandby(frame, zeroAddress);
        setRelayer(frame, standby);
      },
    },
    setGuardian: {
      gas: 60_000n,
      run: (frame, [guardian, liftPauses]) => {
        onlyOwner(frame);
        setRole(frame, 'guardian', guardian as Address);
        if (liftPauses === true) resume(frame, true, true);
      },
    },
    setPolicyManager: {
      gas: 60_000n,
      run: (frame, [manager]) => (onlyOwner(frame), setRole(frame, 'policyManager', manager as Address)),
    },
  };
}

function pause(frame: Frame, beginnings: unknown, deliveries: unknown): void {
  const byAdmin = frame.sender === frame.read('owner', NO_ADDRESS);
  if (!byAdmin && frame.sender !== frame.read('guardian', NO_ADDRESS)) revert('NotGuardian', frame.sender);
  const pauses = pausesOf(frame);
  const until = byAdmin ? WITHOUT_END : BigInt(frame.block.timestamp) + GUARDIAN_PAUSE_SECONDS;
  const isLonger = beginnings === true && until > pauses.beginningsUntil;
  writePauses(frame, {
    beginningsUntil: isLonger ? until : pauses.beginningsUntil,
    deliveries: pauses.deliveries || deliveries === true,
    count: (pauses.count + 1n) % 256n,
  });
}

function resume(frame: Frame, beginnings: boolean, deliveries: boolean): void {
  const pauses = pausesOf(frame);
  writePauses(frame, {
    ...pauses,
    ...(beginnings ? { beginningsUntil: 0n } : {}),
    ...(deliveries ? { deliveries: false } : {}),
  });
}

function writePauses(frame: Frame, pauses: PauseState): void {
  frame.write('pauses', pauses);
  frame.emit(EVENTS.get('PauseSet'), pauses.beginningsUntil, pauses.deliveries, pauses.count, frame.sender);
}

function setRelayer(frame: Frame, wallet: Address): void {
  requireFree(frame, wallet);
  frame.emit(EVENTS.get('RelayerChanged'), relayerOf(frame), wallet);
  frame.write('relayer', wallet);
  frame.write(`relayer wallet ${wallet}`, true);
}

function setStandby(frame: Frame, standby: Address): void {
  frame.write('standby', standby);
  frame.emit(EVENTS.get('StandbyChanged'), standby);
}

function setRole(frame: Frame, role: 'guardian' | 'policyManager', account: Address): void {
  requireFree(frame, account);
  const event = role === 'guardian' ? 'GuardianChanged' : 'PolicyManagerChanged';
  frame.emit(EVENTS.get(event), frame.read(role, NO_ADDRESS), account);
  frame.write(role, account);
}

/**
 * No account has two roles.
 *
 * @throws Revert
 */
export function requireFree(frame: Frame, account: Address): void {
  if (account === zeroAddress) revert('ZeroAddress');
  const roles = ['owner', 'guardian', 'policyManager', 'relayer', 'standby', 'treasury'];
  if (roles.some((role) => frame.read(role, NO_ADDRESS) === account)) revert('RoleTaken', account);
}
