import type { Schedule } from './environment/schedule.ts';

/** A schedule that once failed, and the relayer's bug behind it. */
interface Regression {
  readonly bug: string;
  readonly schedule: Schedule;
}

/**
 * Every bug that the simulation has found. The schedules are written out, since seeds plan differently once a happening
 * is added.
 */
export const REGRESSIONS: readonly Regression[] = [
  {
    bug: 'The account of the wallet added up transfers while a reorg was being read, and reported a false difference.',
    schedule: {
      seed: 1182,
      happenings: [
        { atMs: 649, kind: 'intent', user: 0, payment: 'right', way: 'plain', isBound: true, isNamed: true },
        { atMs: 933, kind: 'deposit', user: 1, asset: 'XCN' },
        { atMs: 933, kind: 'deposit', user: 1, asset: 'XCN' },
        { atMs: 4457, kind: 'deposit', user: 0, asset: 'USDC' },
        { atMs: 4457, kind: 'deposit', user: 0, asset: 'USDC' },
        { atMs: 6653, kind: 'mistake', side: 'partner', asset: 'USDC', user: 2, way: 'ended', size: 'dust' },
        { atMs: 12261, kind: 'foreign nonce', side: 'partner', isUndone: true },
        { atMs: 23051, kind: 'foreign nonce', side: 'ethereum', isUndone: true },
        { atMs: 59877, kind: 'half rotation', forMs: 10169 },
      ],
    },
  },
  {
    bug: 'After an accepted reorg of final blocks, a refund whose transfer came into another block was never paid.',
    schedule: {
      seed: 1776,
      happenings: [
        { atMs: 12344, kind: 'mistake', side: 'partner', asset: 'ETH', user: 1, way: 'forwarded', size: 'usual' },
        { atMs: 17328, kind: 'intent', user: 1, payment: 'right', way: 'account', isBound: true, isNamed: false },
        { atMs: 24382, kind: 'crash', relayer: 1, afterEvents: 1, forMs: 20016 },
        { atMs: 34255, kind: 'intent', user: 1, payment: 'right', way: 'plain', isBound: false, isNamed: false },
        {
          atMs: 36676,
          kind: 'intent',
          user: 0,
          payment: 'after a stranger',
          way: 'plain',
          isBound: true,
          isNamed: false,
        },
        { atMs: 46073, kind: 'reorg', side: 'partner', depth: 5, isLossy: false },
        { atMs: 58073, kind: 'limit', side: 'ethereum', isRacing: true, forMs: 21277 },
      ],
    },
  },
  {
    bug: 'A relayer that was frozen counted the mints of the next one against them: a false alarm, "not backed".',
    schedule: { seed: 1925, happenings: [{ atMs: 1043, kind: 'freeze', relayer: 1, forMs: 23840 }] },
  },
  {
    bug: 'A mint was in the rows of a branch that a reorg had removed, and in flight: a false alarm, "not backed".',
    schedule: {
      seed: 4685,
      happenings: [
        { atMs: 10983, kind: 'deposit', user: 0, asset: 'XCN' },
        { atMs: 32927, kind: 'reorg', side: 'partner', depth: 2, isLossy: true },
      ],
    },
  },
  {
    bug: 'A refund was paid whose gas cost more than half of it.',
    schedule: {
      seed: 1018,
      happenings: [
        { atMs: 32_500, kind: 'mistake', side: 'partner', asset: 'XCN', user: 2, way: 'forwarded', size: 'small' },
      ],
    },
  },
];
