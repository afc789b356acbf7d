import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from '../limits/network-of.js';

/** What a connection that ended meanwhile is counted under: it has no address any more. */
const NOWHERE = '0.0.0.0';

/**
 * The address the client of a request is counted by (see `networkOf`).
 *
 * X-Forwarded-For is believed only as far as proxies of our own wrote it: with n of them, the n-th entry from the right. Whatever a client writes
 * itself stands to the left of that. If the entry is missing or no address, the request counts for the socket's peer.
 *
 * @param trustedHops proxies in front of the gateway, 0 for none.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const peer = request.socket.remoteAddress ?? NOWHERE;
  if (trustedHops === 0) return networkOf(peer);
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((entry) => entry.trim());
  const entry = entries.at(-trustedHops) ?? '';
  return networkOf(isIP(entry) === 0 ? peer : entry);
}
