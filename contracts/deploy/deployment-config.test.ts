import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDeploymentConfig, refuseDeployer } from './deployment-config.js';
import { addressBookSchema, deployBridge, deploymentConfigSchema, readAddressBook, verifyDeployment } from './index.js';
import {
  makeAddress as at,
  deployer,
  exampleConfig,
  exampleFile,
  LOCAL_BOOK_FILE,
  localConfig,
  rawLocalConfig,
} from '../test/node/fixtures.js';

const listErrors = (input: unknown) =>
  deploymentConfigSchema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('deploymentConfigSchema', () => {
  it('accepts the examples only when they are filled in', () => {
    for (const environment of ['testnet', 'mainnet'] as const) {
      expect(listErrors(exampleConfig(environment))).toBeUndefined();
      expect(listErrors(JSON.parse(readFileSync(exampleFile(environment), 'utf8')))).toBeDefined();
    }
  });

  it('requires two of three attesters in the mainnet example, and also accepts none', () => {
    const { attesters, ...wanted } = deploymentConfigSchema.parse(exampleConfig('mainnet'));
    expect([attesters.length, wanted.threshold, wanted.minimumThreshold]).toEqual([3, 2, 1]);
    const none = { attesters: [], threshold: 0, minimumThreshold: 0 };
    expect(listErrors(exampleConfig('mainnet', none))).toBeUndefined();
  });

  it.each([
    [
      'limits.ETH',
      { capacity: '50000000000000000001' },
      'limits.ETH.capacity: must be a multiple of 10^13, the unit of ETH',
    ],
    [
      'limits.USDC',
      { capacity: '1', maxAmount: '0' },
      'limits.USDC.capacity: must be a multiple of 10^3, the unit of USDC',
    ],
    [
      'limitCeilings.ETH',
      { capacity: `${2n ** 32n}0000000000000` },
      'limitCeilings.ETH.capacity: must be below 2^32 units of 10^13',
    ],
    ['limits.ETH', { windowSeconds: 3_601 }, /^limits.ETH.windowSeconds: .*multiple of 60/],
    ['limits.ETH', { windowSeconds: 65_536 * 60 }, /^limits.ETH.windowSeconds: Too big/],
    [
      'limits.ETH',
      { windowSeconds: 1_740 },
      'limits.ETH.windowSeconds: must not be shorter than the window of limitCeilings',
    ],
    ['limits.XCN', { capacity: `${2_000_001n * 10n ** 18n}` }, 'limits.XCN.capacity: must not be above its ceiling'],
    [
      'limits.XCN',
      { maxAmount: `${1_000_000n * 10n ** 18n + 10n ** 16n}` },
      'limits.XCN.maxAmount: must not be above its ceiling',
    ],
    [
      'limits.ETH',
      { capacity: '49990000000000000000' },
      'limits.ETH.capacity: must not be below maxAmount: such an operation could never be delivered',
    ],
    [
      'limits.USDC',
      { maxAmount: '9999000' },
      'limits.USDC.maxAmount: must not be below the minAmount of the fee policy',
    ],
    ['feePolicies.ETH', { minFee: '10000000000000000' }, 'feePolicies.ETH: minAmount must be above minFee'],
    ['feePolicies.ETH', { bps: 101 }, 'feePolicies.ETH.bps: must not be above its ceiling'],
    [
      'feePolicies.XCN',
      { minAmount: `${25_001n * 10n ** 18n}` },
      'feePolicies.XCN.minAmount: must not be above its ceiling',
    ],
    ['feeCeilings.ETH', { minAmount: `${2n ** 96n}` }, 'feeCeilings.ETH.minAmount: must be below 2^96'],
    ['feeCeilings.ETH', { bps: 10_000 }, /^feeCeilings.ETH.bps: Too big/],
  ] as const)('refuses %s with %j, which the contracts would refuse or never deliver', (path, over, reason) => {
    const [field = '', asset = ''] = path.split('.');
    const raw = rawLocalConfig();
    const given = raw[field] as Readonly<Record<string, object>>;
    const changed = { ...raw, [field]: { ...given, [asset]: { ...given[asset], ...over } } };
    expect(listErrors(changed)).toContainEqual(reason instanceof RegExp ? expect.stringMatching(reason) : reason);
  });

  it('sorts the attesters, and refuses duplicates and a threshold out of range', () => {
    const attesters = [at(9), at(8)];
    const config = deploymentConfigSchema.parse(rawLocalConfig({ attesters, threshold: 2, minimumThreshold: 1 }));
    expect(config.attesters).toEqual([at(8), at(9)]);
    expect(deploymentConfigSchema.parse(rawLocalConfig())).toMatchObject({ attesters: [], threshold: 0 });
    expect(listErrors(rawLocalConfig({ attesters: [at(8), at(8)] }))).toEqual([
      'attesters: must not name an account twice',
    ]);
    expect(listErrors(rawLocalConfig({ attesters, threshold: 3 }))).toEqual([
      'threshold: must not be above the 2 attesters',
    ]);
    expect(listErrors(rawLocalConfig({ attesters, minimumThreshold: 1 }))).toEqual([
      'threshold: must not be below minimumThreshold',
    ]);
    expect(listErrors(rawLocalConfig({ attesters: Array(10).fill(at(8)) }))?.join()).toMatch(/attesters: Too big/);
  });

  it('refuses misspelt settings and the zero address', () => {
    expect(listErrors(rawLocalConfig({ gaurdian: at(1) }))?.join()).toMatch(/gaurdian/);
    expect(listErrors(rawLocalConfig({ treasury: at(0) }))).toEqual(['treasury: must not be the zero address']);
  });

  it('refuses an account with two roles, on one chain or on both', () => {
    const roles = ['relayer', 'standby', 'admin', 'recovery', 'policyManager', 'guardian', 'treasury'];
    for (const [index, first] of roles.entries()) {
      for (const second of roles.slice(index + 1)) {
        const refused = listErrors(rawLocalConfig({ [first]: at(1), [second]: at(1) }));
        expect(refused).toEqual([`${second}: must not also be the ${first}`]);
      }
      expect(listErrors(rawLocalConfig({ [first]: at(1), attesters: [at(1)] }))).toEqual([
        `attesters: must not also be the ${first}`,
      ]);
    }
    expect(
      listErrors(exampleConfig('testnet', { admin: at(1), guardian: { ethereum: at(2), partner: at(1) } })),
    ).toContain('guardian: must not also be the admin');
  });

  it('requires outside the local environment: all owners, tokens and attesters, a delay of an hour (testnet) or a day (mainnet), and an exit window of 0 or 30 days', () => {
    for (const role of ['admin', 'tokens', 'attesters', 'threshold', 'minimumThreshold', 'exitWindowSeconds']) {
      expect(listErrors(exampleConfig('testnet', { [role]: undefined }))).toEqual([`${role}: is required for testnet`]);
    }
    expect(listErrors(exampleConfig('testnet', { adminDelaySeconds: 3_599 }))).toEqual([
      'adminDelaySeconds: must be at least an hour for testnet',
    ]);
    expect(listErrors(exampleConfig('mainnet', { adminDelaySeconds: 86_399 }))).toEqual([
      'adminDelaySeconds: must be at least a day for mainnet',
    ]);
    expect(listErrors(exampleConfig('testnet', { exitWindowSeconds: 30 * 86_400 - 1 }))).toEqual([
      'exitWindowSeconds: must be 0 or at least 30 days for testnet',
    ]);
    expect(listErrors(exampleConfig('mainnet', { exitWindowSeconds: 0 }))).toBeUndefined();
  });
});

