import { parseEndpoint } from '@causeway/service/configuration';
import { createTransport, http, HttpRequestError, type Transport } from 'viem';
import type { RpcRequest } from './chain-node.js';

/** Bound of one response in bytes: a node must not fill the memory. Readers of larger answers ask for less. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
/** Requests that are made at the same time are sent as one HTTP request of at most this many. */
const BATCH_SIZE = 100;
/** Bound of a request for the chain id, which needs no work: a node that hung is used soon after it answers again. */
const PROBE_TIMEOUT_MS = 3_000;
/** Statuses that refuse the whole request, whatever JSON-RPC error is in the body. */
const REFUSED = new Set([401, 403, 429]);

/**
 * The transport of a node at an HTTP address. The timeout covers the whole response, not only its headers. Requests
 * with large answers travel alone, so that they fail alone. Credentials in the address become a header, so that no
 * error contains them.
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

/** Requests with large answers, and calls with a bound of gas: these run code of strangers, which may answer a lot. */
function travelsAlone({ method, params }: RpcRequest): boolean {
  if (method === 'eth_getBlockReceipts' || method === 'eth_getLogs') return true;
  if (method === 'eth_call') return Array.isArray(params) && params[0]?.gas !== undefined;
  return method.startsWith('eth_getBlockBy') && Array.isArray(params) && params[1] === true;
}
