import { getAddress, isAddressEqual, zeroAddress, type Address, type PublicClient } from 'viem';
import { adminTimelockAbi } from '../../generated/abi.js';
import type { AddressBook } from '../../deploy/address-book.js';
import {
  formatChange,
  clientOn,
  getContracts,
  planChange,
  planEach,
  getViewParameters,
  findTimelock,
  type AdminCall,
  type CalledContract,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls.js';
import { pauseEffect } from './pauses.js';

/** `Office.Guardian` of IOffices. */
const GUARDIAN_OFFICE = 1;

/**
 * Replaces the guardian in the contracts whose nodes are named, and in the office of the admin's timelock.
 *
 * @param liftPauses whether both directions resume in the same call, whatever the number of the last pause is.
 */
export async function replaceGuardian(
  book: AddressBook,
  { to, liftPauses }: { readonly to: Address; readonly liftPauses: boolean },
  clients: Clients,
): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const guardian = await client.readContract({ ...getViewParameters(contract), functionName: 'guardian' });
    const replaced: AdminCall[] = isAddressEqual(guardian, to)
      ? []
      : [
          {
            ...contract,
            functionName: 'setGuardian',
            args: [to, liftPauses],
            role: 'admin',
            effect: guardianEffect(contract, to, liftPauses),
          },
        ];
    return {
      calls: [...(await replaceOffice(contract, client, to)), ...replaced],
      changes: [
        `${contract.contract} on ${contract.chain}`,
        formatChange('guardian', guardian, to),
        ...(liftPauses && replaced.length > 0 ? ['  both directions resume'] : []),
      ],
    };
  });
}

/** Replaces the policy manager in the contracts whose nodes are named. */
export async function replacePolicyManager(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const effect = accountEffect(contract, 'policyManager', 'policy manager', to);
    const call: AdminCall = { ...contract, functionName: 'setPolicyManager', args: [to], role: 'admin', effect };
    return planChange(client, call, `${contract.contract} on ${contract.chain}`);
  });
}

/** Announces the relayer that a guardian may activate once; the zero address withdraws it. */
export async function setStandby(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const effect = accountEffect(contract, 'standby', 'standby', to);
    const call: AdminCall = { ...contract, functionName: 'setStandby', args: [to], role: 'admin', effect };
    return planChange(client, call, `${contract.contract} on ${contract.chain}`);
  });
}

/** Replaces the attester set and its threshold. Attestations of the former set become void. */
export async function setAttesters(
  book: AddressBook,
  { attesters, threshold }: { readonly attesters: readonly Address[]; readonly threshold: number },
  clients: Clients,
): Promise<PlannedCalls> {
  // The contracts take them in ascending order.
  const members = attesters.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  return planEach(book, clients, async (contract, client) => {
    const [setNumber] = await client.readContract({ ...getViewParameters(contract), functionName: 'attesters' });
    const call: AdminCall = {
      ...contract,
      functionName: 'setAttesters',
      args: [members, BigInt(threshold)],
      role: 'admin',
      effect: attesterEffect(contract, members, threshold),
    };
    const planned = await planChange(
      client,
      call,
      `${contract.contract} on ${contract.chain}, attester set ${setNumber}`,
    );
    const isUnattested = planned.calls.length > 0 && threshold === 0;
    const note = "  then the relayer's key alone delivers, within the limits";
    return { ...planned, changes: [...planned.changes, ...(isUnattested ? [note] : [])] };
  });
}

/** Replaces the account that collected fees go to. */
export async function setTreasury(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  const { lock } = getContracts(book);
  const effect = accountEffect(lock, 'treasury', 'treasury', to);
  const call: AdminCall = { ...lock, functionName: 'setTreasury', args: [to], role: 'admin', effect };
  return planChange(await clientOn(clients, lock), call, 'BridgeLock on ethereum');
}

/** The effect of a call that replaces one account of a bridge contract. */
export function accountEffect(
  contract: Pick<CalledContract, 'bridge'>,
  functionName: 'guardian' | 'policyManager' | 'relayer' | 'standby' | 'treasury',
  name: string,
  to: Address,
): Effect {
  return async (client) => ({
    before: { [name]: shownAccount(await client.readContract({ ...getViewParameters(contract), functionName })) },
    after: { [name]: shownAccount(to) },
  });
}

/** An account as it is shown, the zero address as "none". */
export function shownAccount(account: Address): string {
  return account === zeroAddress ? 'none' : getAddress(account);
}

function guardianEffect(contract: CalledContract, to: Address, liftPauses: boolean): Effect {
  const guardian = accountEffect(contract, 'guardian', 'guardian', to);
  if (!liftPauses) return guardian;
  const resumed = pauseEffect(contract, { beginnings: null, deliveries: false });
  return async (client) => {
    const [replaced, lifted] = [await guardian(client), await resumed(client)];
    return { before: { ...replaced.before, ...lifted.before }, after: { ...replaced.after, ...lifted.after } };
  };
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

/** The guardian of a bridge contract holds the guardian's office of its admin's timelock, too. */
async function replaceOffice(contract: CalledContract, client: PublicClient, to: Address): Promise<AdminCall[]> {
  const timelock = await findTimelock(client, contract);
  if (timelock === undefined) return [];
  const effect: Effect = async (reader) => {
    const guardian = await reader.readContract({
      address: timelock.to,
      abi: adminTimelockAbi,
      functionName: 'guardian',
    });
    return { before: { 'guardian of the timelock': guardian }, after: { 'guardian of the timelock': getAddress(to) } };
  };
  const { before, after } = await effect(client);
  if (before['guardian of the timelock'] === after['guardian of the timelock']) return [];
  return [{ ...timelock, functionName: 'replace', args: [GUARDIAN_OFFICE, to], role: 'admin', effect }];
}
