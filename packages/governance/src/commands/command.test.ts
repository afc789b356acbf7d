import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OptionError } from './command.js';
import { ADMIN_COMMANDS, findCommand } from './registry.js';

const policy = { asset: 'ETH', rate: '0.3%', 'min-fee': '0.003 ETH', 'min-amount': '0.02 ETH' };

function catchError(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('the options of a command', () => {
  it.each([
    ['set-policy', { ...policy, rate: '30' }, 'rate', /is not a rate/],
    ['set-policy', { ...policy, 'min-fee': '3 USDC' }, 'min-fee', /an amount of USDC, but the asset is ETH/],
    ['set-policy', { ...policy, fee: '1' }, 'fee', /is not an option of set-policy, which has asset, rate/],
    ['set-policy', { asset: 'ETH' }, 'rate', /is required/],
    ['set-policy', { ...policy, asset: 'DAI' }, 'asset', /must be one of ETH, USDC, XCN/],
    ['set-treasury', { to: '0x12' }, 'to', /must be an address/],
    ['set-treasury', { to: '0x12', constructor: 'x' }, 'constructor', /is not an option/],
    ['set-attesters', { attesters: 'none', threshold: '10' }, 'threshold', /from 0 to 9/],
    ['set-attesters', { attesters: 'none', threshold: '0', proofs: 'none,0x12' }, 'proofs', /does not print: none/],
    ['pause', { direction: 'both', 'without-end': 'true' }, 'without-end', /must be one of yes, no/],
    ['top-up', { chain: 'partner', amount: '0 XCN' }, 'amount', /must be above zero/],
    ['set-limit', { asset: 'ETH', chain: 'both', capacity: '1 ETH', window: '1h' }, 'chain', /must be one of/],
  ] as const)('%s %j: %s is refused', (name, options, option, reason) => {
    const error = catchError(() => findCommand(name).read(options));
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toMatchObject({ option, reason: expect.stringMatching(reason) });
  });

  it('default to both chains, and to no for a switch', () => {
    expect(findCommand('pause').read({ direction: 'both' }).chains).toEqual(['ethereum', 'partner']);
    expect(findCommand('set-policy').read(policy).chains).toEqual(['partner']);
  });

  it('match the operators’ reference: every command with its role', () => {
    const page = readFileSync(new URL('../../../../docs/operate/reference.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (`causeway-admin .*?) +\| ([a-z ]*[a-z]) +\|/gm)];
    const documented = rows.flatMap(([, calls = '', role]) =>
      [...calls.matchAll(/`causeway-admin ([a-z-]+)/g)].map(([, name]) => `${name}: ${role}`),
    );
    const expected = ADMIN_COMMANDS.map(({ name, role }) => `${name}: ${role}`);
    // The admin may also pause, without an end.
    expect(new Set(documented)).toEqual(new Set([...expected, 'pause: admin']));
  });

  it('belong to commands with unique names', () => {
    const names = ADMIN_COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(() => findCommand('steal')).toThrow(/must be one of pause, unpause/);
  });
});
