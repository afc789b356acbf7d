import { setTimeout as sleep } from 'node:timers/promises';
import { QuorumError } from '@causeway/chain';
import type { Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** How long nodes have to answer. */
const PATIENCE_MS = 2_000;

interface ReportingChain {
  readonly connection: Pick<BridgeChain['connection'], 'name' | 'quorum' | 'usable'>;
}

/**
 * Reads the next nonce of a wallet, pending transactions included: the highest that a quorum of nodes reports. So a
 * node that lies can neither invent nor hide transactions.
 *
 * @throws QuorumError when too few nodes report the same.
 */
export async function readAgreedNonce({ connection }: ReportingChain, address: Address): Promise<bigint> {
  const reports = new Map<number, number>();
  const reads = connection.usable().map(async ({ client }) => {
    const [mined, pending] = await Promise.all([
      client.getTransactionCount({ address }),
      client.getTransactionCount({ address, blockTag: 'pending' }),
    ]);
    const nonce = Math.max(mined, pending);
    reports.set(nonce, (reports.get(nonce) ?? 0) + 1);
  });
  const patience = new AbortController();
  await Promise.race([
    Promise.allSettled(reads),
    sleep(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  const agreed = [...reports].flatMap(([nonce, count]) => (count >= connection.quorum ? [nonce] : []));
  if (agreed.length === 0) throw new QuorumError(connection.name, connection.quorum, []);
  return BigInt(Math.max(...agreed));
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
