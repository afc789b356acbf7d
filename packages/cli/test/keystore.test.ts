import { describe, expect, it } from '@jest/globals';
import { encryptKeystore } from '@causeway/test-kit';
import { KeyError } from '../src/errors.js';
import { decryptKeystore } from '../src/keys/keystore.js';

// Test vectors of Web3 Secret Storage. The scrypt vector is not used: RFC 7914 rules out its parameters.
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';

type Keystore = typeof PBKDF2 | typeof SCRYPT;

async function refuse(keystore: unknown, password = 'testpassword'): Promise<KeyError> {
  const text = typeof keystore === 'string' ? keystore : JSON.stringify(keystore);
  const error: unknown = await decryptKeystore(text, password).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KeyError);
  return error as KeyError;
}

const withCrypto = (keystore: Keystore, change: object) => ({ ...keystore, crypto: { ...keystore.crypto, ...change } });

describe('a keystore', () => {
  it('opens the test vector of the specification', async () => {
    expect(await decryptKeystore(JSON.stringify(PBKDF2), 'testpassword')).toBe(KEY);
  });

  it('opens with scrypt', async () => {
    expect(await decryptKeystore(encryptKeystore(KEY, 'pässword', 'scrypt'), 'pässword')).toBe(KEY);
  });

  it('opens with capital names and 0x prefixes, as some programs write them', async () => {
    const { crypto, ...rest } = PBKDF2;
    const address = '0x008AEEDA4D805471DF9B2A5B0F38A0C3BCBA786B';
    const text = JSON.stringify({ ...rest, Crypto: { ...crypto, mac: `0x${crypto.mac}` }, Address: address });
    expect(await decryptKeystore(text, 'testpassword')).toBe(KEY);
  });

  it('refuses a wrong password', async () => {
    expect(await refuse(PBKDF2, 'other')).toMatchObject({ field: 'password' });
  });

  it.each([
    ['that is not JSON', KEY, /not JSON/],
    ['of another version', { ...PBKDF2, version: 1 }, /version 3/],
    ['without parameters', { version: 3 }, /version 3/],
    ['with another cipher', withCrypto(PBKDF2, { cipher: 'aes-128-cbc' }), /cipher "aes-128-cbc"/],
    ['with another derivation', withCrypto(PBKDF2, { kdf: 'argon2' }), /key derivation/],
    ['with a damaged ciphertext', withCrypto(PBKDF2, { ciphertext: '123' }), /damaged/],
    ['of another address', { ...PBKDF2, address: '11'.repeat(20) }, /another address/],
    ['that wants all memory', withCrypto(SCRYPT, { kdfparams: { ...SCRYPT.crypto.kdfparams, r: 1_024 } }), /1 GiB/],
    [
      'with a wrong number',
      withCrypto(SCRYPT, { kdfparams: { ...SCRYPT.crypto.kdfparams, n: '8' } }),
      /whole number n/,
    ],
    ['that RFC 7914 rules out', SCRYPT, /scrypt/],
    ['with an odd scrypt', withCrypto(SCRYPT, { kdfparams: { ...SCRYPT.crypto.kdfparams, n: 3 } }), /scrypt/],
    ['with endless rounds', withCrypto(PBKDF2, { kdfparams: { ...PBKDF2.crypto.kdfparams, c: 2 ** 40 } }), /rounds/],
  ])('refuses one %s, without quoting it', async (_, keystore, problem) => {
    const error = await refuse(keystore);
    expect(error.message).toMatch(problem);
    expect(error.message).not.toContain(KEY.slice(2));
    expect(error.cause).toBeUndefined();
  });
});
