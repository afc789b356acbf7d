import { isAddressEqual, zeroAddress, type Address, type PublicClient } from 'viem';
import { adminTimelockAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import {
  changeOf,
  clientOn,
  contractsOf,
  planEach,
  readsOf,
  timelockOf,
  type AdminCall,
  type CalledContract,
  type Clients,
  type PlannedCalls,
} from './calls.js';

/**
 * Replaces the guardian in the contracts whose nodes are named, and as the account that may cancel calls of the admin's
 * timelock.
 *
 * @param liftPauses whether both directions resume in the same call, whatever the number of the last pause is.
 */
export async function replaceGuardian(
  book: AddressBook,
  { to, liftPauses }: { readonly to: Address; readonly liftPauses: boolean },
  clients: Clients,
): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const guardian = await client.readContract({ ...readsOf(contract), functionName: 'guardian' });
    const replaced: AdminCall[] = isAddressEqual(guardian, to)
      ? []
      : [{ ...contract, functionName: 'setGuardian', args: [to, liftPauses], role: 'admin' }];
    return {
      // The guardian is replaced last: a repeated run still finds the former one in the contract.
      calls: [...(await replaceCanceller(contract, client, guardian, to)), ...replaced],
      changes: [
        `${contract.contract} on ${contract.chain}`,
        changeOf('guardian', guardian, to),
        ...(liftPauses && replaced.length > 0 ? ['  both directions resume'] : []),
      ],
    };
  });
}

/** Replaces the policy manager in the contracts whose nodes are named. */
export async function replacePolicyManager(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const current = await client.readContract({ ...readsOf(contract), functionName: 'policyManager' });
    return {
      calls: isAddressEqual(current, to)
        ? []
        : [{ ...contract, functionName: 'setPolicyManager', args: [to], role: 'admin' }],
      changes: [`${contract.contract} on ${contract.chain}`, changeOf('policy manager', current, to)],
    };
  });
}

/** Announces the relayer that a guardian may activate once; the zero address withdraws it. */
export async function setStandby(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  return planEach(book, clients, async (contract, client) => {
    const current = await client.readContract({ ...readsOf(contract), functionName: 'standby' });
    const shown = (account: Address) => (account === zeroAddress ? 'none' : account);
    return {
      calls: isAddressEqual(current, to)
        ? []
        : [{ ...contract, functionName: 'setStandby', args: [to], role: 'admin' }],
      changes: [`${contract.contract} on ${contract.chain}`, changeOf('standby', shown(current), shown(to))],
    };
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
  const shown = (accounts: readonly Address[]) => (accounts.length === 0 ? 'none' : accounts.join(', '));
  return planEach(book, clients, async (contract, client) => {
    const [setNumber, current, currentThreshold] = await client.readContract({
      ...readsOf(contract),
      functionName: 'attesters',
    });
    const isSame = shown(current) === shown(members) && Number(currentThreshold) === threshold;
    const args = [members, BigInt(threshold)];
    return {
      calls: isSame ? [] : [{ ...contract, functionName: 'setAttesters', args, role: 'admin' }],
      changes: [
        `${contract.contract} on ${contract.chain}, attester set ${setNumber}`,
        changeOf('attesters', shown(current), shown(members)),
        changeOf('threshold', `${currentThreshold}`, `${threshold}`),
        ...(isSame || threshold > 0 ? [] : ["  then the relayer's key alone delivers, within the limits"]),
      ],
    };
  });
}

/** Replaces the account that collected fees go to. */
export async function setTreasury(book: AddressBook, to: Address, clients: Clients): Promise<PlannedCalls> {
  const { lock } = contractsOf(book);
  const client = await clientOn(clients, lock);
  const current = await client.readContract({ ...readsOf(lock), functionName: 'treasury' });
  return {
    calls: isAddressEqual(current, to) ? [] : [{ ...lock, functionName: 'setTreasury', args: [to], role: 'admin' }],
    changes: ['BridgeLock on ethereum', changeOf('treasury', current, to)],
  };
}

/** The guardian may cancel what the admin scheduled: a right in the timelock, which follows the guardian. */
async function replaceCanceller(
  contract: CalledContract,
  client: PublicClient,
  guardian: Address,
  to: Address,
): Promise<AdminCall[]> {
  const timelock = await timelockOf(client, contract);
  if (timelock === undefined) return [];
  const reads = { address: timelock.to, abi: adminTimelockAbi } as const;
  const role = await client.readContract({ ...reads, functionName: 'CANCELLER_ROLE' });
  const has = async (account: Address) =>
    client.readContract({ ...reads, functionName: 'hasRole', args: [role, account] });
  const calls: AdminCall[] = [];
  if (!(await has(to))) calls.push({ ...timelock, functionName: 'grantRole', args: [role, to], role: 'admin' });
  if (!isAddressEqual(guardian, to) && (await has(guardian))) {
    calls.push({ ...timelock, functionName: 'revokeRole', args: [role, guardian], role: 'admin' });
  }
  return calls;
}
