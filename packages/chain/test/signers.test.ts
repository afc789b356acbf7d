import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  encryptKeystore,
  REMOTE_SIGNER_CLIENT,
  startKms,
  startRemoteSigner,
  STRANGER_CERTIFICATE,
  testKey,
  type SigningServer,
} from '@causeway/test-kit';
import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  type Hex,
  type TransactionSerializableEIP1559,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { openSigner, trySigner, type SignerSettings } from '../src/index.js';

// Every signer against the service or file with its key.

const CHAIN_ID = 31_337;
const KEY = testKey(1);
const OTHER_KEY = testKey(2);
const { address } = privateKeyToAccount(KEY);
const PASSWORD = 'correct horse battery staple';

const folder = mkdtempSync(join(tmpdir(), 'causeway-signers-'));
const servers: SigningServer[] = [];

function file(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  rmSync(path, { force: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

async function started<T extends SigningServer>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  servers.push(server);
  return server;
}

const remote = (url: string, over: object = {}): SignerSettings => ({
  kind: 'remote',
  urls: new Map([[CHAIN_ID, url]]),
  certificateFile: file('client.crt', REMOTE_SIGNER_CLIENT.certificate),
  certificateKeyFile: file('client.key', REMOTE_SIGNER_CLIENT.key),
  caFile: file('ca.crt', REMOTE_SIGNER_CLIENT.authority),
  timeoutMs: 2_000,
  ...over,
});
const keystore = (kdf: 'scrypt' | 'pbkdf2', key = KEY): SignerSettings => ({
  kind: 'keystore',
  file: file(`${kdf}.json`, encryptKeystore(key, PASSWORD, kdf)),
  passwordFile: file('password', `${PASSWORD}\n`),
});
const kms = async (key = KEY, faults = {}): Promise<SignerSettings> => {
  const server = await started(startKms(key, faults));
  process.env['AWS_ENDPOINT_URL_KMS'] = server.url;
  return { kind: 'kms', keyId: server.keyId, timeoutMs: 2_000 };
};

const KINDS: Readonly<Record<string, (key?: Hex) => SignerSettings | Promise<SignerSettings>>> = {
  'a raw key': (privateKey = KEY) => ({ kind: 'raw', privateKey }),
  'a keystore with scrypt': (key) => keystore('scrypt', key),
  'a keystore with pbkdf2': (key) => keystore('pbkdf2', key),
  'a remote signer': async (key = KEY) => remote((await started(startRemoteSigner(key, CHAIN_ID))).url),
  'AWS KMS': (key) => kms(key),
};

const transaction: TransactionSerializableEIP1559 = {
  type: 'eip1559',
  chainId: CHAIN_ID,
  to: `0x${'ab'.repeat(20)}`,
  data: '0x1234',
  value: 10n ** 18n,
  nonce: 7,
  gas: 21_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
};

/** Opens a signer without warnings. */
const open = async (settings: SignerSettings | Promise<SignerSettings>) => {
  const warnings: string[] = [];
  const signer = await openSigner(await settings, address, (sentence) => warnings.push(sentence));
  return { signer, warnings };
};

/** Returns the failure, and checks that it contains no secret. */
async function failure(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('It did not fail'),
    (reason: unknown) => reason as Error,
  );
  const shown = `${inspect(error, { depth: 9 })}${JSON.stringify(error)}`;
  for (const secret of [KEY.slice(2), OTHER_KEY.slice(2), PASSWORD, 'secret-path', 'PRIVATE KEY'])
    expect(shown).not.toContain(secret);
  return error;
}

beforeAll(() => {
  process.env['AWS_ACCESS_KEY_ID'] = 'AKIATEST';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
});

describe.each(Object.entries(KINDS))('%s', (_, settings) => {
  it('signs the given transaction, twenty times, with a signature that every node accepts', async () => {
    const { signer, warnings } = await open(settings());
    expect({ warnings, address: signer.address }).toEqual({ warnings: [], address });
    for (let nonce = 0; nonce < 20; nonce++) {
      const { raw, hash } = await signer.signTransaction({ ...transaction, nonce, value: BigInt(nonce) });
      const { yParity, ...parsed } = parseTransaction(raw as `0x02${string}`);
      // viem omits zeros.
      const zeros = { nonce: 0, value: 0n };
      expect({ ...zeros, ...parsed }).toMatchObject({ ...transaction, nonce, value: BigInt(nonce) });
      expect([0, 1]).toContain(yParity);
      expect(hash).toBe(keccak256(raw));
      const serializedTransaction = raw as `0x02${string}`;
      expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address);
    }
  });

  it('signs typed data, for a contract and without a chain', async () => {
    const { signer } = await open(settings());
    const contract = { name: 'Causeway', version: '1', chainId: CHAIN_ID, verifyingContract: address } as const;
    for (const domain of [contract, { name: 'Causeway exchange', version: '1' }]) {
      const types = { Consent: [{ name: 'amount', type: 'uint256' }] };
      const data = { domain, types, primaryType: 'Consent', message: { amount: 2n ** 200n } } as const;
      for (let each = 0; each < 4; each++) {
        const signature = await signer.signTypedData(data);
        expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
        expect(await recoverTypedDataAddress({ ...data, signature })).toBe(address);
      }
    }
  });

  it('signs the empty transaction of doctor', async () => {
    const { signer } = await open(settings());
    await expect(trySigner(signer, CHAIN_ID)).resolves.toBeUndefined();
  });

  it('is refused if it has the key of another wallet', async () => {
    expect(await failure(open(settings(OTHER_KEY)))).toMatchObject({ code: 'SIGNED_BY_OTHER_KEY', retryable: false });
  });
});

