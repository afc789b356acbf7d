/**
 * Sends one call to a JSON-RPC endpoint and returns its result.
 *
 * @throws Error with the endpoint's message if the response is an error.
 */
export async function rpc(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { result, error } = await send(url, method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
  return result;
}

/** Sends one call that must be refused, and returns the error. */
export async function readError(url: string, method: string, params: readonly unknown[]): Promise<RpcFailure> {
  const { error } = await send(url, method, params);
  if (error === undefined) throw new Error(`${method} was not refused`);
  return error;
}

interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

async function send(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<{ result?: unknown; error?: RpcFailure }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as { result?: unknown; error?: RpcFailure };
}
