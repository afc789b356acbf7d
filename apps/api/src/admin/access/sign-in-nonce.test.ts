import { describe, expect, it } from '@jest/globals';
import { createNonce, readNonce } from './sign-in-nonce.js';

const key = new Uint8Array(32).fill(7);
const now = new Date('2026-01-31T12:00:00.123Z');
const later = (ms: number) => ({ key, now: new Date(now.getTime() + ms) });

describe('a nonce', () => {
  it('has the EIP-4361 format, is unique, and is valid for 5 minutes', () => {
    const made = createNonce({ key, now });
    expect(made.nonce).toMatch(/^[a-zA-Z0-9]{8,}$/);
    expect(made.expiresAt).toEqual(new Date('2026-01-31T12:05:00.123Z'));
    expect(createNonce({ key, now }).nonce).not.toBe(made.nonce);
    expect(readNonce(made.nonce, later(299_999))).toEqual(made);
    expect(readNonce(made.nonce, later(300_000))).toBeNull();
  });

  it('is invalid under another key, and with any digit changed, including those of its time', () => {
    const { nonce } = createNonce({ key, now });
    expect(readNonce(nonce, { key: new Uint8Array(32), now })).toBeNull();
    for (let at = 0; at < nonce.length; at += 1) {
      const changed = `${nonce.slice(0, at)}${nonce[at] === '0' ? '1' : '0'}${nonce.slice(at + 1)}`;
      expect(readNonce(changed, { key, now })).toBeNull();
    }
  });

  it.each(['', 'neverissued12345', '0'.repeat(76), `${'0'.repeat(76)}\n`])('is not %j', (text) => {
    expect(readNonce(text, { key, now })).toBeNull();
  });
});
