import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { LogQuery } from '../schemas/log-filter.js';

/** A log of a block, ready to be matched. Shared: do not modify. */
export interface ChainLog {
  /** Lower-case, like the topics. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly size: number;
}

/** Logs processed before other work can run: a block can have a hundred thousand. */
export const LOGS_PER_TURN = 256;

const text = z.string().toLowerCase();
const fields = z.looseObject({ address: text, topics: z.array(text).max(4), blockHash: text });

/** Matches logs by contracts and topics, as eth_getLogs does. */
export class LogMatcher {
  /** The number of addresses and topics, a measure of memory. */
  readonly terms: number;
  private readonly addresses: ReadonlySet<string> | null;
  private readonly topics: readonly (ReadonlySet<string> | null)[];

  constructor({ address, topics = [] }: Pick<LogQuery, 'address' | 'topics'>) {
    this.addresses = address === undefined ? null : new Set(address);
    this.topics = topics.map((anyOf) => (anyOf === null ? null : new Set(anyOf)));
    this.terms = [this.addresses, ...this.topics].reduce((sum, anyOf) => sum + (anyOf?.size ?? 0), 0);
  }

  matches({ address, topics }: ChainLog): boolean {
    return (
      (this.addresses === null || this.addresses.has(address)) &&
      topics.length >= this.topics.length &&
      this.topics.every((anyOf, position) => anyOf === null || anyOf.has(topics[position] ?? ''))
    );
  }
}

/** Parses the result of eth_getLogs. @throws Error if it is not a list of logs in blocks. */
export async function readLogs(result: unknown): Promise<ChainLog[]> {
  if (!Array.isArray(result)) throw new Error('The backend did not answer eth_getLogs with a list of logs');
  const logs: ChainLog[] = [];
  for (const value of result as readonly ChainLog['value'][]) {
    const parsed = fields.safeParse(value);
    if (!parsed.success) throw new Error('The backend answered an invalid log', { cause: parsed.error });
    const { address, topics, blockHash } = parsed.data;
    logs.push({ address, topics, blockHash, value, size: JSON.stringify(value).length });
    if (logs.length % LOGS_PER_TURN === 0) await setImmediate();
  }
  return logs;
}

/** Reads all logs of a block. If they exceed one response, they are read from the receipts. */
export async function fetchBlockLogs(backend: Backend, hash: string): Promise<readonly ChainLog[]> {
  const logs = await readLogs(await requestBlockLogs(backend, hash));
  if (logs.some(({ blockHash }) => blockHash !== hash)) throw new Error('The backend answered logs of another block');
  return logs;
}

async function requestBlockLogs(backend: Backend, blockHash: string): Promise<unknown> {
  try {
    return await backend.request('eth_getLogs', [{ blockHash }]);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'RATE_LIMIT_EXCEEDED') throw error;
    const receipts = await backend.request('eth_getBlockReceipts', [{ blockHash }]);
    if (!Array.isArray(receipts)) throw new Error('The backend did not answer with receipts', { cause: error });
    return receipts.flatMap((receipt: { readonly logs?: unknown } | null) => receipt?.logs ?? []);
  }
}
