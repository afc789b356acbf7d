import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Groups of 16 bits in the network half of an IPv6 address. */
const NETWORK_GROUPS = 4;
/** The prefix ::ffff:0:0/96 of IPv4 addresses that are mapped into IPv6 (RFC 4291, section 2.5.5.2). */
const MAPPED_PREFIX = '0:0:0:0:0:ffff:';
const MAPPED_BITS = 96;
/** The address of a connection that has closed meanwhile: the socket does not know it any more. */
const UNKNOWN_ADDRESS: IpAddress = { family: 'ipv4', text: '0.0.0.0' };

/** A client as the limits see it. */
export interface Client {
  /** Under which the client counts: an IPv4 address, or the /64 network of an IPv6 address such as `2001:db8:0:1::`. */
  readonly key: string;
  /** Whether the operator exempts this very address from rates. */
  readonly isExempt: boolean;
}

/** An address in its one normal form. */
interface IpAddress {
  readonly family: 'ipv4' | 'ipv6';
  /** An IPv6 address as eight groups, without `::`. */
  readonly text: string;
}

/**
 * Normalises an IP address. A mapped IPv4 address, in dotted or in hexadecimal form, is the IPv4 address. Without the
 * zone of an IPv6 address, which means something only on the machine.
 *
 * @returns null if the text is not an address.
 */
function parseAddress(text: string): IpAddress | null {
  const family = isIP(text);
  if (family === 0) return null;
  if (family === 4) return { family: 'ipv4', text };
  const [withoutZone = ''] = text.split('%');
  // The URL parser writes the canonical form, where only `::` is left to expand.
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

/** Parses an entry of X-Forwarded-For: an address as it is, in brackets, or with the port that some proxies add. */
function parseForwarded(entry: string): IpAddress | null {
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return parseAddress(bare);
}

/**
 * The address of the client of a request.
 *
 * X-Forwarded-For is trusted only as far as the operator's own proxies wrote it: with n of them, the n-th entry from
 * the right. A client can only add entries to the left of that. If the entry is missing or invalid, the socket's peer
 * counts.
 */
function findAddress(request: IncomingMessage, trustedHops: number): IpAddress {
  const peer = parseAddress(request.socket.remoteAddress ?? '') ?? UNKNOWN_ADDRESS;
  if (trustedHops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((entry) => entry.trim());
  return parseForwarded(entries.at(-trustedHops) ?? '') ?? peer;
}

/**
 * An IPv4 address as it is; an IPv6 address by its /64 network, because a subscriber is given the whole network.
 *
 * @returns `203.0.113.7` or `2001:db8:0:1::`.
 */
function toKey({ family, text }: IpAddress): string {
  return family === 'ipv4' ? text : `${text.split(':').slice(0, NETWORK_GROUPS).join(':')}::`;
}

/** An address, or a network such as 192.0.2.0/24. */
interface Network extends IpAddress {
  /** Null for a single address. */
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

/** Whether an entry of RATE_LIMIT_EXEMPT_IPS is an address or a network. */
export function isNetwork(entry: string): boolean {
  return parseNetwork(entry) !== null;
}

/** Tells the clients of a server apart. */
export class ClientAddresses {
  /** One list a family: a list of both would compare an IPv4 address with IPv6 networks, as a mapped one. */
  private readonly exempt = { ipv4: new BlockList(), ipv6: new BlockList() };
  private readonly exemptsAny: boolean;

  /**
   * @param trustedHops proxies in front of the server, 0 for none.
   * @param exempt addresses and networks to which no rate applies (RATE_LIMIT_EXEMPT_IPS).
   * @throws TypeError if an entry is not one.
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

  /** The client of a request. Exemptions look at the whole address, before it is shortened to its network. */
  identifyClient(request: IncomingMessage): Client {
    const address = findAddress(request, this.trustedHops);
    const { family, text } = address;
    return { key: toKey(address), isExempt: this.exemptsAny && this.exempt[family].check(text, family) };
  }
}
