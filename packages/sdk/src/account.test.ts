import { describe, expect, it } from '@jest/globals';
import { parseAccount } from './account.js';
import { parseHash } from './hash.js';

const CHECKSUMMED = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

describe('an argument', () => {
  it('that is an address may have a checksum', () => {
    expect(parseAccount('recipient', CHECKSUMMED)).toBe(CHECKSUMMED.toLowerCase());
    expect(parseAccount('recipient', CHECKSUMMED.toLowerCase())).toBe(CHECKSUMMED.toLowerCase());
  });

  it.each<[unknown, string]>([
    [CHECKSUMMED.replace('d8dA', 'd8DA'), 'has a wrong checksum'],
    [CHECKSUMMED.slice(0, -1), 'must be an address'],
    [CHECKSUMMED.slice(2), 'must be an address'],
    ['vitalik.eth', 'must be an address'],
    [undefined, 'must be an address'],
  ])('is not an address: %p', (text, problem) => {
    expect(() => parseAccount('recipient', text as string)).toThrow(
      expect.objectContaining({
        name: 'InvalidInputError',
        field: 'recipient',
        message: expect.stringContaining(problem),
      }),
    );
  });

  it('that is a hash has 32 bytes', () => {
    expect(parseHash('hash', `0x${'Ab'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`);
    for (const text of [`0x${'ab'.repeat(31)}`, 'ab'.repeat(33), '', undefined])
      expect(() => parseHash('intentId', text as string)).toThrow(
        expect.objectContaining({ name: 'InvalidInputError', field: 'intentId' }),
      );
  });
});
