import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import { address, quantity64 } from '../schemas/primitives.js';
import { transaction } from '../schemas/results.js';
import { forward, param } from './forward.js';

/** The two parts of the pool: `pending` waits for the next block, `queued` for an earlier nonce. */
function inTwoParts<Part extends z.ZodType>(part: Part) {
  return z.looseObject({
    pending: part.describe('Transactions that can be in the next block.'),
    queued: part.describe('Transactions behind a nonce gap.'),
  });
}

/** By nonce, in decimal. */
const byNonce = <Item extends z.ZodType>(item: Item) => z.record(z.string(), item);
/** By sender and nonce. */
const bySender = <Item extends z.ZodType>(item: Item) => z.record(z.string(), byNonce(item));

const SHORT = z.string().describe('Recipient, value in wei, gas and gas price, as one line.');

/** The pending transactions, in geth's format. */
export function poolMethods(backend: Backend): readonly Method[] {
  return [
    forward(backend, {
      name: 'txpool_status',
      summary: 'Number of pending transactions, as shown by txpool_content.',
      params: [],
      result: { name: 'status', schema: inTwoParts(quantity64) },
      example: { params: [], result: { pending: '0x0', queued: '0x0' } },
    }),
    forward(backend, {
      name: 'txpool_content',
      summary: 'Pending transactions by sender and nonce; at most 1,000 and 1 MiB of each kind.',
      params: [],
      result: { name: 'content', schema: inTwoParts(bySender(transaction)) },
      example: { params: [], result: { pending: {}, queued: {} } },
    }),
    forward(backend, {
      name: 'txpool_contentFrom',
      summary: 'Pending transactions of one sender, by nonce.',
      params: [param('sender', address)],
      result: { name: 'content', schema: inTwoParts(byNonce(transaction)) },
      example: {
        params: ['0x000000000000000000000000000000000000dead'],
        result: { pending: {}, queued: {} },
      },
    }),
    forward(backend, {
      name: 'txpool_inspect',
      summary: 'Like txpool_content, with each transaction as one line of text.',
      params: [],
      result: { name: 'content', schema: inTwoParts(bySender(SHORT)) },
      example: { params: [], result: { pending: {}, queued: {} } },
    }),
  ];
}
