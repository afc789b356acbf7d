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

describe('the allowed actions', () => {
  it.each<readonly [string, ActionFacts, readonly string[]]>([
    ['while it is confirming', facts({}), []],
    [
      'while it is delayed until a retry time',
      facts({ status: 'DELAYED', delayedReason: 'PAUSED', nextAttemptAt: LATER }),
      ['RETRY'],
    ],
    ['while it is delayed until an event', facts({ status: 'DELAYED', delayedReason: 'DELIVERY_CANCELLED' }), []],
    ['while it is delivered', facts(delivering, { pending }), []],
    ['of a delivery whose origin was reorganized away', facts(delivering, { pending, hasOrigin: false }), ['CANCEL']],
    ['of a delivery while nodes disagree about its origin', facts(delivering, { pending, hasOrigin: null }), []],
    ['of a delivery on a halted chain', facts(delivering, { pending, hasOrigin: false, isHalted: true }), []],
    ['of a cancelled delivery', facts(delivering, { pending: { isCancelled: true }, hasOrigin: false }), []],
    ['of an intent in its hold', facts({ kind: 'INTENT', status: 'AWAITING_RELAY' }), ['INTENT_REJECT']],
    ['of a rejected intent', facts({ kind: 'INTENT', status: 'AWAITING_RELAY' }, { isRejected: true }), []],
    ['of a released intent', facts({ kind: 'INTENT', ...delivering }, { pending }), []],
    ['of an expired intent', facts({ kind: 'INTENT', status: 'EXPIRED' }), []],
    [
      'of a refund that waits for a decision',
      facts({ status: 'FAILED' }, { refund: { status: 'REQUESTED' } }),
      ['REFUND_APPROVE', 'REFUND_REFUSE'],
    ],
    ['of a refund that is being paid', facts({ status: 'FAILED' }, { refund: { status: 'PENDING' } }), []],
    ['once completed', facts({ status: 'COMPLETED' }), []],
  ])('%s', (_, given, expected) => {
    expect(allowedActions(given)).toEqual(expected);
  });
});
