import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { TestGateway } from './start-gateway.js';

/** Sends one JSON-RPC message as text and resolves with the answer as text; null if there is none. */
export type Ask = (message: string) => Promise<string | null>;

export async function askHttp({ url }: TestGateway, message: string): Promise<string | null> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: message });
  return response.status === 204 ? null : response.text();
}

export async function askWebSocket({ webSocketUrl }: TestGateway, message: string): Promise<string | null> {
  const socket = await connect(`${webSocketUrl}/ws`);
  try {
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
    socket.send(message);
    // It is answered when it is given up, and by then everything before it must be.
    socket.send('{"jsonrpc":"2.0","id":"after","method":"test_wait"}');
    const [data] = (await answered) as [Buffer];
    const text = data.toString();
    return text.includes('"id":"after"') ? null : text;
  } finally {
    socket.terminate();
  }
}

/** A WebSocket that is open. */
export async function connect(url: string, options: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  await once(socket, 'open', { signal: AbortSignal.timeout(10_000) });
  return socket;
}
