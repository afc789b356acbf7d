import { describe, expect, it } from '@jest/globals';
import type { BridgeOperationResponse } from '@causeway/sdk';
import {
  computeOperationId,
  type EventBeginning,
  type Heads,
  type OperationFacts,
  type TracedPayment,
} from '@causeway/verifier';
import { anAddressBook } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import { CHECK } from '../words/check.js';
import type { CheckSettings } from './case.js';
import { judge } from './judge.js';
import { makeVerifier } from './verifier.js';

// The status and the times of a burn, by how far both chains are. The smoke test judges all fields on real chains.

const NOW = 1_800_000_000;
const BURNED_AT = NOW - 3_000;
const BLOCK = 1_000n;
const settings: CheckSettings = {
  addressBook: anAddressBook(),
  holdSeconds: 600,
  ethereum: { confirmations: 12 },
  partner: { confirmations: 6 },
};
const node = { name: 'node', client: { request: async () => null } };
const verifier = makeVerifier(settings, { ethereum: [node], partner: [node] });
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [alice, bob] = [account('a'), account('b')];
const usdc = settings.addressBook.partner.tokens.USDC;
const id = computeOperationId(verifier.settings.partner, 7n);
const place = { transactionHash: hash('1'), blockNumber: BLOCK, timestamp: BigInt(BURNED_AT) };
const burn: EventBeginning = {
  ...place,
  kind: 'EVENT',
  side: 'partner',
  id,
  number: 7n,
  token: usdc,
  otherIds: [],
  sender: alice,
  recipient: bob,
  amount: 50_000_000n,
  fee: 5_000_000n,
};
const release: TracedPayment = {
  name: 'Release',
  side: 'ethereum',
  id,
  token: settings.addressBook.ethereum.tokens.USDC,
  recipient: bob,
  amount: 45_000_000n,
  fee: 5_000_000n,
  transactionHash: hash('2'),
  blockNumber: 500n,
  timestamp: BigInt(NOW - 1_000),
  isCredited: false,
  intent: null,
};

/** Facts with the heads this many blocks above the burn and above the release. */
function makeFacts({
  above = 1_000,
  paid = null as TracedPayment | null,
  paidAbove = 100,
  age = 0,
} = {}): OperationFacts {
  const header = (number: bigint) => ({ number, timestamp: BigInt(NOW - age) }) as Heads['ethereum'];
  const policy = { bps: 25, toFee: () => 5_000_000n, isSteady: true };
  return {
    heads: { value: { ethereum: header(500n + BigInt(paidAbove)), partner: header(BLOCK + BigInt(above)) } },
    beginning: { value: burn },
    delivery: { value: paid },
    refund: { value: null },
    policy: { value: policy },
    wallet: { value: settings.addressBook.relayer },
    nowSeconds: NOW,
  };
}

const iso = (seconds: number) => new Date(1_000 * seconds).toISOString();
const settlement = { settledAt: iso(NOW - 1_000), txHash: hash('2') };

function judgeField(field: string, claim: object, facts: OperationFacts) {
  const whole = {
    id,
    intentId: null,
    originTxHash: hash('1'),
    originConfirmations: 6,
    originChainId: settings.addressBook.partner.chainId,
  };
  const rows = judge(id, { ...whole, createdAt: iso(BURNED_AT), ...claim } as BridgeOperationResponse, facts, {
    settings,
    verifier,
  });
  return rows.find((row) => row.field === field)?.verdict;
}

const waits = makeFacts();
const confirms = makeFacts({ above: 2 });
const mined = makeFacts({ paid: release, paidAbove: 5 });
const justPaid = makeFacts({ paid: { ...release, timestamp: BigInt(NOW - 150) }, paidAbove: 12 });
const paid = makeFacts({ paid: release });
const wrong = makeFacts({ paid: { ...release, recipient: alice } });

