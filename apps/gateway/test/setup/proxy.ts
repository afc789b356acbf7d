import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a proxy does with a request: forward it, forward it and drop the response, break off immediately, or respond
 * itself.
 */
export type ProxyAction = 'pass' | 'swallow' | 'break' | { readonly answer: string; readonly status?: number };

/** A node that misbehaves on demand: requests go to a real node unless the test decides otherwise. */
export interface Proxy {
  readonly url: string;
  /** Every received body, in order. */
  readonly bodies: string[];
  /** Decides what happens to a request, immediately or later; to be replaced by the test. */
  decide: (body: string) => ProxyAction | Promise<ProxyAction>;
  readonly close: () => Promise<void>;
}

/** @param target where requests go. */
export async function startProxy(target: string): Promise<Proxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      proxy.bodies.push(body);
      await act(await proxy.decide(body), body, response, target);
      // Applies even if a test decides nothing, so that the caller does not wait forever.
    })().catch(() => response.socket?.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: [],
    decide: () => 'pass',
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function act(action: ProxyAction, body: string, response: ServerResponse, target: string): Promise<void> {
  if (action === 'break') {
    response.socket?.destroy();
    return;
  }
  if (typeof action === 'object') {
    response.writeHead(action.status ?? 200, { 'content-type': 'application/json' }).end(action.answer);
    return;
  }
  try {
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    if (action === 'swallow') response.socket?.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  } catch {
    // If the real node is gone, this one is too.
    response.socket?.destroy();
  }
}
