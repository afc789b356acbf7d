import { describe, expect, it } from '@jest/globals';
import { readVariables } from '@causeway/service/configuration';
import { chainProfile } from '@causeway/protocol';
import { z } from 'zod';
import { declareSigner } from './signer-variables.js';

const SECRET = `0x${'5ec7e7'.padEnd(64, '1')}`;
const raw = { RELAYER_PRIVATE_KEY: SECRET };
const keystore = { RELAYER_KEYSTORE: '/keys/relayer.json', RELAYER_KEYSTORE_PASSWORD_FILE: '/keys/password' };
const remote = {
  RELAYER_SIGNER_ETHEREUM_URL: 'https://signer.example:9000',
  RELAYER_SIGNER_PARTNER_URL: 'https://signer.example:9001',
  RELAYER_SIGNER_CERTIFICATE: 'client.crt',
  RELAYER_SIGNER_CERTIFICATE_KEY: 'client.key',
  RELAYER_SIGNER_CA: 'ca.crt',
};
const kms = { RELAYER_KMS_KEY_ID: 'alias/relayer' };

const wallet = declareSigner('RELAYER', { SIGNER_ETHEREUM_URL: 'of Ethereum', SIGNER_PARTNER_URL: 'of the partner' });
const attester = declareSigner('ATTESTER', { SIGNER_URL: 'of both chains' });

const read = (
  env: Readonly<Record<string, string>>,
  environment: 'local' | 'mainnet' = 'local',
  { variables, read: readSettings }: typeof wallet | typeof attester = wallet,
) => readSettings(readVariables(z.object(variables), env), chainProfile(environment));

describe('declareSigner', () => {
  it('chooses the signer whose variables are set', () => {
    expect(read(raw)).toEqual({ kind: 'raw', privateKey: SECRET });
    expect(read(keystore)).toEqual({ kind: 'keystore', file: '/keys/relayer.json', passwordFile: '/keys/password' });
    expect(read(remote, 'mainnet')).toEqual({
      kind: 'remote',
      urls: new Map([
        [1, 'https://signer.example:9000'],
        [327, 'https://signer.example:9001'],
      ]),
      certificateFile: 'client.crt',
      certificateKeyFile: 'client.key',
      caFile: 'ca.crt',
      timeoutMs: 5_000,
    });
    expect(read({ ...kms, RELAYER_SIGNER_TIMEOUT_MS: '900' })).toEqual({
      kind: 'kms',
      keyId: 'alias/relayer',
      timeoutMs: 900,
    });
  });

  it('gives another service variables with its prefix, and one remote signer for both chains', () => {
    const own = Object.entries(remote).map(([name, value]) => [name.replace('RELAYER', 'ATTESTER'), value]);
    const { ATTESTER_SIGNER_ETHEREUM_URL: url = '', ATTESTER_SIGNER_PARTNER_URL: _, ...rest } = Object.fromEntries(own);
    const settings = read({ ...rest, ATTESTER_SIGNER_URL: url }, 'mainnet', attester);
    expect(settings).toMatchObject({ kind: 'remote', certificateFile: 'client.crt', timeoutMs: 5_000 });
    expect(settings).toHaveProperty(
      'urls',
      new Map([
        [1, url],
        [327, url],
      ]),
    );
    expect(() => read(rest, 'mainnet', attester)).toThrow(/\nATTESTER_SIGNER_URL is not set; .*"remote"/);
    expect(() => read(keystore, 'mainnet', attester)).toThrow(/\nATTESTER_SIGNER is not set/);
  });

  it('prefers the signer that RELAYER_SIGNER names', () => {
    expect(read({ ...keystore, ...kms, RELAYER_SIGNER: 'kms' }, 'mainnet')).toMatchObject({ kind: 'kms' });
  });

  it.each([
    ['no signer', {}, /^RELAYER_SIGNER is not set; it must be one of raw, keystore, remote, kms/],
    ['two signers', { ...keystore, ...kms }, /^RELAYER_SIGNER must say which .* keystore and kms are set/],
    ['half a keystore', { RELAYER_KEYSTORE: 'a' }, /^RELAYER_KEYSTORE_PASSWORD_FILE is not set; .*"keystore"/],
    ['a named signer without its variables', { ...raw, RELAYER_SIGNER: 'kms' }, /^RELAYER_KMS_KEY_ID is not set/],
    ['an unknown signer', { ...raw, RELAYER_SIGNER: 'ledger' }, /^RELAYER_SIGNER must be one of/],
    [
      'a remote signer without TLS',
      { ...remote, RELAYER_SIGNER_PARTNER_URL: 'http://a' },
      /^RELAYER_SIGNER_PARTNER_URL must be an https/,
    ],
    ['an invalid key', { RELAYER_PRIVATE_KEY: '0x5ec7e7' }, /^RELAYER_PRIVATE_KEY must be 0x and 64/],
  ])('refuses %s in one line, without showing a value', (_, env, words) => {
    expect(() => read(env)).toThrow(new RegExp(`\n${words.source.slice(1)}`));
    expect(() => read(env)).not.toThrow(/5ec7e7/);
  });

  it('refuses a raw key outside the environment local, even beside another signer', () => {
    for (const env of [raw, { ...raw, RELAYER_SIGNER: 'raw' }, { ...raw, ...kms, RELAYER_SIGNER: 'kms' }])
      expect(() => read(env, 'mainnet')).toThrow(/\nRELAYER_PRIVATE_KEY is for the environment local only/);
  });
});