describe('the status', () => {
  it.each<readonly [status: string, chains: string, facts: OperationFacts, verdict: string]>([
    ['CONFIRMING', 'not final', confirms, 'agree'],
    ['CONFIRMING', 'final', waits, 'cannot tell'],
    ['CONFIRMING', 'delivered long ago', paid, 'disagree'],
    ['AWAITING_RELAY', 'not final', confirms, 'disagree'],
    ['AWAITING_RELAY', 'not final on nodes that are behind', makeFacts({ above: 2, age: 30 }), 'cannot tell'],
    ['AWAITING_RELAY', 'final', waits, 'agree'],
    ['AWAITING_RELAY', 'delivered just now', justPaid, 'cannot tell'],
    ['PROCESSING_DESTINATION', 'not delivered', waits, 'cannot tell'],
    ['PROCESSING_DESTINATION', 'delivered, not final', mined, 'agree'],
    ['PROCESSING_DESTINATION', 'delivered long ago', paid, 'disagree'],
    ['DELAYED', 'not delivered', waits, 'cannot tell'],
    ['DELAYED', 'delivered with other terms', wrong, 'cannot tell'],
    ['COMPLETED', 'delivered', paid, 'agree'],
    ['COMPLETED', 'delivered, not final', mined, 'cannot tell'],
    ['COMPLETED', 'not delivered', waits, 'disagree'],
    ['COMPLETED', 'not delivered on nodes that are behind', makeFacts({ age: 1_100 }), 'cannot tell'],
    ['COMPLETED', 'delivered with other terms', wrong, 'disagree'],
    ['COMPLETED', 'not delivered, without a settlement', waits, 'disagree'],
    ['PENDING_ORIGIN_TX', 'begun', waits, 'disagree'],
    ['FAILED', 'not delivered', waits, 'disagree'],
    ['EXPIRED', 'delivered', paid, 'disagree'],
  ])('%s of a burn that is %s', (status, chains, facts, verdict) => {
    const claim = { status, settlement: chains.endsWith('without a settlement') ? null : settlement };
    expect(judgeField('status', claim, facts)).toBe(verdict);
  });

  it('is open when the nodes do not agree', () => {
    const problem = { problem: 'Too few nodes agree' };
    const facts = { ...waits, beginning: problem, delivery: problem };
    for (const status of ['COMPLETED', 'FAILED', 'AWAITING_RELAY'])
      expect(judgeField('status', { status, settlement }, facts)).toBe('cannot tell');
  });
});

it.each([
  ['10', 'cannot tell'],
  ['1000', 'disagree'],
])('the amount %s of ten that no node shows', (amountFormatted, verdict) => {
  const unread = { ...waits, beginning: { problem: 'Too few nodes agree' }, delivery: { problem: 'Too few' } };
  const claim = { status: 'AWAITING_RELAY', asset: 'USDC', amount: '10000000', amountFormatted };
  expect(judgeField('amountFormatted', claim, unread)).toBe(verdict);
  expect(judgeField('amount', claim, unread)).toBe('cannot tell');
});

it.each([
  ['the end by the chain', iso(BURNED_AT + 612), 'agree'],
  ['a later end', iso(BURNED_AT + 3_000), 'cannot tell'],
  ['an earlier end', iso(BURNED_AT + 599), 'disagree'],
  ['no time', 'soon', 'disagree'],
])('the hold until %s', (_, holdUntil, verdict) => {
  expect(judgeField('holdUntil', { status: 'AWAITING_RELAY', holdUntil }, waits)).toBe(verdict);
});

it.each([
  [6, waits, 'agree'],
  [0, waits, 'disagree'],
  [5, confirms, 'cannot tell'],
  [6, confirms, 'disagree'],
  [6, makeFacts({ above: 2, age: 10 }), 'cannot tell'],
])('%i confirmations', (originConfirmations, facts, verdict) => {
  expect(judgeField('originConfirmations', { status: 'CONFIRMING', originConfirmations }, facts)).toBe(verdict);
});

it.each([
  [5, confirms, 'disagree'],
  [5, waits, 'cannot tell'],
  [6, confirms, 'agree'],
])('%i confirmations needed', (requiredConfirmations, facts, verdict) => {
  expect(judgeField('requiredConfirmations', { status: 'CONFIRMING', requiredConfirmations }, facts)).toBe(verdict);
});

it.each([
  [[], 'disagree'],
  [[hash('3')], 'agree'],
  [[hash('3'), hash('4')], 'cannot tell'],
])('other operations %j of the transaction', (otherOperationIds, verdict) => {
  const facts = { ...waits, beginning: { value: { ...burn, otherIds: [hash('3')] } } };
  expect(judgeField('otherOperationIds', { status: 'AWAITING_RELAY', otherOperationIds }, facts)).toBe(verdict);
});

it.each([
  ['that neither chain has', {}, 'disagree'],
  ['of a block above the heads', { createdAt: iso(NOW + 1) }, 'cannot tell'],
  ['of an intent that neither chain has', { intentId: id }, 'disagree'],
  [
    'of an intent with fewer confirmations than the nodes can be behind',
    { intentId: id, originConfirmations: 1 },
    'cannot tell',
  ],
])('a transaction %s', (_, claim, verdict) => {
  expect(judgeField('originTxHash', { status: 'CONFIRMING', ...claim }, { ...waits, beginning: { value: null } })).toBe(
    verdict,
  );
});

it('ends with a judgement of any answer', () => {
  const values = [undefined, null, 5, -1, 'x', '0X', {}, [], [[]], true, { settledAt: {}, amount: [] }];
  const fields = Object.keys(CHECK.fields).filter((field) => !field.includes('.'));
  for (const facts of [waits, paid, { ...waits, beginning: { value: null } }])
    for (const value of values)
      for (const field of fields) {
        const claim = {
          id,
          originTxHash: hash('1'),
          status: 'COMPLETED',
          [field]: value,
        } as unknown as BridgeOperationResponse;
        expect(judge(id, claim, facts, { settings, verifier }).length).toBeGreaterThan(10);
      }
});
