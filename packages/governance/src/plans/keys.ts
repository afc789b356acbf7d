import type { AttesterProof } from '@causeway/protocol/attest';
import { getAddress, zeroAddress, type Address } from 'viem';
import { adminTimelockAbi, sentinelAbi } from '@causeway/contracts/abi';
import type { AddressBook } from '@causeway/contracts/address-book';
import {
  clientOn,
  getContracts,
  getSentinel,
  namedContracts,
  OFFICES,
  planChange,
  PlanRefusedError,
  planEach,
  getViewParameters,
  readTimelock,
  type AdminCall,
  type CalledContract,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls/calls.js';
import { expectProofs } from './attester-proofs.js';
import { expectUnused } from './unused-account.js';

/**
 * Replaces the account of the guardian's office on the chains for which a node was given, which revokes the previous
 * guardian's pausers.
 */
export async function replaceGuardian(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const timelock = await readTimelock(client, contract);
    const effect: Effect = async (reader) => {
      const office = { address: timelock.to, abi: adminTimelockAbi, functionName: 'guardian' } as const;
      return { before: { guardian: await reader.readContract(office) }, after: { guardian: getAddress(to) } };
    };
    const call: AdminCall = {
      ...timelock,
      functionName: 'replace',
      args: [OFFICES.indexOf('guardian'), to],
      role: 'admin',
      effect,
    };
    const planned = await planChange(client, call, `AdminTimelock on ${contract.chain}`);
    const note = "  revokes the previous guardian's pausers: the new guardian adds its own";
    return { ...planned, changes: [...planned.changes, ...(planned.calls.length > 0 ? [note] : [])] };
  });
}

/** Grants or revokes an account's right to pause, on the chains for which a node was given. */
export async function setPauser(
  book: AddressBook,
  { pauser, mayPause }: { readonly pauser: Address; readonly mayPause: boolean },
  clients: Clients,
): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    if (mayPause) await expectUnused(client, contract, pauser);
    const sentinel = getSentinel(contract);
    const effect: Effect = async (reader) => {
      const is = { address: sentinel.to, abi: sentinelAbi, functionName: 'isPauser', args: [pauser] } as const;
      const shown = (may: boolean) => ({ [getAddress(pauser)]: may ? 'may pause' : 'may not pause' });
      return { before: shown(await reader.readContract(is)), after: shown(mayPause) };
    };
    const functionName = mayPause ? 'addPauser' : 'removePauser';
    const call: AdminCall = { ...sentinel, functionName, args: [pauser], role: 'guardian', effect };
    return planChange(client, call, `Sentinel on ${contract.chain}`);
  });
}

/** Replaces the policy manager in the contracts for which a node was given. */
export async function replacePolicyManager(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const effect = accountEffect(contract, 'policyManager', 'policy manager', to);
    const call: AdminCall = { ...contract, functionName: 'setPolicyManager', args: [to], role: 'admin', effect };
    return planChange(client, call, `${contract.contract} on ${contract.chain}`);
  });
}

/** Announces the relayer that a guardian may activate once. The zero address withdraws it. */
export async function setStandby(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const effect = accountEffect(contract, 'standby', 'standby', to);
    const call: AdminCall = { ...contract, functionName: 'setStandby', args: [to], role: 'admin', effect };
    return planChange(client, call, `${contract.contract} on ${contract.chain}`);
  });
}

/** A new attester set, how many of its members must sign, and their proofs. */
interface NewAttesters {
  readonly attesters: readonly Address[];
  readonly threshold: number;
  readonly proofs: readonly AttesterProof[];
}

/**
 * Replaces the attester set and its threshold. Voids attestations of the previous set.
 *
 * @throws PlanRefusedError for a threshold above 0 that is not more than half of the set. Outside local environments, a
 * threshold above 0 is also refused when an attester has not proven within a day that it runs: deliveries would stop.
 */
export async function setAttesters(
  book: AddressBook,
  { attesters, threshold, proofs }: NewAttesters,
  clients: Clients,
): Promise<PlannedCalls> {
  if (threshold > 0 && 2 * threshold <= attesters.length) {
    throw new PlanRefusedError(
      `${threshold} of ${attesters.length} is not more than half: two halves could sign different terms`,
    );
  }
  const [named] = await namedContracts(book, clients);
  const needsProofs = (threshold > 0 && book.environment !== 'local') || proofs.length > 0;
  const proven =
    named === undefined || !needsProofs
      ? []
      : await expectProofs(book, { attesters, proofs }, (await named.client.getBlock()).timestamp);
  // The contracts require ascending order.
  const members = attesters.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  const planned = await planEach(book, clients, async (contract, client) => {
    const [setNumber] = await client.readContract({ ...getViewParameters(contract), functionName: 'attesters' });
    const call: AdminCall = {
      ...contract,
      functionName: 'setAttesters',
      args: [members, BigInt(threshold)],
      role: 'admin',
      effect: attesterEffect(contract, members, threshold),
    };
    const one = await planChange(client, call, `${contract.contract} on ${contract.chain}, attester set ${setNumber}`);
    const isUnattested = one.calls.length > 0 && threshold === 0;
    const note = "  the relayer's key alone will be enough to deliver, within the limits";
    return { ...one, changes: [...one.changes, ...(isUnattested ? [note] : [])] };
  });
  return { ...planned, changes: [...planned.changes, ...proven] };
}

/** Replaces the account that receives the collected fees. */
export async function setTreasury(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  const { lock } = getContracts(book);
  const effect = accountEffect(lock, 'treasury', 'treasury', to);
  const call: AdminCall = { ...lock, functionName: 'setTreasury', args: [to], role: 'admin', effect };
  return planChange(await clientOn(clients, lock), call, 'BridgeLock on ethereum');
}

/** The effect of a call that replaces one account of a bridge contract. */
export function accountEffect(
  contract: Pick<CalledContract, 'bridge'>,
  functionName: 'policyManager' | 'relayer' | 'standby' | 'treasury',
  name: string,
  to: Address,
): Effect {
  return async (client) => ({
    before: { [name]: shownAccount(await client.readContract({ ...getViewParameters(contract), functionName })) },
    after: { [name]: shownAccount(to) },
  });
}

/** Formats an account, the zero address as "none". */
export function shownAccount(account: Address): string {
  return account === zeroAddress ? 'none' : getAddress(account);
}

function attesterEffect(contract: CalledContract, members: readonly Address[], threshold: number): Effect {
  const shown = (accounts: readonly Address[], count: number) => ({
    attesters: accounts.length === 0 ? 'none' : accounts.map(shownAccount).join(', '),
    threshold: `${count}`,
  });
  return async (client) => {
    const [, current, count] = await client.readContract({ ...getViewParameters(contract), functionName: 'attesters' });
    return { before: shown(current, Number(count)), after: shown(members, threshold) };
  };
}
