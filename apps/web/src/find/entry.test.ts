import { describe, expect, it } from '@jest/globals';
import { parseEntry } from './entry.js';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

describe('an entry of the box', () => {
  it.each([
    [HASH, { kind: 'hash', hash: HASH }],
    [` ${HASH.toUpperCase().replace('X', 'x')}\n`, { kind: 'hash', hash: HASH }],
    [`https://explorer.example/tx/${HASH}?tab=logs`, { kind: 'hash', hash: HASH }],
    [ADDRESS, { kind: 'address', address: ADDRESS.toLowerCase() }],
    [ADDRESS.replace('d34A', 'D34a'), { kind: 'checksum' }],
    ['', { kind: 'malformed' }],
    ['0x12', { kind: 'malformed' }],
    [`${HASH}00`, { kind: 'malformed' }],
    ['ab'.repeat(32), { kind: 'malformed' }],
  ])('%j is recognized by its form', (text, entry) => {
    expect(parseEntry(text)).toEqual(entry);
  });
});
