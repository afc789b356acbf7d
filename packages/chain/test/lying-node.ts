import { startRpcProxy } from '@causeway/test-kit';

/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Changes the result that a node sent for a method. May throw an `RpcRefusal`, which becomes the answer. */
export type Lie = (method: string, result: Json, parameters: Json[]) => Json | Promise<Json>;

/** Runs a test against a proxy that changes the answers of a real node. The proxy stops when the test ends. */
export async function withLyingNode<T>(target: string, lie: Lie, test: (url: string) => Promise<T>): Promise<T> {
  const { url, close } = await startRpcProxy(target, {
    changeResult: (method, result, parameters) => lie(method, result as Json, parameters as Json[]),
  });
  try {
    return await test(url);
  } finally {
    await close();
  }
}
