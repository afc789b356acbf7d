import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { ClientBudget } from '../client-budget.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { Method } from '../jsonrpc/method.js';
import { data, quantity64 } from '../schemas/primitives.js';
import { receipt } from '../schemas/results.js';
import { defineMethod, param } from './forward.js';

const DEFAULT_TIMEOUT_MS = 20_000;
const MAX_TIMEOUT_MS = 25_000;

const timeout = z
  .union(
    [quantity64.transform(Number), z.int().nonnegative('must be milliseconds')],
    'must be milliseconds: a quantity or an integer',
  )
  .optional()
  .describe('Milliseconds to wait at most: 20,000 when left out, never more than 25,000.');

/** eth_sendRawTransactionSync (EIP-7966), on top of the methods that every chain has. */
export function sendTransactionSync(backend: Backend, budget: ClientBudget): Method {
  return defineMethod({
    name: 'eth_sendRawTransactionSync',
    summary:
      'Submit a signed transaction and wait for its receipt (EIP-7966). -32002 with the hash as data when it is in no block in time: the transaction still waits.',
    params: [param('transaction', data), param('timeout', timeout)],
    result: { name: 'receipt', schema: receipt },
    run: async ([transaction, milliseconds = DEFAULT_TIMEOUT_MS], { ip }) => {
      const release = budget.take('waits', { key: ip, isExempt: false }, 1);
      if (typeof release !== 'function') {
        throw new RpcError('RATE_LIMIT_EXCEEDED', 'too many of your transactions are being waited for');
      }
      try {
        const hash = await backend.request('eth_sendRawTransaction', [transaction], ip);
        return await waitForReceipt(backend, hash, Math.min(milliseconds, MAX_TIMEOUT_MS));
      } finally {
        release();
      }
    },
  });
}

/** Looks for the receipt now and after each block. */
async function waitForReceipt(backend: Backend, hash: unknown, milliseconds: number): Promise<unknown> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const nextBlock = waitForBlock(backend, deadline - performance.now());
    try {
      const found = await backend.request('eth_getTransactionReceipt', [hash]);
      if (found !== null) return found;
      if (!(await nextBlock.promise)) {
        throw new RpcError('RESOURCE_UNAVAILABLE', 'the transaction waits, but is in no block yet', { data: hash });
      }
    } finally {
      nextBlock.cancel();
    }
  }
}

/** Resolves to whether there was a block in time. */
function waitForBlock(backend: Backend, milliseconds: number) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), Math.max(milliseconds, 0));
  const stop = backend.listen({
    onHead: () => resolve(true),
    onPendingTransaction: () => undefined,
    onSyncing: () => undefined,
  });
  const cancel = (): void => {
    clearTimeout(timer);
    stop();
  };
  return { promise, cancel };
}
