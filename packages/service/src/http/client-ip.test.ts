import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ClientAddresses, isNetwork } from './client-ip.js';

const request = (remoteAddress: string | undefined, forwarded?: string | readonly string[]) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;
/** The client of a connection without a proxy. */
const clientAt = (address: string, exempt: readonly string[] = []) =>
  new ClientAddresses(0, exempt).identifyClient(request(address));
/** The client that a proxy of ours names. */
const clientBehind = (forwarded: string) => new ClientAddresses(1, []).identifyClient(request('10.0.0.1', forwarded));

describe('a client counts', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:CB00:7107', '203.0.113.7'],
    ['::ffff:0:0', '0.0.0.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2::', '2001:db8:1:2::'],
    ['2001:0DB8:0001:0002:0:0:0:1', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8:0:0::'],
    ['::1', '0:0:0:0::'],
    ['::', '0:0:0:0::'],
    ['fe80::1%eth0', 'fe80:0:0:0::'],
  ])('at %s under %s', (address, key) => {
    expect(clientAt(address)).toEqual({ key, isExempt: false });
    expect(clientBehind(address).key).toBe(key);
  });

  it.each([
    ['no proxy', 0, '192.0.2.1', '203.0.113.1', '192.0.2.1'],
    ['one proxy', 1, '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['one proxy, and entries that the client invented', 1, '10.0.0.1', '6.6.6.6, 203.0.113.1', '203.0.113.1'],
    ['two proxies', 2, '10.0.0.2', '203.0.113.1, 10.0.0.1', '203.0.113.1'],
    ['two proxies, and invented entries', 2, '10.0.0.2', '6.6.6.6,203.0.113.1 , 10.0.0.1', '203.0.113.1'],
    ['fewer entries than proxies', 2, '10.0.0.2', '203.0.113.1', '10.0.0.2'],
    ['an entry with a port', 1, '10.0.0.1', '203.0.113.1:80', '203.0.113.1'],
    ['an entry in brackets', 1, '10.0.0.1', '[2001:db8::1]', '2001:db8:0:0::'],
    ['an entry in brackets with a port', 1, '10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::'],
    ['a mapped entry with a port', 1, '10.0.0.1', '[::ffff:cb00:7101]:443', '203.0.113.1'],
    ['no entry', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['several headers', 1, '10.0.0.1', ['6.6.6.6', '203.0.113.1'], '203.0.113.1'],
    ['a connection that ended', 0, undefined, undefined, '0.0.0.0'],
  ])('with %s', (_name, hops, peer, forwarded, key) => {
    expect(new ClientAddresses(hops, []).identifyClient(request(peer, forwarded)).key).toBe(key);
  });

  it.each(['unknown', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '::ffff:1.2.3.400', '1.2.3.4:', '[]:80', '0x7f.1'])(
    'as its proxy when the entry is %s',
    (entry) => {
      expect(clientBehind(entry).key).toBe('10.0.0.1');
    },
  );
});

describe('an exemption', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['::ffff:10.0.0.5', '10.0.0.5', true],
    ['::ffff:10.0.0.0/104', '10.255.0.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/120', '2001:db8::fe', true],
    ['2001:db8::/120', '2001:db8::100', false],
    // A single address is exact: its network stays limited.
    ['2001:db8:1:2::7', '2001:db8:1:2::7', true],
    ['2001:db8:1:2::7', '2001:db8:1:2::8', false],
    ['::1', '::1', true],
    ['::1', '127.0.0.1', false],
    ['::1', '::ffff:203.0.113.1', false],
  ])('of %s, for a client at %s: %s', (entry, address, isExempt) => {
    expect(clientAt(address, [entry]).isExempt).toBe(isExempt);
  });

  it.each([
    '',
    'localhost',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/8/8',
    '192.0.2.0/-1',
    '2001:db8::/129',
    '::ffff:10.0.0.0/64',
    '192.0.2.1:80',
    '192.0.2',
  ])('cannot be of %s', (entry) => {
    expect(isNetwork(entry)).toBe(false);
    expect(() => new ClientAddresses(0, [entry])).toThrow(TypeError);
  });
});

describe('families', () => {
  const hex = (value: number) => value.toString(16);
  const byte = fc.nat(255);
  /** Dotted, mapped, and mapped in hexadecimal. */
  const ipv4 = fc.tuple(byte, byte, byte, byte).map(([a, b, c, d]) => {
    const [dotted, groups] = [`${a}.${b}.${c}.${d}`, `${hex(256 * a + b)}:${hex(256 * c + d)}`];
    return [dotted, `::ffff:${dotted}`, `::ffff:${groups}`, `0:0:0:0:0:FFFF:${groups}`] as const;
  });
  /** Often zero; never 0xffff, so that no address is a mapped one. */
  const group = fc.oneof(fc.constant(0), fc.nat(0xfffe));
  /** In full, in capitals, shortened, and with a zone. */
  const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => {
    const full = groups.map((value) => hex(value).padStart(4, '0')).join(':');
    const short = new URL(`http://[${full}]`).hostname.slice(1, -1);
    return [full, full.toUpperCase(), short, `${short}%eth0`] as const;
  });
  const address = fc.oneof(ipv4, ipv6);
  const form = fc.constantFrom(0, 1, 2, 3);

  it('have one client for an address in all its forms, from the socket and from a proxy', () => {
    fc.assert(
      fc.property(address, (forms) => {
        const [first] = forms;
        const half = first
          .split(':')
          .slice(0, 4)
          .map((text) => hex(parseInt(text, 16)));
        const key = first.includes(':') ? `${half.join(':')}::` : first;
        for (const text of forms) {
          const port = text.includes(':') ? `[${text}]:443` : `${text}:443`;
          const clients = [clientAt(text), clientBehind(text), clientBehind(port)];
          expect(clients.map((client) => client.key)).toEqual([key, key, key]);
        }
      }),
    );
  });

  it('exempt a single address, in any form, and no other', () => {
    fc.assert(
      fc.property(address, address, form, form, (one, other, written, seen) => {
        const exempt = [one[written]];
        expect(clientAt(one[seen], exempt).isExempt).toBe(true);
        expect(clientAt(other[seen], exempt).isExempt).toBe(one[0] === other[0]);
      }),
    );
  });

  it('never mix in networks', () => {
    fc.assert(
      fc.property(ipv4, ipv6, fc.nat(32), form, (four, six, bits, seen) => {
        expect(clientAt(six[seen], [`${four[0]}/${bits}`]).isExempt).toBe(false);
        expect(clientAt(four[seen], [`${six[0]}/${4 * bits}`]).isExempt).toBe(false);
      }),
    );
  });
});
