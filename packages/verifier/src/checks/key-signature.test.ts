import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, concatHex, numberToHex, slice, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { recoverSigner } from './key-signature.js';

const ACCOUNT = privateKeyToAccount(`0x${'42'.repeat(32)}`);
const ADDRESS = ACCOUNT.address.toLowerCase();
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('the signature of a key', () => {
  it('is recovered in canonical and in compact form', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (bytes) => {
        const digest = bytesToHex(bytes);
        const { full, compact, bare } = await sign(digest);
        for (const signature of [full, compact, bare]) expect(await recoverSigner(digest, signature)).toBe(ADDRESS);
      }),
      { numRuns: 30 },
    );
  });

  it('is not recovered in any other form', async () => {
    const digest: Hex = `0x${'33'.repeat(32)}`;
    const { full, r, s, parity } = await sign(digest);
    const high = numberToHex(ORDER - s, { size: 32 });
    const forms: readonly Hex[] = [
      '0x',
      slice(full, 0, 63),
      concatHex([full, '0x00']),
      concatHex([r, high, parity === 0n ? '0x1c' : '0x1b']),
      concatHex([slice(full, 0, 64), '0x1d']),
      concatHex([slice(full, 0, 64), '0x02']),
      concatHex([r, numberToHex(0n, { size: 32 }), '0x1b']),
      concatHex([numberToHex(0n, { size: 32 }), slice(full, 32)]),
      concatHex([numberToHex(ORDER, { size: 32 }), slice(full, 32)]),
    ];
    for (const signature of forms) expect(await recoverSigner(digest, signature)).toBeNull();
  });

  async function sign(hash: Hex) {
    const full = await ACCOUNT.sign({ hash });
    const r = slice(full, 0, 32);
    const s = BigInt(slice(full, 32, 64));
    const parity = BigInt(slice(full, 64)) - 27n;
    const compact = concatHex([r, numberToHex((parity << 255n) | s, { size: 32 })]);
    const bare = concatHex([slice(full, 0, 64), parity === 0n ? '0x00' : '0x01']);
    return { full, compact, bare, r, s, parity };
  }
});
