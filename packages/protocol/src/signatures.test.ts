import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  size,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expandSignature, isSignedByKey, unwrapSignature } from './signatures.js';

const FACTORY = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const SUFFIX = '6492'.repeat(16);
const digest: Hex = `0x${'1d'.repeat(32)}`;
const account = privateKeyToAccount('0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a');
const wrap = (signature: Hex, data: Hex = '0x1234') => serializeErc6492Signature({ address: FACTORY, data, signature });
const refusal = (code: string) => expect.objectContaining({ code, field: 'signature' });
const hex = (bytes: number): Hex => `0x${'5a'.repeat(bytes)}`;

describe('unwrapSignature', () => {
  it('leaves a plain signature as it is: of a key, of a contract, and none at all', () => {
    for (const signature of [hex(65), hex(130), hex(1_024), '0x'] as const)
      expect(unwrapSignature(signature)).toEqual({ signature, wasWrapped: false });
  });

  it('returns the inner signature of ERC-6492, which alone counts for the length', () => {
    const bytes = fc.uint8Array({ maxLength: 1_024 }).map((each): Hex => `0x${Buffer.from(each).toString('hex')}`);
    fc.assert(
      fc.property(bytes, bytes, (signature, data) => {
        expect(unwrapSignature(wrap(signature, data))).toEqual({ signature, wasWrapped: true });
      }),
    );
  });

  it('recognizes the suffix in upper case', () => {
    const upper = `0x${wrap(hex(65)).slice(2).toUpperCase()}`;
    expect(unwrapSignature(upper)).toEqual({ signature: hex(65), wasWrapped: true });
  });

  it.each([
    ['no prefix', '5a'],
    ['half a byte', '0x5a5'],
    ['other characters', '0xzz'],
    ['a line break', '0x5a\n'],
    ['only the suffix of ERC-6492', `0x${SUFFIX}`],
    ['a wrapper that points outside of itself', `0x${'ff'.repeat(96)}${SUFFIX}`],
  ])('refuses %s', (_, text) => {
    expect(() => unwrapSignature(text)).toThrow(refusal('SIGNATURE_INVALID'));
  });

  it('refuses what a release cannot carry, wrapped or not', () => {
    expect(() => unwrapSignature(hex(1_025))).toThrow(refusal('VALIDATION_ERROR'));
    expect(() => unwrapSignature(wrap(hex(1_025)))).toThrow(refusal('VALIDATION_ERROR'));
  });
});

describe('isSignedByKey', () => {
  const sign = () => account.sign({ hash: digest });

  it('accepts the key of the account, and no other', async () => {
    expect(await isSignedByKey(digest, await sign(), account.address)).toBe(true);
    expect(await isSignedByKey(digest, await sign(), FACTORY)).toBe(false);
    expect(await isSignedByKey(`0x${'1e'.repeat(32)}`, await sign(), account.address)).toBe(false);
  });

  it('accepts the compact form of EIP-2098, for both parities, and expands it to the same 65 bytes', async () => {
    const parities = new Set<string>();
    for (let salt = 0; parities.size < 2; salt += 1) {
      const hash: Hex = `0x${salt.toString(16).padStart(64, '0')}`;
      const signature = await account.sign({ hash });
      const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
      expect(size(compact)).toBe(64);
      expect(await isSignedByKey(hash, compact, account.address)).toBe(true);
      expect(await isSignedByKey(digest, compact, account.address)).toBe(false);
      expect(expandSignature(compact)).toBe(signature);
      parities.add(signature.slice(-2));
    }
  });

  it('refuses the mirrored form of a signature, and any other length', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const good = await sign();
    const mirrored = (order - BigInt(`0x${good.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const flipped = `${good.slice(0, 66)}${mirrored}${good.endsWith('1b') ? '1c' : '1b'}` as Hex;
    expect(size(flipped)).toBe(65);
    // In the compact form the bit of the parity leaves 255 for s: still more than half the order.
    const highCompact: Hex = `0x${good.slice(2, 66)}7fffffff${'f'.repeat(56)}`;
    for (const signature of [flipped, highCompact, '0x', hex(63), hex(64), hex(65), `${good}00`] as const)
      expect(await isSignedByKey(digest, signature, account.address)).toBe(false);
  });
});
