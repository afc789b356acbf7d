import { describe, expect, it } from '@jest/globals';
import type { Finding, Heads, Side, TrustChange } from '@causeway/verifier';
import { judge, type Evidence } from './judgement.js';
import { isAnswered, isLifted, type PauseSet } from './pauses.js';

const aPause = (time: number, count: number, isOpen = false): PauseSet => ({
  time: BigInt(time),
  count: BigInt(count),
  isOpen,
});

describe('isAnswered', () => {
  it.each<readonly [string, boolean, readonly PauseSet[]]>([
    ['no pause', false, []],
    ['a pause that stands', false, [aPause(105, 1)]],
    ['a pause that was lifted', true, [aPause(105, 1), aPause(900, 1, true)]],
    ['a pause of one direction', false, [aPause(105, 1), aPause(106, 2, true)]],
    ['a lift that came before the theft', false, [aPause(98, 1), aPause(99, 1, true), aPause(105, 2)]],
    ['a lift of a pause from long before the theft', false, [aPause(10, 1), aPause(105, 1, true)]],
    ['a lift of a pause on a chain whose clock is late', true, [aPause(95, 1), aPause(900, 1, true)]],
    ['a lift and another pause', true, [aPause(105, 1), aPause(900, 1, true), aPause(950, 2)]],
  ])('knows %s', (_, expected, sets) => {
    expect(isAnswered(sets, 100n)).toBe(expected);
  });
});

it('takes a lift after a shortage as its answer, whenever the pause began', () => {
  expect(isLifted([aPause(10, 1), aPause(99, 1, true)], 100n)).toBe(false);
  expect(isLifted([aPause(10, 1), aPause(105, 1, true)], 100n)).toBe(true);
  expect(isLifted([aPause(10, 1), aPause(105, 2)], 100n)).toBe(false);
});

const aFinding = (code: Finding['code'], side: Side, blockNumber: bigint): Finding => ({
  code,
  side,
  blockNumber,
  id: null,
  asset: null,
  transactionHash: null,
  why: '',
});
/** Blocks of one second each, so that numbers are times. */
const toHeads = (ethereum: bigint, partner: bigint) =>
  ({
    ethereum: { number: ethereum, timestamp: ethereum },
    partner: { number: partner, timestamp: partner },
  }) as unknown as Heads;
const conclude = async (given: Partial<Evidence['ledger']>, heads = toHeads(100n, 100n), until = heads) => {
  const ledger = { findings: [], unexplained: [], trust: [], ...given };
  const evidence = { ledger, heads, until, shortages: [], readTime: async (_: Side, block: bigint) => block };
  return judge(evidence, { ethereum: 10n, partner: 5n });
};
const count = async (...given: Parameters<typeof conclude>) => {
  const { thefts, waiting, wanted } = await conclude(...given);
  return [thefts.length, waiting.length, wanted.ethereum && wanted.partner];
};

describe('judge', () => {
  it('pauses for a theft, but not for another contradiction', async () => {
    expect(await count({ findings: [aFinding('OTHER_TERMS', 'partner', 100n)] })).toEqual([1, 0, true]);
    const changed = await conclude({ findings: [aFinding('UNANNOUNCED', 'ethereum', 100n)] });
    expect(changed).toMatchObject({ findings: [{ code: 'UNANNOUNCED' }], thefts: [], wanted: { ethereum: false } });
  });

  it('counts a delivery without an origin once the origin chain is known up to its time, less the confirmations', async () => {
    const unexplained = [aFinding('NO_ORIGIN', 'partner', 100n)];
    expect(await count({ unexplained }, toHeads(89n, 100n))).toEqual([0, 1, false]);
    expect(await count({ unexplained }, toHeads(90n, 100n))).toEqual([1, 0, true]);
    const release = [aFinding('NOT_SWEPT', 'ethereum', 100n)];
    expect(await count({ unexplained: release }, toHeads(100n, 94n))).toEqual([0, 1, false]);
    expect(await count({ unexplained: release }, toHeads(100n, 95n))).toEqual([1, 0, true]);
  });

  it('waits with deliveries in blocks that were read after the origin, and counts older ones', async () => {
    const unexplained = [aFinding('NO_ORIGIN', 'partner', 99n), aFinding('NO_ORIGIN', 'partner', 101n)];
    expect(await count({ unexplained }, toHeads(100n, 101n), toHeads(100n, 100n))).toEqual([1, 1, true]);
  });

  it('wants no pause on a chain where the admin has lifted one since', async () => {
    const pauseSet = (blockNumber: bigint, until: string, isPaused: boolean) =>
      ({
        side: 'partner',
        name: 'PauseSet',
        blockNumber,
        text: `beginningsPausedUntil ${until}, deliveriesPaused ${isPaused}, count 1, by 0x1`,
      }) as TrustChange;
    const findings = [aFinding('PAID_TWICE', 'ethereum', 90n)];
    const trust = [pauseSet(91n, '604891', true), pauseSet(95n, '0', false)];
    expect((await conclude({ findings, trust })).wanted).toEqual({ ethereum: true, partner: false });
  });
});
