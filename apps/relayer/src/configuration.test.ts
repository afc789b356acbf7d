import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describeVariables } from '@causeway/service/configuration';
import { anAddressBook } from '@causeway/test-kit';
import { readConfiguration, relayerVariables } from './configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'causeway-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ADDRESS_BOOK = join(directory, 'book.json');
const book = anAddressBook();
writeFileSync(ADDRESS_BOOK, JSON.stringify(book));

const good = {
  ENVIRONMENT: 'local',
  DATABASE_URL: 'postgresql://localhost/causeway',
  ETHEREUM_RPC_URLS: 'http://127.0.0.1:1, http://127.0.0.1:2',
  PARTNER_RPC_URLS: 'http://127.0.0.1:3',
  ADDRESS_BOOK,
  RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
};

describe('readConfiguration', () => {
  it('reads the name shown in the lease', () => {
    expect(readConfiguration({ ...good, RELAYER_NAME: 'relayer-2' }).name).toBe('relayer-2');
    expect(() => readConfiguration({ ...good, RELAYER_NAME: 'a:b' })).toThrow('RELAYER_NAME must have 1 to 63 letters');
  });

  it('uses the defaults of the specification; an empty variable counts as not set', () => {
    expect(readConfiguration({ ...good, HOLD_SECONDS: '', LEASE_MS: '' })).toEqual({
      environment: 'local',
      databaseUrl: good.DATABASE_URL,
      ethereumNodes: { urls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'], headUrls: [], quorum: 2, warning: null },
      partnerNodes: { urls: ['http://127.0.0.1:3'], headUrls: [], quorum: 1, warning: null },
      mirrorUrls: [],
      addressBook: book,
      wallets: [book.relayer],
      paidForWallets: [],
      signer: { kind: 'raw', privateKey: good.RELAYER_PRIVATE_KEY },
      approvals: { operators: [], rootAdmins: [], oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n } },
      notifications: { environment: 'local', docsUrl: 'docs', mail: null, chat: null, pager: null },
      retention: {
        rawTransactions: null,
        journal: null,
        notifications: 30,
        requests: null,
        verdicts: null,
        audit: null,
      },
      ethereumConfirmations: 12,
      partnerConfirmations: 6,
      blockSeconds: { ethereum: 12, partner: 2 },
      holdSeconds: 3_600,
      pollMs: 1_000,
      name: hostname(),
      leaseMs: 6_000,
      reconcileQuietMs: 600_000,
      replaceAfterMs: 60_000,
      retireAfterMs: 3_600_000,
      spendingLimits: {
        ethereum: {
          gasReserve: 10n ** 17n,
          maxFeePerGas: 500_000_000_000n,
          maxFeePerDelivery: 10n ** 17n,
          maxDailyFees: 10n ** 19n,
        },
        partner: {
          gasReserve: 10n ** 22n,
          maxFeePerGas: 500_000_000_000n,
          maxFeePerDelivery: 10n ** 20n,
          maxDailyFees: 10n ** 22n,
        },
      },
      metrics: null,
      exchange: null,
      tracing: null,
      logLevel: 'info',
    });
  });

  it('quotes with the block times that the API uses for estimates', () => {
    const given = { ETHEREUM_BLOCK_SECONDS: '1', PARTNER_BLOCK_SECONDS: '0.5' };
    expect(readConfiguration({ ...good, ...given }).blockSeconds).toEqual({ ethereum: 1, partner: 0.5 });
  });

  it('reports each missing or invalid variable in one line, without its value', () => {
    const wrong = {
      ...good,
      POLL_MS: '49',
      KEEP_JOURNAL_DAYS: '29',
      RELAYER_PRIVATE_KEY: '0x5ec7e7',
      ETHEREUM_RPC_URLS: '',
    };
    expect(() => readConfiguration(wrong)).toThrow(
      [
        'The configuration is invalid (--help lists all variables):',
        'ETHEREUM_RPC_URLS is not set; it must be http://, https://, ws:// or wss:// addresses, separated by commas',
        'RELAYER_PRIVATE_KEY must be 0x and 64 hex digits',
        'POLL_MS must be a whole number of at least 50',
        'KEEP_JOURNAL_DAYS must be a whole number of at least 30',
      ].join('\n'),
    );
  });

  it('rejects an address book of another environment', () => {
    expect(() => readConfiguration({ ...good, ENVIRONMENT: 'testnet' })).toThrow(
      /\nADDRESS_BOOK must be of the environment testnet/,
    );
  });

  it.each([
    ['testnet', 11_155_111, 8_901],
    ['mainnet', 1, 327],
  ])('accepts %s with its address book and any signer except a raw key', (environment, ethereum, partner) => {
    const file = join(directory, `${environment}.json`);
    const chains = {
      ethereum: { ...book.ethereum, chainId: ethereum },
      partner: { ...book.partner, chainId: partner },
    };
    writeFileSync(file, JSON.stringify({ ...book, environment, ...chains }));
    const variables = { ...good, ENVIRONMENT: environment, ADDRESS_BOOK: file, PARTNER_QUORUM: '1' };
    const keystore = {
      ...variables,
      RELAYER_PRIVATE_KEY: '',
      RELAYER_KEYSTORE: 'a',
      RELAYER_KEYSTORE_PASSWORD_FILE: 'b',
    };
    expect(readConfiguration(keystore)).toMatchObject({ environment, signer: { kind: 'keystore' } });
    expect(() => readConfiguration({ ...keystore, RECONCILE_QUIET_MS: '599999' })).toThrow(
      /\nRECONCILE_QUIET_MS must be at least 600000/,
    );
    expect(() => readConfiguration(variables)).toThrow(/\nRELAYER_PRIVATE_KEY is for the environment local only/);
  });

  it('refuses refunds with one approval beside attesters, which require two', () => {
    expect(readConfiguration({ ...good, REFUND_ONE_APPROVAL_XCN: '1' }).exchange).toBeNull();
    const both = { ...good, ATTEST_PORT: '0', REFUND_ONE_APPROVAL_XCN: '1' };
    expect(() => readConfiguration(both)).toThrow(/\nREFUND_ONE_APPROVAL_\* must be 0 while ATTEST_PORT is set/);
  });

  it('reads former wallets in lower case, and mirrors of different hosts', () => {
    const former = `0x${'AB'.repeat(20)}`;
    const mirrors = 'https://one.example/mirror, http://two.example';
    const { wallets, paidForWallets, mirrorUrls } = readConfiguration({
      ...good,
      FORMER_WALLETS: `${former}, ${book.relayer}`,
      PAY_FOR_WALLETS: former,
      MIRROR_URL: mirrors,
    });
    expect(wallets).toEqual([book.relayer, former.toLowerCase()]);
    expect(paidForWallets).toEqual([former.toLowerCase()]);
    expect(mirrorUrls).toEqual(['https://one.example/mirror', 'http://two.example']);
    for (const wrong of [
      { FORMER_WALLETS: '0x12' },
      { PAY_FOR_WALLETS: '0x12' },
      { MIRROR_URL: 'ws://one.example' },
      { MIRROR_URL: 'http://a/1,http://a/2' },
    ])
      expect(() => readConfiguration({ ...good, ...wrong })).toThrow(Object.keys(wrong)[0]);
  });

  it('describes the purpose and values of every variable, and never shows a secret', () => {
    for (const { name, purpose, accepted, isSecret } of describeVariables(relayerVariables)) {
      expect([name, purpose, accepted]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        expect.not.stringMatching(/^$|expected/),
      ]);
      try {
        readConfiguration({ ...good, [name]: '\tsecret' });
      } catch (error) {
        expect(isSecret && (error as Error).message.includes('secret')).toBe(false);
      }
    }
  });
});
