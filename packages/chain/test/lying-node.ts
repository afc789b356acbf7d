import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A JSON-RPC answer, loosely. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Changes the result of a method on its way from the node. */
export type Lie = (method: string, result: Json) => Json;

/** A node in front of a node, which changes what the real one says. */
export async function startLyingNode(target: string, lie: Lie): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await readBody(request)) as Json;
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const results = (await answer.json()) as Json;
      const calls = new Map([body].flat().map((call) => [field(call, 'id'), field(call, 'method')]));
      for (const result of [results].flat()) {
        if (result === null || typeof result !== 'object' || Array.isArray(result) || !('result' in result)) continue;
        result['result'] = lie(asText(calls.get(field(result, 'id'))), result['result'] ?? null);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(results));
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function field(value: Json, name: string): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value[name] ?? null) : null;
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
