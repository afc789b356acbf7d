import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A proxy between a service and its node. */
export interface RpcProxy {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Receives the calls of a request. Returns false to drop it, so that the caller gets no response. */
type RpcHook = (methods: readonly string[], calls: readonly Call[]) => Promise<boolean>;

/** Hooks of the proxy. */
export interface RpcHooks {
  /** Called before the node receives the request. */
  readonly beforeNode?: RpcHook;
  /** Called after the node has answered, before the caller receives the answer. */
  readonly afterNode?: RpcHook;
  /** Changes the result of a call, like a lying node. `RpcRefusal` refuses it; other errors cut the connection. */
  readonly changeResult?: (method: string, result: unknown, parameters: readonly unknown[]) => unknown;
}

/** A JSON-RPC error with which a node refuses a call. */
export class RpcRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** Forwards JSON-RPC over HTTP. Its hooks let a test act while a request is pending. */
export async function startRpcProxy(target: string, hooks: RpcHooks): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const calls = parseCalls(body);
      const methods = calls.map(({ method }) => method);
      if (hooks.beforeNode !== undefined && !(await hooks.beforeNode(methods, calls))) return request.socket.destroy();
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const lied = await changed(body, await answer.text(), hooks.changeResult);
      if (hooks.afterNode !== undefined && !(await hooks.afterNode(methods, calls))) return request.socket.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(lied);
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

function parseCalls(body: string): Call[] {
  return [JSON.parse(body) as Call | Call[]].flat();
}

async function changed(body: string, answered: string, change: RpcHooks['changeResult']): Promise<string> {
  if (change === undefined) return answered;
  const calls = new Map(parseCalls(body).map((call) => [call.id, call]));
  const lie = async (answer: Answer): Promise<object> => {
    const call = calls.get(answer.id);
    if (call === undefined || !('result' in answer)) return answer;
    try {
      return { ...answer, result: await change(call.method, answer.result, call.params ?? []) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id: answer.id, error: { code, message, data } };
    }
  };
  const answers = JSON.parse(answered) as Answer | Answer[];
  return JSON.stringify(await (Array.isArray(answers) ? Promise.all(answers.map(lie)) : lie(answers)));
}
