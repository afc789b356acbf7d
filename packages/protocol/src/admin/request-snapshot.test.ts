import { describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { validateRequest, type RequestTerms } from './actions/table.js';
import { computeVersion } from './request-snapshot-version.js';
import { parseRequestSnapshot, type RequestSnapshot } from './request-snapshot.js';

const id: Hex = `0x${'1'.repeat(64)}`;
const address: Address = `0x${'a'.repeat(40)}`;
const operation = (isPaused: boolean): RequestSnapshot => ({
  about: 'operation',
  status: 'DELAYED',
  delayedReason: 'FLOAT_SHORT',
  isPaused,
});
const delivery = (change: object = {}): RequestSnapshot => ({
  about: 'delivery',
  status: 'DELAYED',
  isHalted: false,
  chainId: 1,
  sender: address,
  nonce: '5',
  operationIds: [id],
  isCancelled: false,
  ...change,
});
const halt = { since: '2026-01-01T00:00:00.000Z', reason: 'a test' };
const unknown = [{ name: 'Mint', operationId: id, chainId: 296, txHash: id, logIndex: 0, args: { amount: '1' } }];
const refund = (status: 'REQUESTED' | 'APPROVED' | 'PENDING' | 'COMPLETED' | 'REFUSED'): RequestSnapshot => ({
  about: 'refund',
  status,
  operationId: id,
  chainId: 296,
  asset: 'XCN',
  amount: '100',
  payer: address,
  recipient: null,
});
const intent = (change: object): RequestSnapshot => ({
  about: 'intent',
  sender: address,
  recipient: address,
  amount: '100',
  isOpen: true,
  isRejected: false,
  ...change,
});
const approve = (amount: string): RequestTerms => ({
  kind: 'REFUND_APPROVE',
  refundId: id,
  recipient: address,
  amount,
});
const resume = (target: 'ethereum' | 'deliveries', accept: 'nothing' | 'reorg' | 'unknown'): RequestTerms => ({
  kind: 'RESUME',
  target,
  accept,
});
const NOTHING: RequestSnapshot = { about: 'nothing' };

describe('validateRequest', () => {
  it.each<readonly [RequestTerms, RequestSnapshot, string | null]>([
    [{ kind: 'RETRY', operationId: id }, operation(true), null],
    [{ kind: 'RETRY', operationId: id }, operation(false), 'nothing to retry'],
    [{ kind: 'RETRY', operationId: id }, NOTHING, 'no operation'],
    [{ kind: 'CANCEL', operationId: id }, delivery(), null],
    [{ kind: 'CANCEL', operationId: id }, delivery({ isCancelled: true }), 'cancelled already'],
    [{ kind: 'CANCEL', operationId: id }, delivery({ isHalted: true }), 'halted'],
    [{ kind: 'CANCEL', operationId: id }, operation(true), 'no pending transaction'],
    [{ kind: 'HALT', target: 'partner' }, { about: 'halt', halt: null, unknown: [] }, null],
    [{ kind: 'HALT', target: 'partner' }, { about: 'halt', halt, unknown: [] }, 'a test'],
    [{ kind: 'HALT', target: 'partner' }, NOTHING, 'never read'],
    [resume('ethereum', 'nothing'), { about: 'halt', halt, unknown: [] }, null],
    [resume('ethereum', 'reorg'), { about: 'halt', halt, unknown: [] }, null],
    [resume('ethereum', 'unknown'), { about: 'halt', halt, unknown: [] }, 'Only the deliveries'],
    [resume('ethereum', 'nothing'), { about: 'halt', halt: null, unknown: [] }, 'nothing to resume'],
    [resume('deliveries', 'reorg'), { about: 'halt', halt, unknown: [] }, 'Only a chain'],
    [resume('deliveries', 'nothing'), { about: 'halt', halt, unknown }, '1 unknown'],
    [resume('deliveries', 'nothing'), { about: 'halt', halt, unknown: [] }, null],
    [resume('deliveries', 'unknown'), { about: 'halt', halt, unknown }, null],
    [approve('100'), refund('REQUESTED'), null],
    [approve('100'), refund('APPROVED'), null],
    [approve('99'), refund('REQUESTED'), 'exactly that'],
    [approve('100'), refund('PENDING'), 'nothing is left'],
    [approve('100'), NOTHING, 'no refund'],
    [{ kind: 'REFUND_REFUSE', refundId: id }, refund('REFUSED'), 'nothing is left'],
    [{ kind: 'INTENT_REJECT', intentId: id }, intent({}), null],
    [{ kind: 'INTENT_REJECT', intentId: id }, intent({ isOpen: false }), 'cannot be rejected'],
    [{ kind: 'INTENT_REJECT', intentId: id }, intent({ isRejected: true }), 'rejected already'],
    [{ kind: 'INTENT_REJECT', intentId: id }, NOTHING, 'no intent'],
    [{ kind: 'MEMBER_SET', address, role: 'viewer' }, { about: 'member', role: null }, null],
    [{ kind: 'MEMBER_SET', address, role: 'viewer' }, { about: 'member', role: 'viewer' }, 'already'],
    [{ kind: 'MEMBER_REMOVE', address }, { about: 'member', role: null }, 'No request'],
    [{ kind: 'MEMBER_REMOVE', address }, { about: 'member', role: 'admin' }, null],
  ])('%j on %j: %s', (terms, on, expected) => {
    const objection = validateRequest(terms, on);
    if (expected === null) expect(objection).toBeNull();
    else expect(objection).toContain(expected);
  });
});

describe('computeVersion', () => {
  it('changes with every part of the state', () => {
    const states = [operation(true), operation(false), delivery(), delivery({ nonce: '6' }), refund('REQUESTED')];
    expect(new Set(states.map(computeVersion)).size).toBe(states.length);
  });
});

describe('parseRequestSnapshot', () => {
  it.each([{ about: 'nothing' } as const, operation(true), delivery(), refund('REQUESTED'), intent({})])(
    'takes %j as it stands',
    (state) => {
      expect(parseRequestSnapshot(state)).toBe(state);
    },
  );

  it.each([{}, [], null, { about: 'moon' }, { ...refund('REQUESTED'), more: 1.5 }, { ...intent({}), amount: '-1' }])(
    'takes no %j',
    (state) => {
      expect(parseRequestSnapshot(state)).toBeNull();
    },
  );
});
