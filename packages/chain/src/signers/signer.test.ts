import { describe, expect, it } from '@jest/globals';
import { numberToHex, parseTransaction, serializeTransaction, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { parseDerSignature } from './kms-signer.js';
import { OtherKeySignedError } from './signer-error.js';
import { assertSigned, CURVE_ORDER, recoverSigner } from './signer.js';

const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);
const transaction = { type: 'eip1559', chainId: 1, to: `0x${'2'.repeat(40)}`, gas: 21_000n } as const;

describe('assertSigned', () => {
  it('accepts the transaction, signed by the wallet', async () => {
    const raw = await account.signTransaction(transaction);
    expect(() => assertSigned(transaction, raw, account.address)).not.toThrow();
  });

  it('refuses the other signature of the same key, with a high s', async () => {
    const { s = '0x', r = '0x', yParity = 0 } = parseTransaction(await account.signTransaction(transaction));
    const high = { r, s: numberToHex(CURVE_ORDER - BigInt(s)), yParity: 1 - yParity };
    const raw = serializeTransaction(transaction, high);
    expect(() => assertSigned(transaction, raw, account.address)).toThrow(/high s/);
  });

  it('refuses a signature that no key can have made', () => {
    const raw = serializeTransaction(transaction, { r: numberToHex(CURVE_ORDER - 1n), s: '0x1', yParity: 1 });
    expect(() => assertSigned(transaction, raw, account.address)).toThrow(OtherKeySignedError);
    expect(recoverSigner(`0x${'0'.repeat(64)}`, { r: numberToHex(CURVE_ORDER), s: '0x1', yParity: 0 })).toBeNull();
  });
});

describe('parseDerSignature', () => {
  const parse = (hex: string) => parseDerSignature(Buffer.from(hex, 'hex'));

  it('reads both integers', () => {
    expect(parse('300602010102017f')).toEqual({ r: 1n, s: 127n });
    expect(parse('3007020200ff020105')).toEqual({ r: 255n, s: 5n });
  });

  const order = CURVE_ORDER.toString(16) as Hex;
  it.each([
    ['nothing', ''],
    ['no sequence', '310602010102017f'],
    ['a wrong length', '300702010102017f'],
    ['trailing bytes', '300702010102017f00'],
    ['one integer', '3003020101'],
    ['a negative integer', '30060201ff02017f'],
    ['an empty integer', '300502000201ff'],
    ['zero', '300602010002017f'],
    ['the order of the curve', `30260201010221 00${order}`.replace(' ', '')],
  ])('refuses %s', (_, hex) => {
    expect(() => parse(hex)).toThrow(/no ECDSA signature/);
  });
});
