import { describe, expect, it } from '@jest/globals';
import type { RequestSnapshot } from '@causeway/protocol/admin';
import { account, hash } from '../../test/fixtures.js';
import { stateChanges, stateFacts, type Fact } from './snapshot-facts.js';

const CHAIN_IDS = { ethereum: 1, partner: 296 };

const facts = (values: Readonly<Record<string, string>>): readonly Fact[] =>
  Object.entries(values).map(([label, text]) => ({ label, text }));

describe('the state of a request', () => {
  it('names the values that changed, appeared and disappeared', () => {
    const before = facts({ Status: 'REQUESTED', Amount: '5 XCN', Nonce: '1', Gone: 'yes' });
    const after = facts({ Status: 'PENDING', Amount: '5 XCN', Nonce: '2', 'New one': '0x1' });
    expect(stateChanges(before, after)).toEqual([
      { label: 'Status', before: 'REQUESTED', after: 'PENDING' },
      { label: 'Nonce', before: '1', after: '2' },
      { label: 'New one', before: 'none', after: '0x1' },
      { label: 'Gone', before: 'yes', after: 'none' },
    ]);
  });

  const place = { operationId: hash('ab'), txHash: hash('c3'), logIndex: 1, name: 'Mint', args: { amount: '5' } };
  it.each<readonly [RequestSnapshot, Readonly<Record<string, string>>]>([
    [
      {
        about: 'refund',
        status: 'REQUESTED',
        operationId: hash('ab'),
        chainId: 296,
        asset: 'USDC',
        amount: '1234500000',
        payer: account('a1'),
        recipient: null,
      },
      {
        Status: 'REQUESTED',
        Amount: '1,234.5 USDC',
        Chain: 'Partner chain',
        Payer: account('a1'),
        'Last recipient': 'none',
        'Operation id': hash('ab'),
      },
    ],
    [
      {
        about: 'intent',
        sender: account('a1'),
        recipient: account('b2'),
        amount: '6000000000000000000000',
        isOpen: true,
        isRejected: false,
      },
      {
        Sender: account('a1'),
        Recipient: account('b2'),
        Amount: '6,000 XCN',
        'Is open': 'yes',
        'Is rejected': 'no',
      },
    ],
    [
      {
        about: 'delivery',
        status: 'DELAYED',
        isHalted: false,
        chainId: 1,
        sender: account('a1'),
        nonce: '41',
        operationIds: [hash('ab')],
        isCancelled: false,
      },
      {
        Status: 'DELAYED',
        'Is halted': 'no',
        Sender: account('a1'),
        Nonce: '41',
        'Is cancelled': 'no',
        Chain: 'Ethereum',
        Operations: hash('ab'),
      },
    ],
    [
      { about: 'halt', halt: { since: '2026-11-25T21:05:00.000Z', reason: 'a reorg' }, unknown: [] },
      { Halt: 'a reorg, since 2026-11-25T21:05:00.000Z', 'Unknown deliveries': 'none' },
    ],
    [
      { about: 'halt', halt: null, unknown: [{ ...place, chainId: 296 }] },
      {
        Halt: 'none',
        'Unknown deliveries': `Mint ${hash('ab')} in log 1 of ${hash('c3')} on Partner chain: amount 5`,
      },
    ],
    [
      { about: 'operation', status: 'DELAYED', delayedReason: 'PAUSED', isPaused: true },
      { Status: 'DELAYED', 'Delayed reason': 'PAUSED', 'Is paused': 'yes' },
    ],
    [{ about: 'member', role: null }, { Role: 'none' }],
  ])('is described for people: %j', (state, values) => {
    expect(stateFacts(state, CHAIN_IDS)).toEqual(facts(values));
  });
});
