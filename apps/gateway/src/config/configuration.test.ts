import { describe, expect, it } from '@jest/globals';
import { describeVariables } from '@causeway/service/configuration';
import { readConfiguration } from './configuration.js';
import { gatewayVariables } from './environment.js';

const upstream = { BACKEND: 'upstream', UPSTREAM_URLS: 'http://127.0.0.1:8545, https://node.example/key' };

const message = (variables: NodeJS.ProcessEnv): string => {
  try {
    readConfiguration(variables);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('readConfiguration', () => {
  it('has the defaults of the specification', () => {
    expect(readConfiguration({ DATA_DIRECTORY: '/var/lib/chain' })).toMatchObject({
      host: '127.0.0.1',
      port: 8545,
      backend: {
        kind: 'embedded',
        chainId: 8901,
        dataDirectory: '/var/lib/chain',
        genesisFile: null,
        blockIntervalMs: 2_000,
        lazyAccountGas: 566_000n,
        confirmations: 6,
      },
      rateLimits: { callsPerSecond: 100, callsPerMinute: 3_000, exemptAddresses: [] },
      batchLimit: 100,
      bodyLimit: 1_048_576,
      trustedProxyHops: 0,
      redisUrl: null,
      webSocket: { connectionsPerAddress: 10 },
      corsOrigins: ['*'],
      metrics: null,
      logLevel: 'info',
    });
  });

  it('reads lists', () => {
    const configuration = readConfiguration({
      ...upstream,
      RATE_LIMIT_EXEMPT_IPS: '10.0.0.0/8, ::1 ,',
      CORS_ORIGINS: 'https://a.example,http://localhost:3000',
    });
    expect(configuration.backend).toMatchObject({ urls: ['http://127.0.0.1:8545', 'https://node.example/key'] });
    expect(configuration.rateLimits.exemptAddresses).toEqual(['10.0.0.0/8', '::1']);
    expect(configuration.corsOrigins).toEqual(['https://a.example', 'http://localhost:3000']);
  });

  it('passes the parameters of the chain to either backend', () => {
    expect(readConfiguration({ ...upstream, CONFIRMATIONS: '12' }).backend).toMatchObject({ confirmations: 12 });
    const embedded = readConfiguration({ CONFIRMATIONS: '12', LAZY_ACCOUNT_GAS: '610000' });
    expect(embedded.backend).toMatchObject({ confirmations: 12, lazyAccountGas: 610_000n });
  });

  it('takes every chain id up to 2^53 - 1', () => {
    const read = (CHAIN_ID: string) => readConfiguration({ CHAIN_ID }).backend.chainId;
    expect(read('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => read('9007199254740992')).toThrow('CHAIN_ID');
  });

  it('treats an empty variable as unset', () => {
    expect(readConfiguration({ ...upstream, REDIS_URL: '', METRICS_PORT: '', PORT: '' })).toMatchObject({
      redisUrl: null,
      metrics: null,
      port: 8545,
    });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '0x10'],
    ['PORT', ' 1'],
    ['PORT', '-1'],
    ['PORT', '1e3'],
    ['CHAIN_ID', '0'],
    ['BACKEND', 'both'],
    ['UPSTREAM_URLS', 'ws://127.0.0.1'],
    ['UPSTREAM_URLS', 'nonsense'],
    ['UPSTREAM_URLS', ','],
    ['RATE_LIMIT_PER_SECOND', '1.5'],
    ['RATE_LIMIT_EXEMPT_IPS', '10.0.0.0/33'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['BODY_LIMIT_BYTES', '1'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['CORS_ORIGINS', 'a.example'],
    ['METRICS_PORT', 'yes'],
    ['HTTP_IDLE_TIMEOUT_MS', '30000'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s by its name', (name, value) => {
    expect(() => readConfiguration({ ...upstream, [name]: value })).toThrow(name);
  });

  it('does not repeat values that may be secrets', () => {
    expect(() => readConfiguration({ ...upstream, UPSTREAM_URLS: 'wss://node.example/secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });

  it.each([['UPSTREAM_URLS', { BACKEND: 'upstream' }]])('names %s when it is missing', (name, variables) => {
    expect(() => readConfiguration(variables)).toThrow(name);
  });

  it('names every missing or invalid variable in one error', () => {
    const read = () =>
      readConfiguration({ BACKEND: 'upstream', PORT: 'x', CALL_TIMEOUT_MS: '120000', CORS_ORIGINS: 'a.example' });
    for (const name of ['UPSTREAM_URLS', 'PORT', 'HTTP_IDLE_TIMEOUT_MS', 'CORS_ORIGINS']) expect(read).toThrow(name);
  });

  it('does not report a variable because of the fault of another', () => {
    expect(message({ BACKEND: 'both' })).not.toContain('UPSTREAM_URLS');
    expect(message({ ...upstream, UPSTREAM_URLS: 'nonsense' })).not.toContain('at least one node');
    expect(message({ CALL_TIMEOUT_MS: 'long' })).toMatch(/CALL_TIMEOUT_MS/);
    expect(message({ CALL_TIMEOUT_MS: 'long' })).not.toContain('HTTP_IDLE_TIMEOUT_MS');
  });

  it('describes the purpose and values of every variable, and never shows a secret', () => {
    for (const { name, purpose, accepted, isSecret } of describeVariables(gatewayVariables)) {
      expect([name, purpose, accepted]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        expect.not.stringMatching(/^$|expected/),
      ]);
      expect(isSecret && message({ ...upstream, [name]: '\tsecret' }).includes('secret')).toBe(false);
    }
  });
});
