import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCall, type Call } from './answer-call.ts';
import { ScriptedChain } from './scripted-chain.ts';
import type { ChainScript } from './scripts.ts';

// A process that serves one script on several ports, as nodes with the same chain. Its parent asks for the
// traffic since the last question. It ends with its parent.
// node node-process.ts <script as JSON> <nodes>

/** The traffic since the last question. */
export interface Traffic {
  /** Calls of JSON-RPC, those in batches one by one. */
  readonly calls: number;
  /** Requests of HTTP. */
  readonly requests: number;
  readonly byMethod: Readonly<Record<string, number>>;
  /** When the first call arrived that reads the chain; milliseconds since 1970. Null: none. */
  readonly firstCallMs: number | null;
  /** CPU of this process, user and system. */
  readonly cpuMs: number;
}

/** Calls that clients send while they start. */
const GREETINGS = new Set(['eth_chainId', 'net_version', 'web3_clientVersion', 'eth_syncing']);

const [script = '', nodes = ''] = process.argv.slice(2);
// The keccak-256 of WebAssembly replaces the one of JavaScript a moment after the start.
await new Promise((resolve) => setTimeout(resolve, 50));
const chain = new ScriptedChain(JSON.parse(script) as ChainScript);

let traffic = { calls: 0, requests: 0, byMethod: {} as Record<string, number>, firstCallMs: null as number | null };
let cpuBefore = process.cpuUsage();

const servers = await Promise.all(
  Array.from({ length: Number(nodes) }, async () => {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }),
);
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send?.({ ...traffic, cpuMs: (user + system) / 1_000 } satisfies Traffic);
  traffic = { calls: 0, requests: 0, byMethod: {}, firstCallMs: null };
  cpuBefore = process.cpuUsage();
});
process.once('disconnect', () => process.exit(0));
process.send?.(servers);

function receive(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    try {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      const parts = Array.isArray(body) ? answerBatch(body) : answer(body);
      traffic.requests += 1;
      const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
      response.end(bytes);
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(400).end();
    }
  });
}

function answerBatch(calls: readonly Call[]): (Buffer | string)[] {
  return ['[', ...calls.flatMap((call, index) => (index === 0 ? answer(call) : [',', ...answer(call)])), ']'];
}

function answer(call: Call): (Buffer | string)[] {
  traffic.calls += 1;
  traffic.byMethod[call.method] = (traffic.byMethod[call.method] ?? 0) + 1;
  if (!GREETINGS.has(call.method)) traffic.firstCallMs ??= Date.now();
  return answerCall(chain, call);
}
