import { workerData } from 'node:worker_threads';
import { bytesToHex } from '@ethereumjs/util';
import { ChainEngine } from '../chain/chain-engine.js';
import { chainOptionsSchema } from '../chain/chain-options.js';
import type { ChainTransaction } from '../evm/transaction.js';
import type { PendingBounds, PendingTransaction } from '../mempool/mempool.js';
import { serveRequests, toThreadError } from './worker-thread.js';

/** The thread that writes the chain. */
const options = chainOptionsSchema.parse(workerData);
const starting = (async (): Promise<ChainEngine> => {
  const listener = {
    onBlock: (block: unknown) => thread.emit('block', block),
    onPendingTransaction: (hash: string) => thread.emit('pending', hash),
    onFault: (fault: unknown) => thread.emit('fault', toThreadError(fault)),
    onFailure: (error: unknown) => thread.emit('failure', toThreadError(error)),
  };
  // The thread accepts requests immediately; the answers wait for the chain.
  await Promise.resolve();
  return await ChainEngine.start(options, listener, Date.now);
})();
// The answer to the first request reports it.
starting.catch(() => undefined);

const thread = serveRequests({
  started: async () => void (await starting),
  submit: async (raw: Uint8Array) => (await starting).submit(raw),
  mined: async (hash: string) => (await starting).mined(hash),
  mine: async () => (await starting).mine(),
  snapshot: async () => (await starting).snapshot(),
  revertTo: async (snapshot: number) => (await starting).revertTo(snapshot),
  increaseTime: async (seconds: number) => (await starting).increaseTime(seconds),
  setNextTimestamp: async (timestamp: number) => (await starting).setNextTimestamp(timestamp),
  pendingNonce: async (address: Uint8Array) => (await starting).pendingNonce(address),
  pendingTransaction: async (hash: string) => asPending((await starting).pendingTransaction(hash)),
  pendingTransactions: async (bounds: PendingBounds) => (await starting).pendingTransactions(bounds).map(asPending),
  pendingCount: async (bounds: PendingBounds) => (await starting).pendingTransactions(bounds).length,
  pendingTransactionAt: async (index: number, bounds: PendingBounds) =>
    asPending((await starting).pendingTransactions(bounds)[index]),
  close: async () => {
    await (await starting).close();
    setImmediate(() => process.exit(0));
  },
});

function asPending(transaction: ChainTransaction | undefined): PendingTransaction | null {
  if (transaction === undefined) return null;
  const { hash, raw, sender } = transaction;
  return { hash, raw, sender: bytesToHex(sender.bytes) };
}
