import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { RpcError } from '../../jsonrpc/errors.js';
import type { CallContext, Connection, Method } from '../../jsonrpc/types.js';
import { subscribedLogs } from '../../schemas/log-filter.js';
import { subscriptionId } from '../../schemas/primitives.js';
import type { Subscriptions } from '../../subscriptions/subscriptions.js';
import { defineMethod, param } from '../forward.js';

const KINDS = ['newHeads', 'logs', 'pendingTransactions', 'newPendingTransactions', 'syncing'] as const;
const ID = '0xc3a1f0b2d4e6978812345678abcdef01';

/** Subscriptions (spec "Events"). `newPendingTransactions` is Ethereum's name of `pendingTransactions`. */
export function subscriptionMethods(subscriptions: Subscriptions): readonly Method[] {
  return [
    defineMethod({
      name: 'eth_subscribe',
      summary: 'Starts a subscription; its events come as eth_subscription notifications.',
      transport: 'websocket',
      opens: true,
      params: [param('type', z.enum(KINDS, `must be one of ${KINDS.join(', ')}`)), param('filter', subscribedLogs)],
      result: { name: 'subscriptionId', schema: subscriptionId },
      example: { params: ['logs', { address: '0x000000000000000000000000000000000000dead' }], result: ID },
      run: async ([type, query], context) => {
        const connection = connectionOf(context);
        const answered = context.answered ?? setImmediate();
        if (type === 'logs') return subscriptions.open(connection, { kind: type, query }, answered);
        if (Object.keys(query).length > 0) {
          throw new RpcError('INVALID_PARAMS', `params[1] (filter): ${type} takes none`);
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
      example: { params: [ID], result: true },
      run: async ([id], context) => subscriptions.end(connectionOf(context), id),
    }),
  ];
}

/** @throws RpcError -32004 over HTTP. */
function connectionOf({ connection }: CallContext): Connection {
  if (connection === null)
    throw new RpcError('METHOD_NOT_SUPPORTED', 'subscriptions need a WebSocket connection; connect to /ws');
  return connection;
}
