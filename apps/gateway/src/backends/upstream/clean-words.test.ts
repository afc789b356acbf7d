import { expect, it } from '@jest/globals';
import { cleanWords } from './clean-words.js';

it.each([
  ['nonce too low: next nonce 5', 'nonce too low: next nonce 5'],
  [
    'insufficient funds for gas * price + value: address 0xAbC',
    'insufficient funds for gas * price + value: address 0xAbC',
  ],
  ['failed: https://user:key@node.example/v3/secret?key=1', 'failed: …'],
  ['dial tcp 10.0.0.7:8545: refused', 'dial tcp …: refused'],
  ['dial tcp [fe80::1]:8545 refused', 'dial tcp … refused'],
  ['lookup node-7.internal:8545 failed', 'lookup … failed'],
  ['open /var/lib/geth/chaindata: no', 'open … no'],
  ['two\nlines\u0000and\ttabs', 'two lines and tabs'],
])('%j becomes %j', (words, clean) => {
  expect(cleanWords(words)).toBe(clean);
});

it('is never long', () => {
  expect(cleanWords('word '.repeat(100_000)).length).toBeLessThanOrEqual(200);
});
