import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A node that answers all reads and refuses transactions. */
export interface RefusingNode {
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
}

const REFUSAL = { code: -32_000, message: 'this node takes no transactions' };

/** Starts a refusing proxy for a real node. The test kit's proxy is not in the published package. */
export async function startRefusingNode(target: string): Promise<RefusingNode> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const calls = JSON.parse(body) as Call | readonly Call[];
      const refused = Array.isArray(calls) ? calls : [calls];
      const isRefused = refused.some(({ method }: Call) => method.startsWith('eth_sendRawTransaction'));
      const answer = isRefused ? refuse(calls) : await forward(target, body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function refuse(calls: Call | readonly Call[]): string {
  const toRefusal = ({ id }: Call) => ({ jsonrpc: '2.0', id, error: REFUSAL });
  return JSON.stringify('id' in calls ? toRefusal(calls) : calls.map(toRefusal));
}

async function forward(target: string, body: string): Promise<string> {
  const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return answer.text();
}
