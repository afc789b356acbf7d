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
}

/** Forwards JSON-RPC over HTTP. Its hooks let a test act while a request is pending. */
export async function startRpcProxy(target: string, hooks: RpcHooks): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const methods = methodsOf(body);
      if (hooks.beforeNode !== undefined && !(await hooks.beforeNode(methods))) return request.socket.destroy();
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const text = await answer.text();
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

function methodsOf(body: string): string[] {
  const parsed = JSON.parse(body) as { method: string } | { method: string }[];
  return (Array.isArray(parsed) ? parsed : [parsed]).map(({ method }) => method);
}
