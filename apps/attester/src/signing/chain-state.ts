import { bridgeLockAbi } from '@causeway/contracts/abi';
import type { Side, Verifier } from '@causeway/verifier';
import { decodeFunctionResult, encodeFunctionData, type Abi, type Address } from 'viem';

/** The attester set of a contract. */
export interface AttesterSet {
  readonly number: bigint;
  /** Lower-case. */
  readonly members: readonly Address[];
  readonly threshold: number;
}

/** The newest block of a chain that a quorum has reached. */
export type Head = Awaited<ReturnType<Verifier['readers'][Side]['headerAt']>>;

/** Both contracts inherit the views read here. */
const abi: Abi = bridgeLockAbi;

/** @throws NoQuorumError */
export async function readHead({ readers }: Verifier, side: Side): Promise<Head> {
  return readers[side].headerAt(await readers[side].head());
}

/**
 * Reads a view of a side's bridge contract that both contracts have.
 *
 * @throws NoQuorumError, and Error when the contract at the address is not a bridge contract.
 */
export async function readView(
  { readers, settings }: Verifier,
  side: Side,
  { hash }: Pick<Head, 'hash'>,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<unknown> {
  const data = encodeFunctionData({ abi, functionName, args });
  const answer = await readers[side].call(hash, settings[side].contract, data);
  if (answer === 'REVERTED') throw new Error(`${functionName} of ${settings[side].contract} on ${side} reverts`);
  return decodeFunctionResult({ abi, functionName, data: answer });
}

/** Reads the attester set in the state after a block. */
export async function readAttesterSet(verifier: Verifier, side: Side, head: Pick<Head, 'hash'>): Promise<AttesterSet> {
  const answer = await readView(verifier, side, head, 'attesters');
  const [number, members, threshold] = answer as readonly [bigint, readonly Address[], bigint];
  return { number, members: members.map((each) => each.toLowerCase() as Address), threshold: Number(threshold) };
}

/** Why an attester signs nothing under a set; null when it signs. */
export function findSetProblem({ members, threshold }: AttesterSet, own: Address): string | null {
  if (!members.includes(own)) return `${own} is not a member of the attester set.`;
  if (2 * threshold <= members.length)
    return `The threshold is ${threshold} of ${members.length} attesters, and must be more than half.`;
  return null;
}
