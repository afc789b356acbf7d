import { parseEndpoint } from '@causeway/service/configuration';
import { createTransport, http, HttpRequestError, type Transport } from 'viem';
import type { RpcRequest } from './chain-node.js';

/** Maximum bytes of a response, so that a node cannot fill the memory. Callers split larger requests. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
/** Maximum concurrent requests in one HTTP batch. */
const BATCH_SIZE = 100;
/** Timeout of a chain id request, which is cheap, so that a node that hung is used again soon. */
const PROBE_TIMEOUT_MS = 3_000;
/** Statuses that refuse the whole request, regardless of the JSON-RPC error in the body. */
const REFUSED = new Set([401, 403, 429]);

/**
 * Creates the transport of a node at an HTTP URL. The timeout covers the whole response, not only its headers. Requests
 * with large answers are not batched, so that they fail alone. Credentials of the URL become a header, so that no error
 * contains them.
 */
export function httpTransport(address: string, timeoutMs: number): Transport {
  const { url, headers } = parseEndpoint(address);
  const within = (timeout: number) => ({
    timeout,
    retryCount: 0,
    maxResponseBodySize: MAX_RESPONSE_BYTES,
    fetchOptions: { headers },
    fetchFn: async (input: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(input, { ...init, signal: AbortSignal.timeout(timeout) });
      if (!REFUSED.has(response.status)) return response;
      await response.body?.cancel();
      throw new HttpRequestError({ status: response.status, url });
    },
  });
  return (context) => {
    const probe = http(url, within(Math.min(timeoutMs, PROBE_TIMEOUT_MS)))(context);
    const alone = http(url, within(timeoutMs))(context);
    const batched = http(url, { ...within(timeoutMs), batch: { batchSize: BATCH_SIZE } })(context);
    const chooseTransport = (call: RpcRequest) => {
      if (call.method === 'eth_chainId') return probe;
      return travelsAlone(call) ? alone : batched;
    };
    const request = (call: RpcRequest) => chooseTransport(call).request(call as never);
    return createTransport({ key: 'http', name: 'HTTP', type: 'http', retryCount: 0, request: request as never });
  };
}

/** Returns whether a request must not be batched: its answer is large, or a gas-limited call runs untrusted code. */
function travelsAlone({ method, params }: RpcRequest): boolean {
  if (method === 'eth_getBlockReceipts' || method === 'eth_getLogs') return true;
  if (method === 'eth_call') return Array.isArray(params) && params[0]?.gas !== undefined;
  return method.startsWith('eth_getBlockBy') && Array.isArray(params) && params[1] === true;
}
