import { describe, expect, it } from '@jest/globals';
import type { ClosedReason, DirectionState, StateResponse } from '@causeway/sdk';
import { CLOSED_WORDS } from '../words/status.js';
import { readDirection } from './direction-state.js';

const UNTIL = '2027-01-15T08:00:00.000Z';
const chain = (problem: string | null) => ({ chainId: 1, connected: problem === null, problem, newestBlock: null });
const stateWith = (over: Partial<DirectionState>): StateResponse => ({
  time: UNTIL,
  chains: { ethereum: chain(null), partner: chain('It makes no blocks.') },
  relayer: { connected: false, problem: 'It is not running.' },
  attesters: null,
  directions: [
    { asset: 'ETH', direction: 'ETHEREUM_TO_PARTNER', open: true, reason: null, until: null, limit: null, ...over },
  ],
  assets: [],
  announcements: null,
});
const read = (over: Partial<DirectionState>) => readDirection(stateWith(over), 'ETH', 'ETHEREUM_TO_PARTNER');

describe('readDirection', () => {
  it('is open while the API says so, and for an asset that it does not name', () => {
    const open = { open: true, reason: null, problem: null, until: null };
    expect(read({})).toEqual(open);
    expect(readDirection(stateWith({ open: false }), 'ETH', 'PARTNER_TO_ETHEREUM')).toEqual(open);
  });

  it.each(Object.entries(CLOSED_WORDS))('is closed by %s, in words and with its end', (reason, words) => {
    const problem = { RELAYER_AWAY: 'It is not running.', CHAIN_AWAY: 'It makes no blocks.' }[reason];
    expect(read({ open: false, reason: reason as ClosedReason, until: UNTIL })).toEqual({
      open: false,
      reason: words,
      problem: problem ?? (reason === 'CHAIN_HALTED' ? 'It makes no blocks.' : null),
      until: UNTIL,
    });
  });

  it('names a reason that it does not know', () => {
    expect(read({ open: false, reason: 'NEW' as ClosedReason }).reason).toBe('This direction is closed (NEW).');
  });
});
