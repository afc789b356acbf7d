import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExchangeSettings } from './exchange-variables.js';

const directory = mkdtempSync(join(tmpdir(), 'exchange-'));
const files = { ATTEST_CERTIFICATE_FILE: join(directory, 'cert.pem'), ATTEST_KEY_FILE: join(directory, 'key.pem') };
const served = { ATTEST_PORT: 9_470, ATTEST_HOST: '10.0.0.1', ATTEST_VALID_SECONDS: 60 };

afterAll(() => rmSync(directory, { recursive: true }));

describe('readExchangeSettings', () => {
  it('serves no exchange without a port', () => {
    expect(
      readExchangeSettings({ ATTEST_HOST: '127.0.0.1', ATTEST_VALID_SECONDS: 60, ...files }, 'mainnet'),
    ).toBeNull();
  });

  it('requires a certificate and its key outside a local environment', () => {
    expect(readExchangeSettings(served, 'local')).toEqual({
      host: '10.0.0.1',
      port: 9_470,
      validSeconds: 60,
      tls: null,
    });
    expect(() => readExchangeSettings(served, 'testnet')).toThrow(/^ATTEST_CERTIFICATE_FILE is not set/);
    const { ATTEST_CERTIFICATE_FILE, ATTEST_KEY_FILE } = files;
    expect(() => readExchangeSettings({ ...served, ATTEST_CERTIFICATE_FILE }, 'local')).toThrow(/^ATTEST_KEY_FILE is/);
    expect(() => readExchangeSettings({ ...served, ATTEST_KEY_FILE }, 'local')).toThrow(/^ATTEST_CERTIFICATE_FILE is/);
    expect(() => readExchangeSettings({ ...served, ...files }, 'testnet')).toThrow(/^ATTEST_CERTIFICATE_FILE cannot/);
    for (const [name, path] of Object.entries(files)) writeFileSync(path, name);
    const tls = { cert: 'ATTEST_CERTIFICATE_FILE', key: 'ATTEST_KEY_FILE', certificateFile: ATTEST_CERTIFICATE_FILE };
    expect(readExchangeSettings({ ...served, ...files }, 'testnet')).toMatchObject({ tls });
  });
});
