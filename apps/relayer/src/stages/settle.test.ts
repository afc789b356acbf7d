import { describe, expect, it } from '@jest/globals';
import { QuorumError } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { FinalDelivery, Operation } from '@causeway/store';
import { aHash, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { SettleStage } from './settle.js';

const FENCE = { name: 'relayer', token: 1n };
const book = anAddressBook();
const TOKEN = book.partner.tokens.USDC.toLowerCase();
const RECIPIENT = '0x00000000000000000000000000000000000000aa';

const OWED = {
  asset: 'USDC',
  recipient: RECIPIENT,
  outputAmount: 7n,
  fee: 0n,
  destinationChainId: PARTNER,
  status: 'AWAITING_RELAY',
};

/** The newest block that was read. */
const HEAD = 100n;

/** The delivery of 7 USDC units in a block. */
function delivered(blockNumber: bigint, amount = '7', isReopened = false): FinalDelivery {
  const args = { token: TOKEN, recipient: RECIPIENT, amount };
  const place = { name: 'Mint', chainId: PARTNER, operationId: aHash(), txHash: aHash() };
  return { ...place, blockNumber, args, isReopened } as unknown as FinalDelivery;
}

/**
 * How a run differs. `unknown`: deliveries without an operation; `owed`: other terms of all operations; `moved`:
 * operations that another step ended first.
 */
interface Run {
  readonly failing: readonly string[];
  readonly moved: readonly string[];
  readonly unknown: readonly FinalDelivery[];
  readonly owed: Partial<Operation>;
  readonly head: bigint | null;
  readonly isFinal: FinalityCheck;
}

/** Runs the stage with deliveries on the partner chain. Each failing operation fails the step that it is part of. */
async function settle(
  known: readonly FinalDelivery[],
  { failing = [], moved = [], unknown = [], owed = {}, head = HEAD, isFinal = async () => true }: Partial<Run> = {},
) {
  const deliveries = [...unknown, ...known];
  const ids = new Set<string>(known.map(({ operationId }) => operationId));
  const settled: string[] = [];
  const delayed: string[] = [];
  const pages: (string | null)[] = [];
  const logged: unknown[] = [];
  const withoutMoved = (ended: readonly string[]) => new Set(ended.filter((id) => !moved.includes(id)));
  const store = {
    scan: { latestBlock: async () => (head === null ? null : { number: head, hash: aHash(), timestamp: new Date(0) }) },
    operations: {
      findFinalDeliveries: async (chainId: number, finalBlock: bigint, after: FinalDelivery | null, limit: number) => {
        if (chainId !== PARTNER) return [];
        pages.push(after?.operationId ?? null);
        return deliveries
          .slice(after === null ? 0 : deliveries.indexOf(after) + 1)
          .filter(({ blockNumber }) => blockNumber <= finalBlock)
          .slice(0, limit);
      },
      findByIds: async (asked: readonly string[]) =>
        asked.filter((id) => ids.has(id)).map((id) => ({ id, ...OWED, ...owed }) as unknown as Operation),
      delayUsedUp: async (_: unknown, wrong: readonly FinalDelivery[]) => {
        const usedUp = wrong.map(({ operationId }) => operationId);
        delayed.push(...withoutMoved(usedUp));
        return withoutMoved(usedUp);
      },
      settleAll: async (_: unknown, part: readonly FinalDelivery[]) => {
        const paid = part.map(({ operationId }) => operationId);
        const broken = paid.find((id) => failing.includes(id));
        if (broken !== undefined) throw new Error(`of ${broken}`);
        settled.push(...withoutMoved(paid));
        return withoutMoved(paid);
      },
    },
  };
  const chain = { confirmations: 3, finality: { isFinal } };
  const chains = {
    ethereum: { ...chain, side: 'ethereum' as const, chainId: ETHEREUM },
    partner: { ...chain, side: 'partner' as const, chainId: PARTNER },
  };
  const stage = new SettleStage(
    chains,
    store,
    { addressBook: book },
    pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) }),
  );
  const outcome: unknown = await stage.run(FENCE).catch((error: unknown) => error);
  return { settled, delayed, outcome, pages, logged };
}

type FinalityCheck = (delivery: FinalDelivery, confirmations: number) => Promise<boolean>;

