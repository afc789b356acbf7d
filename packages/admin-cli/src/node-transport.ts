import { parseEndpoint } from '@causeway/service/configuration';
import { http, type HttpTransport, type HttpTransportConfig } from 'viem';

/** The transport to a node, whose address may contain a key, as in `https://name:key@host`. */
export function nodeTransport(address: string, options: HttpTransportConfig = {}): HttpTransport {
  const { url, headers } = parseEndpoint(address);
  return http(url, { ...options, fetchOptions: { headers } });
}
