import { describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import type { Asset } from '../assets.js';
import type { RequestTerms } from './actions/table.js';
import { amountWords } from './actions/words.js';
import type { RequestSnapshot } from './request-snapshot.js';
import { requestWords, type RequestWords } from './request-words.js';

const ETHEREUM = 1;
const PARTNER = 296;
const CHAIN_IDS = { ethereum: ETHEREUM, partner: PARTNER };
const id: Hex = `0x${'1'.repeat(64)}`;
const lower: Address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
/** The same with its checksum (EIP-55). */
const CHECKED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const NONE = { amount: 'none', recipient: 'none', chain: 'none' };
const NOTHING: RequestSnapshot = { about: 'nothing' };

const refund = (asset: Asset, amount: string, chainId: number): RequestSnapshot => ({
  about: 'refund',
  status: 'REQUESTED',
  operationId: id,
  chainId,
  asset,
  amount,
  payer: lower,
  recipient: null,
});
const delivery = (operationIds: readonly Hex[]): RequestSnapshot => ({
  about: 'delivery',
  status: 'DELAYED',
  isHalted: false,
  chainId: ETHEREUM,
  sender: lower,
  nonce: '41',
  operationIds,
  isCancelled: false,
});
const halted = (unknown: number): RequestSnapshot => {
  const event = { name: 'Mint', operationId: id, chainId: PARTNER, txHash: id, logIndex: 0, args: {} };
  return { about: 'halt', halt: null, unknown: Array.from({ length: unknown }, () => event) };
};
const intent: RequestSnapshot = {
  about: 'intent',
  sender: lower,
  recipient: lower,
  amount: '1234567890000000000',
  isOpen: true,
  isRejected: false,
};
const approve = (amount: string): RequestTerms => ({ kind: 'REFUND_APPROVE', refundId: id, recipient: lower, amount });
const resume = (target: 'partner' | 'deliveries', accept: 'nothing' | 'reorg' | 'unknown'): RequestTerms => ({
  kind: 'RESUME',
  target,
  accept,
});
const say = (terms: RequestTerms, decidedOn: RequestSnapshot) =>
  requestWords({ terms, decidedOn, reason: 'a test', validUntil: 1_795_640_759 }, CHAIN_IDS);

describe('requestWords', () => {
  it.each<readonly [Asset, string, number, string, string, string]>([
    ['XCN', '6000000000000000000000', PARTNER, '6,000 XCN', 'Partner chain', 'the partner chain'],
    ['XCN', '10000000000', ETHEREUM, '0.00000001 XCN', 'Ethereum', 'Ethereum'],
    ['ETH', '1000500000000000000000', PARTNER, '1,000.5 ETH', 'Partner chain', 'the partner chain'],
    ['ETH', '1', ETHEREUM, '0.000000000000000001 ETH', 'Ethereum', 'Ethereum'],
    ['USDC', '1234567891234', PARTNER, '1,234,567.891234 USDC', 'Partner chain', 'the partner chain'],
    ['USDC', '999000000', ETHEREUM, '999 USDC', 'Ethereum', 'Ethereum'],
    ['USDC', '1', 5, '0.000001 USDC', 'Chain 5', 'chain 5'],
  ])('of a refund of %s: %s on chain %i are %s', (asset, atomic, chainId, amount, chain, place) => {
    const on = refund(asset, atomic, chainId);
    expect(say(approve(atomic), on)).toMatchObject({
      action: `Refund ${amount} to ${CHECKED} on ${place}`,
      amount,
      recipient: CHECKED,
      chain,
    });
    expect(say({ kind: 'REFUND_REFUSE', refundId: id }, on)).toMatchObject({
      action: `Never refund ${amount} to ${CHECKED} on ${place}`,
      amount,
      recipient: 'none',
      chain,
    });
  });

  it.each<readonly [RequestTerms, RequestSnapshot, Partial<RequestWords>]>([
    [{ kind: 'RETRY', operationId: id }, NOTHING, { ...NONE, action: `Retry the operation ${id} now` }],
    [
      { kind: 'CANCEL', operationId: id },
      delivery([id]),
      {
        ...NONE,
        action: `Cancel the delivery of the operation ${id}: use up nonce 41 of ${CHECKED} without a payment`,
        chain: 'Ethereum',
      },
    ],
    [
      { kind: 'CANCEL', operationId: id },
      delivery([id, id, id]),
      { action: expect.stringContaining(`${id} and of 2 more: use up nonce 41`) as never },
    ],
    [{ kind: 'HALT', target: 'ethereum' }, halted(0), { ...NONE, action: 'Halt Ethereum', chain: 'Ethereum' }],
    [{ kind: 'HALT', target: 'partner' }, halted(0), { action: 'Halt the partner chain', chain: 'Partner chain' }],
    [
      { kind: 'HALT', target: 'deliveries' },
      halted(0),
      { action: 'Halt the deliveries to both chains', chain: 'Both chains' },
    ],
    [resume('partner', 'nothing'), halted(0), { ...NONE, action: 'Resume the partner chain', chain: 'Partner chain' }],
    [
      resume('partner', 'reorg'),
      halted(0),
      { action: 'Resume the partner chain and accept that it lost final blocks' },
    ],
    [
      resume('deliveries', 'unknown'),
      halted(1),
      { action: 'Resume the deliveries to both chains and accept 1 unknown delivery' },
    ],
    [
      resume('deliveries', 'unknown'),
      halted(2),
      { action: 'Resume the deliveries to both chains and accept 2 unknown deliveries' },
    ],
    [
      { kind: 'INTENT_REJECT', intentId: id },
      intent,
      {
        action: `Reject the withdrawal of 1.23456789 XCN from ${CHECKED} to ${CHECKED} on Ethereum: it fails`,
        amount: '1.23456789 XCN',
        recipient: 'none',
        chain: 'Partner chain',
      },
    ],
    [
      { kind: 'MEMBER_SET', address: lower, role: 'operator' },
      { about: 'member', role: null },
      { ...NONE, action: `Make ${CHECKED} an operator of the console` },
    ],
    [
      { kind: 'MEMBER_REMOVE', address: lower },
      { about: 'member', role: 'admin' },
      { ...NONE, action: `Remove ${CHECKED} from the console` },
    ],
    // A state that another program wrote.
    [approve('1'), NOTHING, { action: `Pay the refund to ${CHECKED}`, amount: 'unknown', chain: 'unknown' }],
    [{ kind: 'CANCEL', operationId: id }, NOTHING, { chain: 'unknown' }],
    [{ kind: 'INTENT_REJECT', intentId: id }, NOTHING, { action: `Reject the intent ${id}` }],
  ])('of %j on %j', (terms, on, words) => {
    expect(say(terms, on)).toMatchObject(words);
  });

  it('have the minute in UTC and the reason, in the order in which a wallet shows them', () => {
    const words = say({ kind: 'HALT', target: 'ethereum' }, NOTHING);
    expect(words).toMatchObject({ expires: '2026-11-25 21:05 UTC', reason: 'a test' });
    expect(Object.keys(words)).toEqual(['action', 'amount', 'recipient', 'chain', 'expires', 'reason']);
  });
});

describe('amountWords', () => {
  it.each([
    ['USDC', '0', '0 USDC'],
    ['XCN', '999999999999999999999', '999.999999999999999999 XCN'],
    ['XCN', '123456789012345678901234567890', '123,456,789,012.34567890123456789 XCN'],
  ] as const)('of %s: %s atomic units are %s', (asset, atomic, words) => {
    expect(amountWords(asset, atomic)).toBe(words);
  });
});
