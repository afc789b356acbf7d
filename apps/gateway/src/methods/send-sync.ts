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
  .describe('Maximum milliseconds to wait. Default: 20,000; maximum: 25,000.');

/** eth_sendRawTransactionSync (EIP-7966), built on the standard methods. */
export function sendTransactionSync(backend: Backend, budget: ClientBudget): Method {
  return defineMethod({
    name: 'eth_sendRawTransactionSync',
    summary:
      'Submit a signed transaction and wait for its receipt (EIP-7966). If it is not mined in time: -32002 with the hash as data, and the transaction stays pending.',
    params: [param('transaction', data), param('timeout', timeout)],
    result: { name: 'receipt', schema: receipt },
    run: async ([transaction, milliseconds = DEFAULT_TIMEOUT_MS], { ip }) => {
      const release = budget.take('waits', { key: ip, isExempt: false }, 1);
      if (typeof release !== 'function') {
        throw new RpcError('RATE_LIMIT_EXCEEDED', 'you are waiting for too many transactions');
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

/** Requests the receipt now and after each block. */
async function waitForReceipt(backend: Backend, hash: unknown, milliseconds: number): Promise<unknown> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const nextBlock = waitForBlock(backend, deadline - performance.now());
    try {
      const found = await backend.request('eth_getTransactionReceipt', [hash]);
      if (found !== null) return found;
      if (!(await nextBlock.promise)) {
        throw new RpcError('RESOURCE_UNAVAILABLE', 'the transaction is pending, but not in a block yet', {
          data: hash,
        });
      }
    } finally {
      nextBlock.cancel();
    }
  }
}

/** Resolves to whether a block arrived in time. */
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