describe('the stage settle', () => {
  it('completes the operations whose deliveries a quorum has, and returns true', async () => {
    const [one, other] = [delivered(10n), delivered(11n)];
    const { settled, outcome } = await settle([one, other]);
    expect(settled).toEqual([one.operationId, other.operationId]);
    expect(outcome).toBe(true);
  });

  it('completes a delivery with exactly the required confirmations, and none with one less', async () => {
    const isFinal: FinalityCheck = async ({ blockNumber }, needed) => confirmations(HEAD, blockNumber) >= needed;
    const [final, younger] = [delivered(HEAD - 2n), delivered(HEAD - 1n)];
    expect((await settle([final, younger], { isFinal })).settled).toEqual([final.operationId]);
    // A node that is asked about the finality of the younger block might lie.
    expect((await settle([final, younger])).settled).toEqual([final.operationId]);
  });

  it('logs only what it ended itself', async () => {
    const [right, wrong] = [delivered(10n), delivered(11n, '6')];
    const { logged } = await settle([right, wrong]);
    expect(logged).toMatchObject([
      { level: 30, operationId: right.operationId, txHash: right.txHash, msg: 'completed' },
      { level: 60, operationId: wrong.operationId, paid: wrong.args, msg: 'the number is used up with other terms' },
    ]);
    const moved = [right.operationId, wrong.operationId];
    expect(await settle([right, wrong], { moved })).toMatchObject({ settled: [], delayed: [], logged: [] });
  });

  it('completes nothing that the nodes do not have, and delays an operation that was paid with other terms', async () => {
    const invented = delivered(10n);
    const wrong = delivered(11n, '6');
    const isFinal: FinalityCheck = async ({ operationId }) => operationId !== invented.operationId;
    expect(await settle([invented, wrong], { isFinal })).toMatchObject({
      settled: [],
      delayed: [wrong.operationId],
      outcome: true,
    });
  });

  it('ignores wrong terms that the nodes do not have, or of an operation that has ended', async () => {
    const wrong = delivered(11n, '6');
    const nothing = { settled: [], delayed: [], outcome: false };
    expect(await settle([wrong], { isFinal: async () => false })).toMatchObject(nothing);
    expect(await settle([wrong], { owed: { status: 'COMPLETED' } })).toMatchObject(nothing);
  });

  it('returns false when nothing was delivered or read', async () => {
    const nothing = { settled: [], delayed: [], outcome: false };
    expect(await settle([])).toMatchObject(nothing);
    expect(await settle([delivered(10n)], { head: null })).toMatchObject(nothing);
  });

  it('finds a delivery after a full page of deliveries without an operation', async () => {
    const unknown = Array.from({ length: 500 }, () => delivered(9n));
    const last = delivered(10n);
    const { settled, pages } = await settle([last], { unknown });
    expect(settled).toEqual([last.operationId]);
    expect(pages).toEqual([null, unknown[499]?.operationId]);
  });

  it('leaves deliveries after a full page to the next run if it completed some of that page', async () => {
    const unknown = Array.from({ length: 499 }, () => delivered(9n));
    const { settled, pages } = await settle([delivered(10n), delivered(11n)], { unknown });
    expect([settled.length, pages.length]).toEqual([1, 1]);
  });

  it('fails when a check of finality fails for another reason than the nodes', async () => {
    const isFinal: FinalityCheck = async () => {
      throw new TypeError('a defect');
    };
    expect((await settle([delivered(10n)], { isFinal })).outcome).toEqual(new TypeError('a defect'));
  });

  it('completes the others while the nodes disagree about one block', async () => {
    const [disputed, other] = [delivered(10n), delivered(11n)];
    const isFinal: FinalityCheck = async ({ blockNumber }) => {
      if (blockNumber === disputed.blockNumber) throw new QuorumError('partner', 2, []);
      return true;
    };
    const { settled, outcome, logged } = await settle([disputed, other], { isFinal });
    expect(settled).toEqual([other.operationId]);
    expect(outcome).toBe(true);
    expect(logged).toContainEqual(expect.objectContaining({ level: 40, operationId: disputed.operationId }));
  });

  it('completes the others when one cannot be written, and then throws', async () => {
    const [one, broken, other] = [delivered(10n), delivered(11n), delivered(12n)];
    const { settled, outcome } = await settle([one, broken, other], { failing: [broken.operationId] });
    expect(settled.toSorted()).toEqual([one.operationId, other.operationId].toSorted());
    expect(outcome).toEqual(new Error(`of ${broken.operationId}`));
  });
});
