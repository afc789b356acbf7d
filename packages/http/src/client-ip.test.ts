import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientIp, ExemptAddresses, networkOf } from './client-ip.js';

const request = (remoteAddress: string | undefined, forwarded?: string | readonly string[]) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2::', '2001:db8:1:2::'],
    ['2001:0DB8:0001:0002:0:0:0:1', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8:0:0::'],
    ['::1', '0:0:0:0::'],
    ['::', '0:0:0:0::'],
    ['fe80::1%eth0', 'fe80:0:0:0::'],
  ])('counts %s under %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '::ffff:1.2.3.400', '1.2.3.4:80', '[::1]'])(
    'refuses %s',
    (text) => {
      expect(() => networkOf(text)).toThrow(TypeError);
    },
  );
});

describe('clientIp', () => {
  it.each([
    ['no proxy', 0, '192.0.2.1', '203.0.113.1', '192.0.2.1'],
    ['one proxy', 1, '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['one proxy, and entries that the client invented', 1, '10.0.0.1', '6.6.6.6, 203.0.113.1', '203.0.113.1'],
    ['two proxies', 2, '10.0.0.2', '203.0.113.1, 10.0.0.1', '203.0.113.1'],
    [
      'two proxies, and entries that the client invented',
      2,
      '10.0.0.2',
      '6.6.6.6,203.0.113.1 , 10.0.0.1',
      '203.0.113.1',
    ],
    ['fewer entries than proxies', 2, '10.0.0.2', '203.0.113.1', '10.0.0.2'],
    ['an entry that is not an address', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an entry with a port', 1, '10.0.0.1', '203.0.113.1:80', '10.0.0.1'],
    ['no entry', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['several headers', 1, '10.0.0.1', ['6.6.6.6', '203.0.113.1'], '203.0.113.1'],
    ['an IPv6 client', 1, '10.0.0.1', '2001:db8::1', '2001:db8:0:0::'],
    ['an IPv6 socket', 0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['a connection that ended', 0, undefined, undefined, '0.0.0.0'],
  ])('with %s', (_name, hops, peer, forwarded, address) => {
    expect(clientIp(request(peer, forwarded), hops)).toBe(address);
  });
});

describe('ExemptAddresses', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    // A client is its /64 network, so one address of it stands for all.
    ['2001:db8:1:2::7', '2001:db8:1:2::8', true],
    ['2001:db8:1:2::7', '2001:db8:1:3::7', false],
    ['::1', '::1', true],
  ])('with %s, %s is exempt: %s', (entry, address, exempt) => {
    expect(new ExemptAddresses([entry]).has(networkOf(address))).toBe(exempt);
  });

  it('exempts no client when it is empty', () => {
    expect(new ExemptAddresses([]).has('127.0.0.1')).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/8/8',
    '192.0.2.0/-1',
    '2001:db8::/129',
    '192.0.2',
  ])('does not accept %s', (entry) => {
    expect(ExemptAddresses.accepts(entry)).toBe(false);
    expect(() => new ExemptAddresses([entry])).toThrow(TypeError);
  });
});
