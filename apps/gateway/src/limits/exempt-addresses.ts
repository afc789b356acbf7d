import { BlockList, isIP } from 'node:net';
import { networkOf } from './network-of.js';

/** IPv6 clients are told apart by their /64 network only, so nothing finer can be exempted. */
const FINEST_IPV6_PREFIX = 64;

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly type: 'ipv4' | 'ipv6';
}

/** The clients to whom no limit applies (RATE_LIMIT_EXEMPT_IPS). */
export class ExemptAddresses {
  readonly #list = new BlockList();
  readonly #empty: boolean;

  /**
   * @param entries addresses and CIDR networks.
   * @throws TypeError that names the entry that is neither.
   */
  constructor(entries: readonly string[]) {
    this.#empty = entries.length === 0;
    for (const entry of entries) {
      const network = readNetwork(entry);
      if (network === null) throw new TypeError(`${entry} is neither an IP address nor a network such as 192.0.2.0/24`);
      this.#list.addSubnet(network.address, network.bits, network.type);
    }
  }

  /** Whether an entry is an IP address or a CIDR network. */
  static accepts(entry: string): boolean {
    return readNetwork(entry) !== null;
  }

  /** @param ip as `networkOf` writes it. */
  has(ip: string): boolean {
    return !this.#empty && this.#list.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4');
  }
}

function readNetwork(entry: string): Network | null {
  const [address = '', prefix, ...more] = entry.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : Number(prefix);
  const wrongBits = prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || bits > most);
  if (version === 0 || wrongBits || more.length > 0) return null;
  if (version === 4) return { address, bits, type: 'ipv4' };
  if (bits < FINEST_IPV6_PREFIX) return { address, bits, type: 'ipv6' };
  return { address: networkOf(address), bits: FINEST_IPV6_PREFIX, type: 'ipv6' };
}
