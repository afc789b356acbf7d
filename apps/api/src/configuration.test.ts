import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describeVariables } from '@causeway/service/configuration';
import { anAddressBook } from '@causeway/test-kit';
import { apiVariables, readConfiguration } from './configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'causeway-api-configuration-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ADDRESS_BOOK = join(directory, 'book.json');
const book = anAddressBook();
writeFileSync(ADDRESS_BOOK, JSON.stringify(book));
const valid = {
  ENVIRONMENT: 'local',
  DATABASE_URL: 'postgresql://user:secret@localhost:5432/causeway',
  ETHEREUM_RPC_URLS: 'http://127.0.0.1:8545, https://node.example/key',
  PARTNER_RPC_URLS: 'http://127.0.0.1:7546',
  ADDRESS_BOOK,
};

describe('readConfiguration', () => {
  it('takes defaults from the environment profile, and treats an empty variable as unset', () => {
    expect(readConfiguration({ ...valid, HOLD_SECONDS: '', PORT: '' })).toEqual({
      databaseUrl: valid.DATABASE_URL,
      ethereumNodes: {
        urls: ['http://127.0.0.1:8545', 'https://node.example/key'],
        headUrls: [],
        quorum: 2,
        warning: null,
      },
      partnerNodes: { urls: ['http://127.0.0.1:7546'], headUrls: [], quorum: 1, warning: null },
      mirrorUrls: [],
      addressBook: book,
      host: '127.0.0.1',
      port: 3_000,
      docsUrl: 'docs',
      docsFolder: null,
      webFolder: null,
      publicOrigin: 'http://127.0.0.1:3000',
      publicChains: { ethereum: { rpcUrls: [], explorerUrls: [] }, partner: { rpcUrls: [], explorerUrls: [] } },
      trustedProxyHops: 0,
      rateLimits: { requestsPerSecond: 20, requestsPerMinute: 600, intentsPerMinute: 30, exemptAddresses: [] },
      redisUrl: null,
      mostOpenIntentsOfClient: 1_000,
      events: { streamsPerClient: 10, heartbeatMs: 15_000 },
      admin: null,
      oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n },
      corsOrigins: ['*'],
      http: {
        requestTimeoutMs: 10_000,
        idleTimeoutMs: 72_000,
        shutdownDelayMs: 5_000,
        shutdownTimeoutMs: 10_000,
      },
      metrics: null,
      tracing: null,
      timing: {
        ethereumConfirmations: 12,
        partnerConfirmations: 6,
        holdSeconds: 3_600,
        blockSeconds: { ethereum: 12, partner: 2 },
      },
      stillAfterSeconds: null,
      logLevel: 'info',
    });
  });

  it('prefers explicit variables to those defaults', () => {
    const given = { HOLD_SECONDS: '0', ETHEREUM_CONFIRMATIONS: '2', PARTNER_BLOCK_SECONDS: '0.5', PORT: '0' };
    expect(readConfiguration({ ...valid, ...given })).toMatchObject({
      port: 0,
      timing: { ethereumConfirmations: 2, holdSeconds: 0, blockSeconds: { ethereum: 12, partner: 0.5 } },
    });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', 'hello'],
    ['RATE_LIMIT_EXEMPT_IPS', '10.0.0.0/33'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['CORS_ORIGINS', 'https://app.example/'],
    ['PUBLIC_ORIGIN', 'https://bridge.example/api'],
    ['PUBLIC_PARTNER_RPC_URLS', 'rpc.example'],
    ['PUBLIC_PARTNER_RPC_URLS', 'https://api:key@rpc.example'],
    ['PARTNER_BLOCK_SECONDS', '-2'],
    ['ETHEREUM_BLOCK_SECONDS', 'soon'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readConfiguration({ ...valid, [name]: value })).toThrow(new RegExp(`--help.*\n${name} must [^\n]+$`));
  });

  it('refuses the address book of another environment', () => {
    expect(() => readConfiguration({ ...valid, ENVIRONMENT: 'testnet' })).toThrow(
      /\nADDRESS_BOOK must be of the environment testnet/,
    );
  });

  it('describes the purpose and values of every variable, and never shows a secret', () => {
    for (const { name, purpose, accepted, isSecret } of describeVariables(apiVariables)) {
      expect([name, purpose, accepted]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        expect.not.stringMatching(/^$|expected/),
      ]);
      try {
        readConfiguration({ ...valid, [name]: '\tsecret' });
      } catch (error) {
        expect(isSecret && (error as Error).message.includes('secret')).toBe(false);
      }
    }
  });
});
