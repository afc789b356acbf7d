import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { ChainLog } from './chain-log.js';
import { readLogs } from './read-logs.js';

/**
 * All logs of a block, in order. A block with more logs than one answer may hold is read from its receipts.
 *
 * @param hash in lower case.
 * @throws RpcError of the backend, or Error when what it answered does not belong to the block.
 */
export async function fetchBlockLogs(backend: Backend, hash: string): Promise<readonly ChainLog[]> {
  const logs = await readLogs(await answerFor(backend, hash));
  if (logs.some(({ blockHash }) => blockHash !== hash)) throw new Error('The backend answered logs of another block');
  return logs;
}

async function answerFor(backend: Backend, blockHash: string): Promise<unknown> {
  try {
    return await backend.request('eth_getLogs', [{ blockHash }]);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'INVALID_PARAMS') throw error;
    const receipts = await backend.request('eth_getBlockReceipts', [{ blockHash }]);
    if (!Array.isArray(receipts)) throw new Error('The backend answered no receipts', { cause: error });
    return receipts.flatMap((receipt: { readonly logs?: unknown } | null) => receipt?.logs ?? []);
  }
}
