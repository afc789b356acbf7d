import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const request = (remoteAddress: string | undefined, forwarded?: string | readonly string[]) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('clientAddress', () => {
  it.each([
    ['no proxy', 0, '192.0.2.1', '203.0.113.1', '192.0.2.1'],
    ['one proxy', 1, '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['one proxy, and what the client made up', 1, '10.0.0.1', '6.6.6.6, 203.0.113.1', '203.0.113.1'],
    ['two proxies', 2, '10.0.0.2', '203.0.113.1, 10.0.0.1', '203.0.113.1'],
    ['two proxies, and what the client made up', 2, '10.0.0.2', '6.6.6.6,203.0.113.1 , 10.0.0.1', '203.0.113.1'],
    ['fewer entries than proxies', 2, '10.0.0.2', '203.0.113.1', '10.0.0.2'],
    ['an entry that is no address', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an entry with a port', 1, '10.0.0.1', '203.0.113.1:80', '10.0.0.1'],
    ['no entry', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['several headers', 1, '10.0.0.1', ['6.6.6.6', '203.0.113.1'], '203.0.113.1'],
    ['an IPv6 client', 1, '10.0.0.1', '2001:db8::1', '2001:db8:0:0::'],
    ['an IPv6 socket', 0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['a connection that ended', 0, undefined, undefined, '0.0.0.0'],
  ])('with %s', (_name, hops, peer, forwarded, address) => {
    expect(clientAddress(request(peer, forwarded), hops)).toBe(address);
  });
});
