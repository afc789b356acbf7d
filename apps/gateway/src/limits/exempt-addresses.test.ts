import { describe, expect, it } from '@jest/globals';
import { ExemptAddresses } from './exempt-addresses.js';
import { networkOf } from './network-of.js';

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

  it('exempts nobody when it is empty', () => {
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
