import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between a service and its node. */
export interface RpcProxy {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Called with the methods of a request. Returns false to drop it: the caller receives no response. */
type RpcHook = (methods: readonly string[]) => Promise<boolean>;

/** When the proxy calls a hook. */
export interface RpcHooks {
  /** Before the node receives the request. */
  readonly beforeNode?: RpcHook;
  /** After the node has answered, before the caller receives the answer. */
  readonly afterNode?: RpcHook;
  /** Changes the result of one call: a node that lies. When it throws, the node refuses the call with that message. */
  readonly changeResult?: (method: string, result: unknown, parameters: readonly unknown[]) => unknown;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Forwards JSON-RPC over HTTP. Its hooks let a test act while a request is pending. */
export async function startRpcProxy(target: string, hooks: RpcHooks): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const methods = listMethods(body);
      if (hooks.beforeNode !== undefined && !(await hooks.beforeNode(methods))) return request.socket.destroy();
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const text = changed(body, await answer.text(), hooks.changeResult);
      if (hooks.afterNode !== undefined && !(await hooks.afterNode(methods))) return request.socket.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseCalls(body: string): Call[] {
  return [JSON.parse(body) as Call | Call[]].flat();
}

function listMethods(body: string): string[] {
  return parseCalls(body).map(({ method }) => method);
}

function changed(body: string, text: string, change: RpcHooks['changeResult']): string {
  if (change === undefined) return text;
  const calls = new Map(parseCalls(body).map((call) => [call.id, call]));
  const lie = (answer: { id: number; result?: unknown }) => {
    const call = calls.get(answer.id);
    if (call === undefined || !('result' in answer)) return answer;
    try {
      return { ...answer, result: change(call.method, answer.result, call.params ?? []) };
    } catch (error) {
      return { jsonrpc: '2.0', id: answer.id, error: { code: -32_602, message: (error as Error).message } };
    }
  };
  const answers = JSON.parse(text) as Parameters<typeof lie>[0] | Parameters<typeof lie>[0][];
  return JSON.stringify(Array.isArray(answers) ? answers.map(lie) : lie(answers));
}
