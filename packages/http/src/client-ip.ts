import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of 16 bits in the network half of an IPv6 address. */
const NETWORK_GROUPS = 4;
/** Limits count IPv6 clients by their /64 network, so nothing finer can be exempted. */
const FINEST_IPV6_PREFIX = 64;
/** The address of a connection that has closed meanwhile: the socket does not know it any more. */
const UNKNOWN_ADDRESS = '0.0.0.0';

/**
 * The address under which limits count a client: an IPv4 address as it is (also when mapped into IPv6), an IPv6 address
 * by its /64 network, because a subscriber is given the whole network.
 *
 * @returns `203.0.113.7` or `2001:db8:0:1::`.
 * @throws TypeError if the text is not an IP address.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) {
    if (isIP(address) !== 4) throw new TypeError(`${address} is not an IP address`);
    return address;
  }
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return networkOf(mapped);
  const [withoutZone = ''] = address.split('%');
  if (isIP(withoutZone) !== 6) throw new TypeError(`${address} is not an IP address`);
  // The URL parser writes the canonical form, where only `::` is left to expand.
  const [left = '', right] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::`;
}

/**
 * The address under which limits count the client of a request (see `networkOf`).
 *
 * X-Forwarded-For is trusted only as far as the operator's own proxies wrote it: with n of them, the n-th entry from
 * the right. A client can only add entries to the left of that. If the entry is missing or invalid, the socket's peer
 * counts.
 *
 * @param trustedHops proxies in front of the gateway, 0 for none.
 */
export function clientIp(request: IncomingMessage, trustedHops: number): string {
  const peer = request.socket.remoteAddress ?? UNKNOWN_ADDRESS;
  if (trustedHops === 0) return networkOf(peer);
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((entry) => entry.trim());
  const entry = entries.at(-trustedHops) ?? '';
  return networkOf(isIP(entry) === 0 ? peer : entry);
}

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly type: 'ipv4' | 'ipv6';
}

/** The clients to which no limit applies (RATE_LIMIT_EXEMPT_IPS). */
export class ExemptAddresses {
  private readonly list = new BlockList();
  private readonly isEmpty: boolean;

  constructor(entries: readonly string[]) {
    this.isEmpty = entries.length === 0;
    for (const entry of entries) {
      const network = parseNetwork(entry);
      if (network === null) throw new TypeError(`${entry} is neither an IP address nor a network such as 192.0.2.0/24`);
      this.list.addSubnet(network.address, network.bits, network.type);
    }
  }

  static accepts(entry: string): boolean {
    return parseNetwork(entry) !== null;
  }

  has(ip: string): boolean {
    return !this.isEmpty && this.list.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4');
  }
}

function parseNetwork(entry: string): Network | null {
  const [address = '', prefix, ...more] = entry.split('/');
  const version = isIP(address);
  const maxBits = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  const wrongBits = prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || bits > maxBits);
  if (version === 0 || wrongBits || more.length > 0) return null;
  if (version === 4) return { address, bits, type: 'ipv4' };
  if (bits < FINEST_IPV6_PREFIX) return { address, bits, type: 'ipv6' };
  return { address: networkOf(address), bits: FINEST_IPV6_PREFIX, type: 'ipv6' };
}
