import { describe, expect, it } from '@jest/globals';
import { allowedActions, type ActionFacts } from './allowed-actions.js';

const LATER = new Date(2_000_000_000_000);
const facts = (operation: Partial<ActionFacts['operation']>, over: Partial<ActionFacts> = {}): ActionFacts => ({
  operation: {
    id: `0x${'1'.repeat(64)}`,
    kind: 'DEPOSIT',
    status: 'CONFIRMING',
    delayedReason: null,
    nextAttemptAt: null,
    ...operation,
  },
  refund: null,
  pending: null,
  isRejected: false,
  isHalted: false,
  hasOrigin: true,
  ...over,
});
const pending = { isCancelled: false };
const delivering = { status: 'PROCESSING_DESTINATION' } as const;

describe('the actions that make sense', () => {
  it.each<readonly [string, ActionFacts, readonly string[]]>([
    ['while it confirms', facts({}), []],
    [
      'while it is delayed until a time',
      facts({ status: 'DELAYED', delayedReason: 'PAUSED', nextAttemptAt: LATER }),
      ['RETRY'],
    ],
    ['while it is delayed until an event', facts({ status: 'DELAYED', delayedReason: 'DELIVERY_CANCELLED' }), []],
    ['while it is delivered', facts(delivering, { pending }), []],
    ['of a delivery that lost its origin', facts(delivering, { pending, hasOrigin: false }), ['CANCEL']],
    ['of one whose nodes do not agree', facts(delivering, { pending, hasOrigin: null }), []],
    ['of one on a halted chain', facts(delivering, { pending, hasOrigin: false, isHalted: true }), []],
    ['of one that is cancelled', facts(delivering, { pending: { isCancelled: true }, hasOrigin: false }), []],
    ['of an intent that waits for its hold', facts({ kind: 'INTENT', status: 'AWAITING_RELAY' }), ['INTENT_REJECT']],
    ['of an intent that is rejected', facts({ kind: 'INTENT', status: 'AWAITING_RELAY' }, { isRejected: true }), []],
    ['of an intent that is released', facts({ kind: 'INTENT', ...delivering }, { pending }), []],
    ['of an intent that has expired', facts({ kind: 'INTENT', status: 'EXPIRED' }), []],
    [
      'of a refund that waits',
      facts({ status: 'FAILED' }, { refund: { status: 'REQUESTED' } }),
      ['REFUND_APPROVE', 'REFUND_REFUSE'],
    ],
    ['of a refund that is being paid', facts({ status: 'FAILED' }, { refund: { status: 'PENDING' } }), []],
    ['at the end', facts({ status: 'COMPLETED' }), []],
  ])('%s', (_, given, expected) => {
    expect(allowedActions(given)).toEqual(expected);
  });
});
