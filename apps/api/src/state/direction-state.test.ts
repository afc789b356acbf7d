import { describe, expect, it } from '@jest/globals';
import type { ClosedReason } from '@causeway/protocol';
import { toDirectionState, type DirectionFacts } from './direction-state.js';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const later = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
/** 1,000 USDC can leave per hour, 400 of them now; 700 are held. */
const open: DirectionFacts = {
  funds: {
    direction: 'PARTNER_TO_ETHEREUM',
    stoppedBy: null,
    isHalted: false,
    room: 400_000_000n,
    capacity: 1_000_000_000n,
    windowSeconds: 3_600n,
    held: 700_000_000n,
  },
  minAmount: 10_000_000n,
  isPaused: false,
  pausedUntil: null,
};
const withFunds = (funds: Partial<DirectionFacts['funds']>, over: Partial<DirectionFacts> = {}): DirectionFacts => ({
  ...open,
  ...over,
  funds: { ...open.funds, ...funds },
});

describe('toDirectionState', () => {
  it.each<[string, DirectionFacts, ClosedReason | null, string | null]>([
    ['is open with room and funds for the minimum', open, null, null],
    ['is open without a minimum and with one unit left', withFunds({ room: 1n }, { minAmount: 0n }), null, null],
    ['closes below the minimum until the limit refills', withFunds({ room: 0n }), 'LIMIT_REACHED', later(37)],
    ['closes when pending operations exceed the limit', withFunds({ room: -1n }), 'LIMIT_REACHED', later(37)],
    ['closes without collateral or float', withFunds({ held: 9_999_999n }), 'FUNDS_SHORT', null],
    ['shows the end of a pause', { ...open, isPaused: true, pausedUntil: later(60) }, 'PAUSED', later(60)],
    ['shows paused deliveries', withFunds({ stoppedBy: 'PAUSED' }), 'DELIVERIES_PAUSED', null],
    ['shows a halt instead of a pause', withFunds({ stoppedBy: 'PAUSED', isHalted: true }), 'CHAIN_HALTED', null],
    ['shows an absent relayer', withFunds({ stoppedBy: 'RELAYER_AWAY' }), 'RELAYER_AWAY', null],
    [
      'shows a pause before an absent relayer',
      withFunds({ stoppedBy: 'RELAYER_AWAY' }, { isPaused: true }),
      'PAUSED',
      null,
    ],
    [
      'shows an absent chain before a pause',
      withFunds({ stoppedBy: 'CHAIN_AWAY' }, { isPaused: true }),
      'CHAIN_AWAY',
      null,
    ],
    ['shows an absent database', withFunds({ stoppedBy: 'DATABASE_AWAY' }), 'DATABASE_AWAY', null],
  ])('%s', (_, facts, reason, until) => {
    const of = { asset: 'USDC', direction: 'PARTNER_TO_ETHEREUM' };
    expect(toDirectionState('USDC', facts, NOW)).toMatchObject({ ...of, open: reason === null, reason, until });
  });

  it('shows the limit, and 0 when pending operations exceed it', () => {
    const limit = { capacity: '1000000000', capacityFormatted: '1000' };
    const shown = (facts: DirectionFacts) => toDirectionState('USDC', facts, NOW).limit;
    expect(shown(open)).toEqual({ ...limit, remaining: '400000000', remainingFormatted: '400' });
    expect(shown(withFunds({ room: -1n }))).toEqual({ ...limit, remaining: '0', remainingFormatted: '0' });
  });
});
