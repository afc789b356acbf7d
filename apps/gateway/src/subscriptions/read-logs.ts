import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { ChainLog } from './log-matcher.js';

/**
 * Logs that are processed before other work gets its turn: some milliseconds. A block may have a hundred thousand logs.
 */
export const LOGS_PER_TURN = 256;

const text = z.string().toLowerCase();
const fields = z.looseObject({
  address: text,
  topics: z.array(text).max(4),
  blockHash: text,
  blockNumber: z.string().regex(/^0x[0-9a-fA-F]{1,13}$/),
});

/**
 * Parses the result of eth_getLogs.
 *
 * @throws Error if it is not a list of logs in blocks.
 */
export async function readLogs(result: unknown): Promise<ChainLog[]> {
  if (!Array.isArray(result)) throw new Error('The backend did not answer eth_getLogs with a list of logs');
  const logs: ChainLog[] = [];
  for (const value of result as readonly unknown[]) {
    logs.push(readLog(value));
    if (logs.length % LOGS_PER_TURN === 0) await setImmediate();
  }
  return logs;
}

/**
 * All logs of a block, in order. A block with more logs than one answer may contain is read from its receipts.
 *
 * @param hash in lower case.
 * @throws RpcError of the backend, or Error if its answer does not belong to the block.
 */
export async function fetchBlockLogs(backend: Backend, hash: string): Promise<readonly ChainLog[]> {
  const logs = await readLogs(await requestLogs(backend, hash));
  if (logs.some(({ blockHash }) => blockHash !== hash)) throw new Error('The backend answered logs of another block');
  return logs;
}

async function requestLogs(backend: Backend, blockHash: string): Promise<unknown> {
  try {
    return await backend.request('eth_getLogs', [{ blockHash }]);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'INVALID_PARAMS') throw error;
    const receipts = await backend.request('eth_getBlockReceipts', [{ blockHash }]);
    if (!Array.isArray(receipts)) throw new Error('The backend did not answer with receipts', { cause: error });
    return receipts.flatMap((receipt: { readonly logs?: unknown } | null) => receipt?.logs ?? []);
  }
}

function readLog(value: unknown): ChainLog {
  const parsed = fields.safeParse(value);
  if (!parsed.success) throw new Error('The backend answered an invalid log', { cause: parsed.error });
  const { address, topics, blockHash, blockNumber } = parsed.data;
  const size = JSON.stringify(value).length;
  return { address, topics, blockHash, blockNumber: Number(blockNumber), value: value as ChainLog['value'], size };
}
