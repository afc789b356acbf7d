import { describe, expect, it } from '@jest/globals';
import type { DecidedOn } from '@causeway/protocol/admin';
import { account, hash } from '../../test/fixtures.js';
import { describeState, stateChanges, textOf } from './decided-state.js';

const CHAIN_IDS = { ethereum: 1, partner: 296 };

describe('the state of a request', () => {
  it('names what changed, came and went', () => {
    const before = { status: 'REQUESTED', amount: '5', decisions: ['a'], gone: true };
    const after = { status: 'PENDING', amount: '5', decisions: ['a', 'b'], txHash: '0x1' };
    expect(stateChanges(before, after)).toEqual([
      { name: 'status', before: 'REQUESTED', after: 'PENDING' },
      { name: 'decisions', before: '["a"]', after: '["a","b"]' },
      { name: 'txHash', before: 'none', after: '0x1' },
      { name: 'gone', before: 'yes', after: 'none' },
    ]);
  });

  it.each([
    [null, 'none'],
    ['', 'empty'],
    [false, 'no'],
    [0, '0'],
    [{ a: 1 }, '{"a":1}'],
  ])('shows %j as %s', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  const place = { operationId: hash('ab'), txHash: hash('c3'), logIndex: 1, name: 'Mint', args: { amount: '5' } };
  it.each<readonly [DecidedOn, object]>([
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
        status: 'REQUESTED',
        amount: '1,234.5 USDC',
        chain: 'Partner chain',
        payer: account('a1'),
        lastRecipient: null,
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
      { amount: '6,000 XCN', isOpen: true },
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
      { chain: 'Ethereum', nonce: '41', operations: hash('ab') },
    ],
    [
      { about: 'halt', halt: { since: '2026-11-25T21:05:00.000Z', reason: 'a reorg' }, unknown: [] },
      { halt: 'a reorg, since 2026-11-25T21:05:00.000Z', unknownDeliveries: null },
    ],
    [
      { about: 'halt', halt: null, unknown: [{ ...place, chainId: 296 }] },
      { halt: null, unknownDeliveries: [{ ...place, chain: 'Partner chain' }] },
    ],
    [{ about: 'member', role: null }, { role: null }],
  ])('is described for people: %j', (state, values) => {
    const described = describeState(state, CHAIN_IDS);
    expect(described).toMatchObject(values);
    expect(described).not.toHaveProperty('about');
  });
});
