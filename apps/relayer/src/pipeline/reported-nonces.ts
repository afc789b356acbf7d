import { setTimeout as sleep } from 'node:timers/promises';
import { QuorumError } from '@causeway/chain';
import type { Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** How long slow nodes are waited for once a quorum has answered. */
const PATIENCE_MS = 2_000;

interface ReportingChain {
  readonly connection: Pick<BridgeChain['connection'], 'name' | 'quorum' | 'usable'>;
}

/**
 * Reads the next nonce of a wallet, pending transactions included: the highest that any node reports, because a node
 * can hide transactions.
 *
 * @throws QuorumError when too few nodes answer.
 */
export async function readHighestNonce({ connection }: ReportingChain, address: Address): Promise<bigint> {
  const answers: number[] = [];
  const reads = connection.usable().map(async ({ client }) => {
    const [mined, pending] = await Promise.all([
      client.getTransactionCount({ address }),
      client.getTransactionCount({ address, blockTag: 'pending' }),
    ]);
    answers.push(Math.max(mined, pending));
  });
  const patience = new AbortController();
  await Promise.race([
    Promise.allSettled(reads),
    sleep(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  if (answers.length < connection.quorum) throw new QuorumError(connection.name, connection.quorum, []);
  return BigInt(Math.max(...answers));
}

/**
 * Reads the time of a chain's newest block, by a quorum.
 *
 * @throws QuorumError
 */
export async function readHeadTime({ connection }: Pick<BridgeChain, 'connection'>): Promise<Date> {
  const head = await connection.agreedBlock(await connection.agreedHead());
  if (head === null) throw new QuorumError(connection.name, connection.quorum, []);
  return new Date(Number(head.timestampSeconds) * 1_000);
}
