import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Groups of 16 bits in the network half of an IPv6 address. */
const NETWORK_GROUPS = 4;
/** The prefix ::ffff:0:0/96 of IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2). */
const MAPPED_PREFIX = '0:0:0:0:0:ffff:';
const MAPPED_BITS = 96;
/** The address of a closed connection, whose socket has none. */
const UNKNOWN_ADDRESS: IpAddress = { family: 'ipv4', text: '0.0.0.0' };

/** A client for rate limiting. */
export interface Client {
  /** Rate-limit key: an IPv4 address, or the /64 network of an IPv6 address such as `2001:db8:0:1::`. */
  readonly key: string;
  /** True if the operator exempts this exact address from rates. */
  readonly isExempt: boolean;
}

/** A normalized IP address. */
interface IpAddress {
  readonly family: 'ipv4' | 'ipv6';
  /** IPv6 has eight groups, without `::`. */
  readonly text: string;
}

/**
 * Normalizes an IP address. An IPv4-mapped address, dotted or hexadecimal, becomes the IPv4 address. The zone of an
 * IPv6 address is removed, since it is local to the machine.
 *
 * @returns null if the text is not an address.
 */
function parseAddress(text: string): IpAddress | null {
  const family = isIP(text);
  if (family === 0) return null;
  if (family === 4) return { family: 'ipv4', text };
  const [withoutZone = ''] = text.split('%');
  // The URL parser returns the canonical form, in which only `::` remains to be expanded.
  const [left = '', right] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail].join(':');
  if (!groups.startsWith(MAPPED_PREFIX)) return { family: 'ipv6', text: groups };
  const bytes = groups
    .split(':')
    .slice(-2)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) % 256]);
  return { family: 'ipv4', text: bytes.join('.') };
}

/** Parses an entry of X-Forwarded-For: an address, optionally in brackets or with the port that some proxies add. */
function parseForwarded(entry: string): IpAddress | null {
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return parseAddress(bare);
}

/**
 * Finds the client address of a request.
 *
 * X-Forwarded-For is trusted only for entries written by the operator's own proxies: with n proxies, the n-th entry
 * from the right. A client can only add entries to its left. If the entry is missing or invalid, the socket's peer is
 * used.
 */
function findAddress(request: IncomingMessage, trustedHops: number): IpAddress {
  const peer = parseAddress(request.socket.remoteAddress ?? '') ?? UNKNOWN_ADDRESS;
  if (trustedHops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((entry) => entry.trim());
  return parseForwarded(entries.at(-trustedHops) ?? '') ?? peer;
}

/**
 * Returns an IPv4 address unchanged and an IPv6 address as its /64 network, because a subscriber owns the network.
 *
 * @returns `203.0.113.7` or `2001:db8:0:1::`.
 */
function toKey({ family, text }: IpAddress): string {
  return family === 'ipv4' ? text : `${text.split(':').slice(0, NETWORK_GROUPS).join(':')}::`;
}

/** An address, or a network such as 192.0.2.0/24. */
interface Network extends IpAddress {
  /** Prefix length; null for a single address. */
  readonly bits: number | null;
}

function parseNetwork(entry: string): Network | null {
  const [, text = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = parseAddress(text);
  if (address === null || prefix === undefined) return address === null ? null : { ...address, bits: null };
  const isMapped = address.family === 'ipv4' && text.includes(':');
  const bits = Number(prefix) - (isMapped ? MAPPED_BITS : 0);
  return bits < 0 || bits > (address.family === 'ipv4' ? 32 : 128) ? null : { ...address, bits };
}

/** Returns whether an entry of RATE_LIMIT_EXEMPT_IPS is an address or a network. */
export function isNetwork(entry: string): boolean {
  return parseNetwork(entry) !== null;
}

/** Identifies the clients of a server. */
export class ClientAddresses {
  /** One list per family, because a mixed list would match IPv4 addresses against IPv6 networks as mapped addresses. */
  private readonly exempt = { ipv4: new BlockList(), ipv6: new BlockList() };
  private readonly exemptsAny: boolean;

  /**
   * @param trustedHops proxies in front of the server, 0 for none.
   * @param exempt addresses and networks without rates (RATE_LIMIT_EXEMPT_IPS).
   * * @throws TypeError for an invalid entry.
   */
  constructor(
    private readonly trustedHops: number,
    exempt: readonly string[],
  ) {
    this.exemptsAny = exempt.length > 0;
    for (const entry of exempt) {
      const network = parseNetwork(entry);
      if (network === null) throw new TypeError(`${entry} is neither an IP address nor a network such as 192.0.2.0/24`);
      const { family, text, bits } = network;
      if (bits === null) this.exempt[family].addAddress(text, family);
      else this.exempt[family].addSubnet(text, bits, family);
    }
  }

  /** Identifies the client of a request. Exemptions apply to the full address, not to its network. */
  identifyClient(request: IncomingMessage): Client {
    const address = findAddress(request, this.trustedHops);
    const { family, text } = address;
    return { key: toKey(address), isExempt: this.exemptsAny && this.exempt[family].check(text, family) };
  }
}
