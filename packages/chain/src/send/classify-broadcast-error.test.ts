import { describe, expect, it } from '@jest/globals';
import { classifyBroadcastError } from './classify-broadcast-error.js';

describe('classifyBroadcastError', () => {
  it.each([
    ['geth', 'already known', 'known'],
    ['anvil', 'transaction already imported', 'known'],
    ['nethermind', 'AlreadyKnown', 'known'],
    ['besu', 'Known transaction', 'known'],
    ['geth', 'nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
    ['nethermind', 'OldNonce', 'nonce-used'],
    ['besu', 'Nonce too low', 'nonce-used'],
    ['geth', 'replacement transaction underpriced', 'underpriced'],
    ['nethermind', 'FeeTooLowToCompete', 'underpriced'],
    ['geth', 'insufficient funds for gas * price + value: balance 0', 'insufficient-funds'],
    ['anvil', 'Insufficient funds for gas * price + value', 'insufficient-funds'],
    ['besu', 'Upfront cost exceeds account balance', 'insufficient-funds'],
    ['nethermind', 'InsufficientFunds, Balance is zero', 'insufficient-funds'],
    ['geth', 'intrinsic gas too low', 'refused'],
    ['anybody', 'exceeds block gas limit', 'refused'],
  ])('%s: %s', (_, message, kind) => {
    expect(classifyBroadcastError(message, true).kind).toBe(kind);
  });

  it('knows nothing of a transaction when nobody answered, whatever the words', () => {
    expect(classifyBroadcastError('nonce too low', false)).toEqual({ kind: 'unreachable', reason: 'nonce too low' });
  });
});
