import { createCipheriv, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keccak256 } from 'viem';
import { decryptKey } from '../src/signers/keystore.js';

const PASSWORD = 'testpassword';
const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
/** The example of the format's definition (Web3 Secret Storage Definition, "Test Vectors"). */
const WITH_PBKDF2 = {
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
};

/** A keystore as geth writes it, but with a smaller n, made with Node's cryptography. */
function withScrypt() {
  const [salt, iv] = [Buffer.alloc(32, 0xab), Buffer.alloc(16, 0x83)];
  const derived = scryptSync(PASSWORD, salt, 32, { N: 8_192, r: 8, p: 1 });
  const ciphertext = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(KEY.slice(2), 'hex');
  return {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: 8_192, p: 1, r: 8, salt: salt.toString('hex') },
    mac: keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2),
  };
}

const makeKeystore = (crypto: object) =>
  JSON.stringify({ crypto, id: '3198bc9c-6672-5ab3-d995-4942343ae5b6', version: 3 });

describe('decryptKey', () => {
  it.each([
    ['pbkdf2', WITH_PBKDF2],
    ['scrypt', withScrypt()],
  ])('opens a keystore encrypted with %s', async (_, crypto) => {
    expect(await decryptKey(makeKeystore(crypto), PASSWORD)).toBe(KEY);
  });

  it('reports a wrong password, and a file that is not a keystore', async () => {
    await expect(decryptKey(makeKeystore(WITH_PBKDF2), 'another')).rejects.toThrow(/check the password/);
    await expect(decryptKey(KEY, PASSWORD)).rejects.toThrow(/not in the format/);
  });
});
