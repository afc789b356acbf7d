import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { CallContext, Connection, Method } from '../jsonrpc/method.js';
import { logQuery, type LogQuery, subscribedLogs } from '../schemas/log-filter.js';
import { filterId, hash, subscriptionId } from '../schemas/primitives.js';
import { log } from '../schemas/results.js';
import type { Filters } from '../subscriptions/filters.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import { defineMethod, forward, param } from './forward.js';

const FILTER_ID = '0x9f2c1b0e5d7a4c3e8b6f1a2d3c4b5a69';

/** Logs, and polled filters (spec "Standard methods"; EIP-1474). An unknown filter gets -32000, as in geth. */
export function logMethods(backend: Backend, filters: Filters): readonly Method[] {
  const id = param('filterId', filterId);
  const newId = { name: 'filterId', schema: filterId };
  const hashFilter = (name: string, kind: 'blocks' | 'pendingTransactions', subject: string) =>
    defineMethod({
      name,
      summary: `Creates a filter for the hashes of ${subject}. It expires after 5 minutes without a poll.`,
      params: [],
      result: newId,
      opens: true,
      example: { params: [], result: FILTER_ID },
      run: (_params, { ip }) => filters.create(ip, { kind }),
    });
  return [
    forward(backend, {
      name: 'eth_getLogs',
      summary: 'Matching logs, at most 10,000 per response; for more, narrow the block range.',
      params: [param('query', logQuery)],
      result: { name: 'logs', schema: z.array(log) },
      example: { params: [{ fromBlock: '0x0', toBlock: '0x1', topics: [null] }], result: [] },
    }),
    defineMethod({
      name: 'eth_newFilter',
      summary:
        'Creates a log filter. eth_getFilterChanges returns logs of blocks from now on, eth_getFilterLogs all of its range. It expires after 5 minutes without a poll.',
      params: [param('query', logQuery, 'Without blockHash.')],
      result: newId,
      opens: true,
      example: { params: [{ fromBlock: 'latest' }], result: FILTER_ID },
      run: ([query], { ip }) => filters.create(ip, { kind: 'logs', query: watchable(query) }),
    }),
    hashFilter('eth_newBlockFilter', 'blocks', 'new blocks'),
    hashFilter('eth_newPendingTransactionFilter', 'pendingTransactions', 'new pending transactions'),
    defineMethod({
      name: 'eth_getFilterChanges',
      summary: 'Changes since the last poll; logs removed by a reorganisation have removed: true.',
      params: [id],
      result: { name: 'changes', schema: z.union([z.array(log), z.array(hash)]) },
      example: { params: [FILTER_ID], result: [] },
      run: ([filter]) => filters.changes(filter),
    }),
    defineMethod({
      name: 'eth_getFilterLogs',
      summary: 'All logs in the range of a log filter, including those from before it was created.',
      params: [id],
      result: { name: 'logs', schema: z.array(log) },
      example: { params: [FILTER_ID], result: [] },
      run: ([filter]) => filters.logs(filter),
    }),
    defineMethod({
      name: 'eth_uninstallFilter',
      summary: 'Ends a filter; false if there is none with this id.',
      params: [id],
      result: { name: 'ended', schema: z.boolean() },
      example: { params: [FILTER_ID], result: true },
      run: async ([filter]) => filters.uninstall(filter),
    }),
  ];
}

/** @throws RpcError -32602 for a query that cannot be followed block by block. */
function watchable(query: LogQuery): LogQuery {
  const { blockHash, toBlock } = query;
  if (blockHash !== undefined) throw new RpcError('INVALID_PARAMS', 'a filter takes no blockHash; use eth_getLogs');
  if (toBlock === 'safe' || toBlock === 'finalized') {
    throw new RpcError('INVALID_PARAMS', 'toBlock of a filter must be a block number, or latest');
  }
  return query;
}

const KINDS = ['newHeads', 'logs', 'pendingTransactions', 'newPendingTransactions', 'syncing'] as const;
const SUBSCRIPTION_ID = '0xc3a1f0b2d4e6978812345678abcdef01';

/** Subscriptions (spec "Events"). `newPendingTransactions` is Ethereum's name for `pendingTransactions`. */
export function subscriptionMethods(subscriptions: Subscriptions): readonly Method[] {
  return [
    defineMethod({
      name: 'eth_subscribe',
      summary: 'Starts a subscription; its events come as eth_subscription notifications.',
      transport: 'websocket',
      opens: true,
      params: [param('type', z.enum(KINDS, `must be one of ${KINDS.join(', ')}`)), param('filter', subscribedLogs)],
      result: { name: 'subscriptionId', schema: subscriptionId },
      example: { params: ['logs', { address: '0x000000000000000000000000000000000000dead' }], result: SUBSCRIPTION_ID },
      run: async ([type, query], context) => {
        const connection = requireConnection(context);
        const answered = context.answered ?? setImmediate();
        if (type === 'logs') return subscriptions.open(connection, { kind: type, query }, answered);
        if (Object.keys(query).length > 0) {
          throw new RpcError('INVALID_PARAMS', `params[1] (filter): ${type} takes no filter`);
        }
        const kind = type === 'newPendingTransactions' ? 'pendingTransactions' : type;
        return subscriptions.open(connection, { kind }, answered);
      },
    }),
    defineMethod({
      name: 'eth_unsubscribe',
      summary: 'Ends a subscription of this connection; false if it has none with this id.',
      transport: 'websocket',
      params: [param('subscriptionId', subscriptionId)],
      result: { name: 'ended', schema: z.boolean() },
      example: { params: [SUBSCRIPTION_ID], result: true },
      run: async ([id], context) => subscriptions.end(requireConnection(context), id),
    }),
  ];
}

function requireConnection({ connection }: CallContext): Connection {
  if (connection === null)
    throw new RpcError('METHOD_NOT_SUPPORTED', 'subscriptions need a WebSocket connection; connect to /ws');
  return connection;
}
