/**
 * Sends one call to a JSON-RPC endpoint and returns its result.
 *
 * @throws Error with the endpoint's message if the response is an error.
 */
export async function rpc(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
  return answer.result;
}