describe('a keystore', () => {
  const settings = (json: string, password: string, modes: readonly [number, number] = [0o600, 0o600]) =>
    ({
      kind: 'keystore',
      file: file('some.json', json, modes[0]),
      passwordFile: file('some-password', password, modes[1]),
    }) as const;
  const json = encryptKeystore(KEY, PASSWORD, 'scrypt');

  it.each([
    ['a wrong password', json, 'wrong', /cannot be decrypted/],
    ['an empty password', json, '\nsecond line', /first line of the password file .* is empty/],
    [
      'a damaged file',
      json.replace(/"mac":"./, (begin) => (begin.endsWith('0') ? '"mac":"1' : '"mac":"0')),
      PASSWORD,
      /cannot be decrypted/,
    ],
    ['a bare key', KEY, PASSWORD, /not in the format Web3 Secret Storage/],
  ])('is refused with %s', async (_, content, password, words) => {
    const error = await failure(open(settings(content, password)));
    expect(error).toMatchObject({ code: 'SIGNER_UNUSABLE', message: expect.stringMatching(words) });
  });

  it('names an unreadable file', async () => {
    const error = await failure(open({ ...settings(json, PASSWORD), file: join(folder, 'none.json') }));
    expect(error.message).toMatch(/^The keystore .*none\.json cannot be read \(ENOENT\)$/);
  });

  it('accepts a password file with Windows line endings, and group-readable files', async () => {
    const { warnings } = await open(settings(json, `${PASSWORD}\r\n`, [0o640, 0o440]));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['its file', [0o644, 0o600], /^The keystore .*some\.json is accessible to other users of this machine: chmod o= /],
    [
      'its password',
      [0o600, 0o604],
      /^The password file .*some-password is accessible to other users of this machine: /,
    ],
  ] as const)('is refused if other users can read %s', async (_, modes, words) => {
    const error = await failure(open(settings(json, PASSWORD, modes)));
    expect(error).toMatchObject({ code: 'SIGNER_UNUSABLE', exitCode: 78, message: expect.stringMatching(words) });
  });
});

describe('a remote signer', () => {
  const faulty = async (result: (signed: unknown, method: string) => unknown) => {
    const { url } = await started(startRemoteSigner(KEY, CHAIN_ID, { result }));
    return open(remote(`${url}/secret-path`));
  };
  const whenSigning = (change: (raw: Hex) => unknown) => (signed: unknown, method: string) =>
    method === 'eth_signTransaction' ? change(signed as Hex) : signed;
  const signedByOther = async (over: object, key = KEY) =>
    privateKeyToAccount(key).signTransaction({ ...transaction, ...over });

  it.each([
    ['another recipient', { to: `0x${'cd'.repeat(20)}` }, /\(to\)/],
    ['another amount', { value: 1n }, /\(value\)/],
    ['other data', { data: '0x' }, /\(data\)/],
    ['another nonce and gas', { nonce: 8, gas: 1n }, /\(nonce, gas\)/],
    ['another chain', { chainId: 1 }, /\(chainId\)/],
    ['higher fees', { maxFeePerGas: 10n ** 18n }, /\(maxFeePerGas\)/],
    ['an access list', { accessList: [{ address, storageKeys: [] }] }, /its encoding/],
  ])('that signs %s is rejected', async (_, over, words) => {
    const { signer } = await faulty(whenSigning(() => signedByOther(over)));
    const error = await failure(signer.signTransaction(transaction));
    expect(error).toMatchObject({ code: 'SIGNED_OTHER_TRANSACTION', message: expect.stringMatching(words) });
  });

  it('that signs with another key is rejected', async () => {
    const { signer } = await faulty(whenSigning(() => signedByOther({}, OTHER_KEY)));
    const error = await failure(signer.signTransaction(transaction));
    expect(error).toMatchObject({ code: 'SIGNED_BY_OTHER_KEY' });
    expect(error.message).toContain(privateKeyToAccount(OTHER_KEY).address.toLowerCase());
  });

  it.each([
    ['nothing', () => null],
    ['text', () => 'signed, believe me'],
    ['half a transaction', (raw: Hex) => raw.slice(0, 60)],
    ['a transaction and more bytes', (raw: Hex) => `${raw}00`],
    ['a legacy transaction', () => '0xf86b0184'],
  ])('that answers %s is rejected', async (_, change) => {
    const { signer } = await faulty(whenSigning(change));
    expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNED_OTHER_TRANSACTION' });
  });

  it('can answer with an object, as geth does', async () => {
    const { signer } = await faulty(whenSigning((raw) => ({ raw, tx: {} })));
    await expect(signer.signTransaction(transaction)).resolves.toMatchObject({ raw: expect.stringMatching(/^0x02/) });
  });

  it('that hangs, answers without end or is down is unavailable, and is retried', async () => {
    let isHanging = true;
    const { signer } = await faulty(whenSigning(async (raw) => (isHanging ? new Promise(() => undefined) : raw)));
    const hanging = await failure(signer.signTransaction(transaction));
    expect(hanging).toMatchObject({ code: 'SIGNER_UNAVAILABLE', retryable: true });
    expect(hanging.message).toContain('more than 2000 ms');
    isHanging = false;
    await expect(signer.signTransaction(transaction)).resolves.toBeDefined();
    const long = await faulty(whenSigning(() => 'x'.repeat(2_000_000)));
    const endless = await failure(long.signer.signTransaction(transaction));
    expect(endless).toMatchObject({ code: 'SIGNER_UNAVAILABLE', message: expect.stringContaining('too long') });
    await servers.at(-1)?.stop();
    expect(await failure(long.signer.signTransaction(transaction))).toMatchObject({
      code: 'SIGNER_UNAVAILABLE',
      message: expect.stringContaining('ECONN'),
    });
  });

  it('that refuses gives its reason in one short line', async () => {
    const { signer } = await faulty((signed, method) => {
      if (method === 'eth_signTransaction') throw new Error(`policy\n\u001b[31mforbids ${'x'.repeat(10_000)}`);
      return signed;
    });
    const error = await failure(signer.signTransaction(transaction));
    expect(error).toMatchObject({ code: 'SIGNER_REFUSED', retryable: false });
    expect(error.message).toMatch(/^the remote signer 127\.0\.0\.1:\d+ refused: policy \[31mforbids x{100,200}\.\.\./);
  });

  it('does not prevent a start while it is down', async () => {
    const { signer, warnings } = await open(remote(`https://127.0.0.1:${await closedPort()}/secret-path`));
    expect(signer.address).toBe(address);
    expect(warnings).toEqual([expect.stringMatching(/^The remote signer does not list its accounts: .*ECONNREFUSED/)]);
    expect(warnings[0]).not.toContain('secret-path');
  });

  it('is refused if another authority signed its certificate, and refuses clients without a certificate', async () => {
    const { url } = await started(startRemoteSigner(KEY, CHAIN_ID));
    const strange = {
      certificateFile: file('stranger.crt', STRANGER_CERTIFICATE.certificate),
      certificateKeyFile: file('stranger.key', STRANGER_CERTIFICATE.key),
    };
    for (const over of [{ caFile: strange.certificateFile }, strange]) {
      const { signer } = await open(remote(url, over));
      expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
    }
  });

  it('needs a certificate with the matching key', async () => {
    const over = { certificateKeyFile: file('stranger.key', STRANGER_CERTIFICATE.key) };
    const error = await failure(open(remote('https://127.0.0.1:1', over)));
    expect(error).toMatchObject({ code: 'SIGNER_UNUSABLE', message: expect.stringContaining('belong together') });
  });
});

describe('AWS KMS', () => {
  it('that answers with anything else is rejected', async () => {
    const answers = [{}, { Signature: 'AAAA' }, { Signature: Buffer.alloc(70, 1).toString('base64') }];
    for (const wrong of answers) {
      const result = (answer: unknown, target: string) => (target.endsWith('.Sign') ? wrong : answer);
      const { signer } = await open(kms(KEY, { result }));
      expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNUSABLE' });
    }
  });

  it('that signs with another key is rejected', async () => {
    const wrong = { Signature: await makeSignature(OTHER_KEY) };
    const result = (answer: unknown, target: string) => (target.endsWith('.Sign') ? wrong : answer);
    const { signer } = await open(kms(KEY, { result }));
    expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNED_BY_OTHER_KEY' });
  });

  it('reports a missing key, and a missing region', async () => {
    const settings = await kms();
    const missing = { ...settings, keyId: 'arn:aws:kms:eu-central-1:111122223333:key/none' } as SignerSettings;
    const error = await failure(open(missing));
    expect(error).toMatchObject({ code: 'SIGNER_REFUSED', message: expect.stringContaining('NotFoundException') });
    const nowhere = await failure(open({ ...settings, keyId: 'alias/relayer' } as SignerSettings));
    expect(nowhere).toMatchObject({ code: 'SIGNER_UNUSABLE', message: expect.stringContaining('AWS_REGION') });
  });

  it('that hangs is unavailable', async () => {
    const result = async (answer: unknown, target: string) =>
      target.endsWith('.Sign') ? new Promise(() => undefined) : answer;
    const { signer } = await open({ ...(await kms(KEY, { result })), timeoutMs: 200 } as SignerSettings);
    expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
  });

  it.each([
    ['AccessDeniedException', 'SIGNER_REFUSED'],
    ['DisabledException', 'SIGNER_REFUSED'],
    ['ThrottlingException', 'SIGNER_UNAVAILABLE'],
  ])('that answers %s means %s', async (name, code) => {
    const result = (answer: unknown, target: string) => {
      if (target.endsWith('.Sign')) throw new Error(name);
      return answer;
    };
    const { signer } = await open(kms(KEY, { result }));
    const error = await failure(signer.signTransaction(transaction));
    expect(error).toMatchObject({ code, message: expect.stringContaining(name) });
  });

  it('does not prevent a start while it is down', async () => {
    const settings = await kms();
    await servers.at(-1)?.stop();
    const { signer, warnings } = await open(settings);
    expect(warnings).toEqual([expect.stringMatching(/^No signature from AWS KMS: /)]);
    expect(await failure(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
  });
});

/** A DER signature by another key, for any message. */
async function makeSignature(key: Hex): Promise<string> {
  const { signMessage } = privateKeyToAccount(key);
  const signature = (await signMessage({ message: 'another' })).slice(2);
  const [r, s] = [signature.slice(0, 64), signature.slice(64, 128)];
  return Buffer.from(`30460221 00${r}022100${s}`.replaceAll(' ', ''), 'hex').toString('base64');
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (bound === null || typeof bound === 'string') throw new Error('The server has no port');
  return bound.port;
}
