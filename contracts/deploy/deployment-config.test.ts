import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDeploymentConfig, refuseDeployer } from './deployment-config.js';
import { deployBridge, deploymentConfigSchema, readAddressBook, verifyDeployment } from './index.js';
import {
  addressOfDigit as at,
  deployer,
  exampleConfig,
  exampleFile,
  LOCAL_BOOK_FILE,
  localConfig,
  rawLocalConfig,
} from '../test/node/fixtures.js';

const errorsOf = (input: unknown) =>
  deploymentConfigSchema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('deploymentConfigSchema', () => {
  it('accepts the examples once they are filled in, and not before', () => {
    for (const environment of ['testnet', 'mainnet'] as const) {
      expect(errorsOf(exampleConfig(environment))).toBeUndefined();
      expect(errorsOf(JSON.parse(readFileSync(exampleFile(environment), 'utf8')))).toBeDefined();
    }
  });

  it('accepts only limits and policies that the contracts can store', () => {
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

  it('refuses misspelt settings and the zero address', () => {
    expect(errorsOf(rawLocalConfig({ gaurdian: at(1) }))?.join()).toMatch(/gaurdian/);
    expect(errorsOf(rawLocalConfig({ treasury: at(0) }))).toEqual(['treasury: must not be the zero address']);
  });

  it('refuses an account with two roles', () => {
    for (const role of ['admin', 'policyManager', 'guardian', 'treasury']) {
      expect(errorsOf(rawLocalConfig({ relayer: at(1), [role]: at(1) }))).toContain(
        'relayer: must not hold another role',
      );
    }
    expect(
      errorsOf(exampleConfig('testnet', { admin: at(1), guardian: { ethereum: at(2), partner: at(1) } })),
    ).toContain('guardian: must not be the admin');
  });

  it('requires every owner outside the local environment, and a delay of an hour (testnet) or a day (mainnet)', () => {
    for (const role of ['admin', 'policyManager', 'tokens']) {
      expect(errorsOf(exampleConfig('testnet', { [role]: undefined }))).toEqual([`${role}: is required for testnet`]);
    }
    expect(errorsOf(exampleConfig('testnet', { adminDelaySeconds: 3_599 }))).toEqual([
      'adminDelaySeconds: must be an hour or more for testnet',
    ]);
    expect(errorsOf(exampleConfig('mainnet', { adminDelaySeconds: 86_399 }))).toEqual([
      'adminDelaySeconds: must be a day or more for mainnet',
    ]);
  });
});

describe('readDeploymentConfig', () => {
  it('names the placeholders of an example that is not filled in, in one line', () => {
    for (const environment of ['testnet', 'mainnet'] as const) {
      expect(() => readDeploymentConfig(exampleFile(environment), environment)).toThrow(
        /^\S+ is not filled in: replace the placeholders of relayer, admin\.ethereum, .* by addresses$/,
      );
    }
  });

  it('says in one line that a file is missing, broken, invalid, or of another environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-config-'));
    const file = join(folder, 'testnet.json');
    const reading = () => readDeploymentConfig(file, 'testnet');
    expect(reading).toThrow(/testnet\.json does not exist: copy deploy\/config\/testnet\.example\.json to it/);
    writeFileSync(file, '{');
    expect(reading).toThrow(/^\S+testnet\.json is not valid JSON: .*$/);
    writeFileSync(file, JSON.stringify(exampleConfig('testnet', { treasury: at(0), salt: '' })));
    expect(reading).toThrow(/^\S+ is not a valid configuration: salt .*; treasury must not be the zero address$/);
    writeFileSync(file, JSON.stringify(rawLocalConfig()));
    expect(reading).toThrow(/is for local, not testnet/);
    rmSync(folder, { recursive: true });
  });
});

const nobody = { ethereum: at(14), partner: at(15) };
const testnet = (over: object = {}) => deploymentConfigSchema.parse(exampleConfig('testnet', over));

describe('refuseDeployer', () => {
  it.each(['admin', 'policyManager', 'guardian'])('refuses a deployer that is %s of either chain', (role) => {
    const config = testnet({ [role]: { ethereum: at(12), partner: at(13) } });
    expect(() => refuseDeployer(config, nobody)).not.toThrow();
    const reason = new RegExp(`must not be the ${role} of testnet`);
    expect(() => refuseDeployer(config, { ...nobody, ethereum: at(12) })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...nobody, ethereum: at(13) })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...nobody, partner: at(12) })).toThrow(reason);
  });

  it.each(['relayer', 'treasury'])('refuses a deployer that is %s', (role) => {
    expect(() => refuseDeployer(testnet({ [role]: at(14) }), nobody)).toThrow(/must not be the (relayer|treasury)/);
  });

  it('allows a deployer with roles in the local environment', () => {
    const config = localConfig({ guardian: at(14), treasury: at(14) });
    expect(() => refuseDeployer(config, nobody)).not.toThrow();
  });

  it('runs before anything is sent, and again in the verification', async () => {
    const config = testnet({ guardian: deployer.address });
    const target = { wallet: { account: deployer } } as Parameters<typeof deployBridge>[0]['ethereum'];
    await expect(deployBridge({ config, ethereum: target, partner: target })).rejects.toThrow(
      /must not be the guardian/,
    );
    const deployers = { ethereum: deployer.address, partner: deployer.address };
    const book = readAddressBook(LOCAL_BOOK_FILE);
    const input = { book, config, deployers, ethereum: target, partner: target };
    await expect(verifyDeployment(input)).rejects.toThrow(/must not be the guardian/);
  });
});
