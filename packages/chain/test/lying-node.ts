import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Changes the result that a node sent for a method. May throw a `Refusal`, which becomes the answer. */
export type Lie = (method: string, result: Json, parameters: Json[]) => Json | Promise<Json>;

/** A JSON-RPC error as the answer. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
  }
}

type Call = { readonly id: number; readonly method: string; readonly params?: Json[] };
type Answer = { readonly id: number; readonly result?: Json; readonly error?: Json };

/** Runs a test against a proxy that changes the answers of a real node. The proxy stops when the test ends. */
export async function withLyingNode<T>(target: string, lie: Lie, test: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await readBody(request)) as Call | Call[];
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answers = (await answer.json()) as Answer | Answer[];
      const calls = new Map([body].flat().map((call) => [call.id, call]));
      const lied = await Promise.all([answers].flat().map((one) => change(one, calls.get(one.id), lie)));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(Array.isArray(answers) ? lied : lied[0]));
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function change(answer: Answer, call: Call | undefined, lie: Lie): Promise<object> {
  if (call === undefined) return answer;
  const { id } = answer;
  try {
    const result = await lie(call.method, answer.result ?? null, call.params ?? []);
    return 'result' in answer || result !== null ? { jsonrpc: '2.0', id, result } : answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
