import { isIP } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of 16 bits in the half of an IPv6 address that names the network. */
const NETWORK_GROUPS = 4;

/**
 * The address a client is counted by: an IPv4 address as it is (also when it comes mapped into IPv6), an IPv6 address by its /64 network, because
 * whoever has one address of it has all.
 *
 * @returns `203.0.113.7` or `2001:db8:0:1::`.
 * @throws TypeError if it is no IP address.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) {
    if (isIP(address) !== 4) throw new TypeError(`${address} is no IP address`);
    return address;
  }
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return networkOf(mapped);
  const [withoutZone = ''] = address.split('%');
  if (isIP(withoutZone) !== 6) throw new TypeError(`${address} is no IP address`);
  // The URL parser writes it in its one canonical form, where only `::` is left to spell out.
  const [left = '', right] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::`;
}
