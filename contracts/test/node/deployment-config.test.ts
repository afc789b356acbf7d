import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { deploymentConfigSchema } from '../../deploy/index.js';
import { addressOfDigit as at, exampleConfig } from '../example-config.js';
import { rawLocalConfig } from '../local-config.js';

const errorsOf = (input: unknown) =>
  deploymentConfigSchema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('deploymentConfigSchema', () => {
  it('takes the examples once they are filled in, and not before', () => {
    for (const environment of ['testnet', 'mainnet'] as const) {
      expect(errorsOf(exampleConfig(environment))).toBeUndefined();
      const file = new URL(`../../deploy/config/${environment}.example.json`, import.meta.url);
      expect(errorsOf(JSON.parse(readFileSync(file, 'utf8')))).toBeDefined();
    }
  });

  it('takes only limits and policies that the contracts keep', () => {
    const raw = rawLocalConfig();
    const withLimit = (limit: object) => ({
      ...raw,
      outflowLimits: { ...(raw['outflowLimits'] as object), ETH: limit },
    });
    expect(errorsOf(withLimit({ capacity: '1234567890123', windowSeconds: 1 }))).toEqual([
      'outflowLimits.ETH.capacity: must not have more than 12 significant digits',
    ]);
    expect(errorsOf(withLimit({ capacity: `${2n ** 96n}`, windowSeconds: 1 }))?.join()).toMatch(/below 2\^96/);
    expect(errorsOf(withLimit({ capacity: '1', windowSeconds: 2 ** 24 }))?.join()).toMatch(/windowSeconds/);
    const generous = { ...(raw['feePolicies'] as object), ETH: { bps: 25, minFee: '5', minAmount: '5' } };
    expect(errorsOf({ ...raw, feePolicies: generous })).toEqual(['feePolicies.ETH: minAmount must be above minFee']);
  });

  it('refuses what nobody meant: misspelt settings, the zero address', () => {
    expect(errorsOf(rawLocalConfig({ gaurdian: at(1) }))?.join()).toMatch(/gaurdian/);
    expect(errorsOf(rawLocalConfig({ treasury: at(0) }))).toEqual(['treasury: must not be the zero address']);
  });

  it('keeps the offices apart', () => {
    for (const office of ['admin', 'policyManager', 'guardian', 'treasury']) {
      expect(errorsOf(rawLocalConfig({ relayer: at(1), [office]: at(1) }))).toContain(
        'relayer: must not hold another office',
      );
    }
    expect(
      errorsOf(exampleConfig('testnet', { admin: at(1), guardian: { ethereum: at(2), partner: at(1) } })),
    ).toContain('guardian: must not be the admin');
  });

  it('wants every owner named outside the local environment, and a delay of an hour on testnet, a day on mainnet', () => {
    for (const office of ['admin', 'policyManager', 'tokens']) {
      expect(errorsOf(exampleConfig('testnet', { [office]: undefined }))).toEqual([
        `${office}: is required for testnet`,
      ]);
    }
    expect(errorsOf(exampleConfig('testnet', { adminDelaySeconds: 3_599 }))).toEqual([
      'adminDelaySeconds: must be an hour or more for testnet',
    ]);
    expect(errorsOf(exampleConfig('mainnet', { adminDelaySeconds: 86_399 }))).toEqual([
      'adminDelaySeconds: must be a day or more for mainnet',
    ]);
  });
});