describe('readDeploymentConfig', () => {
  it('names the placeholders of an example that is not filled in, in one line', () => {
    for (const environment of ['testnet', 'mainnet'] as const) {
      expect(() => readDeploymentConfig(exampleFile(environment), environment)).toThrow(
        /^\S+ is not filled in: replace the placeholders of relayer, standby, admin\.ethereum, .* with addresses$/,
      );
    }
  });

  it('reports in one line a file that is missing, broken, invalid, or of another environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-config-'));
    const file = join(folder, 'testnet.json');
    const reading = () => readDeploymentConfig(file, 'testnet');
    expect(reading).toThrow(/testnet\.json does not exist: fill in a copy of testnet\.example\.json$/);
    writeFileSync(file, '{');
    expect(reading).toThrow(/^\S+testnet\.json is not valid JSON: .*$/);
    writeFileSync(file, JSON.stringify(exampleConfig('testnet', { treasury: at(0), salt: '' })));
    expect(reading).toThrow(/^\S+ is not a valid configuration: salt .*; treasury must not be the zero address$/);
    writeFileSync(file, JSON.stringify(rawLocalConfig()));
    expect(reading).toThrow(/is for local, not testnet/);
    rmSync(folder, { recursive: true });
  });
});

describe('an asset in addition to those of the specification', () => {
  const page = readFileSync(new URL('../../docs/contribute/adding.md', import.meta.url), 'utf8');
  const { assets } = JSON.parse(/```json\n([^`]*)```/.exec(page)![1]!) as { assets: Record<string, object> };
  const named = (symbol: string, over: object = {}) =>
    listErrors(rawLocalConfig({ assets: { [symbol]: { ...assets['WBTC'], ...over } } }));

  it('accepts the entry that docs/contribute/adding.md shows', () => {
    expect(named('WBTC')).toBeUndefined();
  });

  it.each([
    ['wbtc', {}, /must be 1 to 12 capital letters or digits/],
    ['ABCDEFGHIJKLM', {}, /must be 1 to 12 capital letters or digits/],
    ['USDC', {}, /^assets.USDC: is already an asset of the specification/],
    ['WBTC', { unitExponent: 10 }, /limits.WBTC.maxAmount: must be a multiple of 10\^10, the unit of WBTC/],
    ['WBTC', { dust: '50000' }, /^assets.WBTC.dust: must be below the minAmount/],
    ['WBTC', { token: '0x12' }, /^assets.WBTC.token: /],
    ['WBTC', { decimals: 19 }, /^assets.WBTC.decimals: /],
  ])('is refused as %s with %j', (symbol, over, reason) => {
    expect(named(symbol, over)?.join()).toMatch(reason);
  });

  it('needs its own token on both sides of the address book', () => {
    const { ethereum, partner, ...book } = readAddressBook(LOCAL_BOOK_FILE);
    const listIssues = (onEthereum: object, onPartner: object, further: object) =>
      addressBookSchema
        .safeParse({
          ...book,
          ethereum: { ...ethereum, tokens: { ...ethereum.tokens, ...onEthereum } },
          partner: { ...partner, tokens: { ...partner.tokens, ...onPartner } },
          assets: further,
        })
        .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    const further = { WBTC: { decimals: 8, dust: '100' } };
    expect(listIssues({ WBTC: at(1) }, { WBTC: at(2) }, further)).toBeUndefined();
    expect(listIssues({ WBTC: at(1) }, {}, further)).toEqual([
      'partner.tokens.WBTC is missing, although assets names it',
    ]);
    expect(listIssues({}, { WBTC: at(2) }, {})).toEqual([
      'partner.tokens.WBTC belongs to an asset that assets does not name',
    ]);
    expect(listIssues({ WBTC: ethereum.tokens.USDC }, { WBTC: at(2) }, further)).toEqual([
      'ethereum.tokens.WBTC is also the token of USDC',
    ]);
  });
});

const strangers = { ethereum: at(14), partner: at(15) };
const testnet = (over: object = {}) => deploymentConfigSchema.parse(exampleConfig('testnet', over));

describe('refuseDeployer', () => {
  it.each(['admin', 'policyManager', 'guardian'])('refuses a deployer that is the %s on either chain', (role) => {
    const [here, there] = [`0x${'1a'.repeat(20)}`, `0x${'1b'.repeat(20)}`] as const;
    const config = testnet({ [role]: { ethereum: here, partner: there } });
    expect(() => refuseDeployer(config, strangers)).not.toThrow();
    const reason = new RegExp(`must not be the ${role} of testnet`);
    expect(() => refuseDeployer(config, { ...strangers, ethereum: here })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...strangers, ethereum: there })).toThrow(reason);
    expect(() => refuseDeployer(config, { ...strangers, partner: here })).toThrow(reason);
  });

  it.each(['relayer', 'standby', 'treasury'])('refuses a deployer that is the %s', (role) => {
    expect(() => refuseDeployer(testnet({ [role]: at(14) }), strangers)).toThrow(`must not be the ${role} of testnet`);
  });

  it('allows the deployer of a local environment to be only its admin', () => {
    expect(() => refuseDeployer(localConfig({ admin: at(14) }), strangers)).not.toThrow();
    expect(() => refuseDeployer(localConfig({ guardian: at(14) }), strangers)).toThrow(
      /must not be the guardian of local/,
    );
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
