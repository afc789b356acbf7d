import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A client that has subscribed to everything there is. */
export interface Subscriber {
  /** How many notifications it was sent. */
  readonly received: () => number;
  readonly close: () => void;
}

const SUBSCRIPTIONS = [['newHeads'], ['logs', {}], ['newPendingTransactions'], ['syncing']];

/** @param url the gateway's WebSocket address. */
export async function subscribe(url: string): Promise<Subscriber> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let received = 0;
  socket.on('message', () => received++);
  for (const [id, params] of SUBSCRIPTIONS.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
  }
  return { received: () => received, close: () => socket.close() };
}
