import { describe, expect, it } from '@jest/globals';
import { classifyBroadcastError } from './broadcast.js';

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
    ['erigon', 'existing tx with same hash', 'known'],
    ['nethermind', 'already known', 'known'],
    ['reth', 'nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
    ['anvil', 'nonce too low', 'nonce-used'],
    ['besu', 'Transaction nonce below sender account nonce', 'nonce-used'],
    ['besu', 'Replacement transaction underpriced', 'underpriced'],
    ['geth', 'transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
    ['geth', 'future transaction tries to replace pending', 'underpriced'],
    ['erigon', 'INTERNAL_ERROR: could not replace existing tx', 'underpriced'],
    ['erigon', 'fee too low', 'underpriced'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2', 'underpriced'],
    ['nethermind', 'ReplacementNotAllowed', 'underpriced'],
    ['anvil', 'max fee per gas less than block base fee', 'underpriced'],
    ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
    ['besu', 'Gas price below current base fee', 'underpriced'],
    ['reth', 'insufficient funds for gas * price + value: have 0 want 1', 'insufficient-funds'],
    ['erigon', 'insufficient funds', 'insufficient-funds'],
    ['erigon', 'pending sub-pool is full', 'refused'],
    ['reth', 'txpool is full', 'refused'],
    ['besu', 'Transaction gas limit exceeds block gas limit', 'refused'],
    ['nethermind', 'NonceGap, Future nonce. Expected nonce: 4', 'refused'],
    ['any node', 'invalid chain id for signer', 'refused'],
    ['geth', 'intrinsic gas too low', 'refused'],
    ['any node', 'exceeds block gas limit', 'refused'],
  ])('%s: %s', (_, message, kind) => {
    expect(classifyBroadcastError(message, true).kind).toBe(kind);
  });

  it('is unreachable if no node answered, whatever the message', () => {
    expect(classifyBroadcastError('nonce too low', false)).toEqual({ kind: 'unreachable', reason: 'nonce too low' });
  });
});
