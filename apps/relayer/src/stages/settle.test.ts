import { describe, expect, it } from '@jest/globals';
import { QuorumError } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { FinalDelivery, Operation, Store } from '@causeway/store';
import { aHash, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import type { BridgeChains } from '../bridge-chain.js';
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
function delivered(blockNumber: bigint, amount = '7'): FinalDelivery {
  const args = { token: TOKEN, recipient: RECIPIENT, amount };
  const place = { name: 'Mint', chainId: PARTNER, operationId: aHash(), txHash: aHash() };
  return { ...place, blockNumber, args } as unknown as FinalDelivery;
}

/** How a run differs. `unknown`: deliveries without an operation; `owed`: other terms of all operations. */
interface Run {
  readonly failing: readonly string[];
  readonly unknown: readonly FinalDelivery[];
  readonly owed: Partial<Operation>;
  readonly head: bigint | null;
  readonly isFinal: FinalityCheck;
}

/** Runs the stage with deliveries on the partner chain. Each failing operation fails the step that it is part of. */
async function settle(
  known: readonly FinalDelivery[],
  { failing = [], unknown = [], owed = {}, head = HEAD, isFinal = async () => true }: Partial<Run> = {},
) {
  const deliveries = [...unknown, ...known];
  const ids = new Set<string>(known.map(({ operationId }) => operationId));
  const settled: string[] = [];
  const delayed: string[] = [];
  const store = {
    scan: { latestBlock: async () => (head === null ? null : { number: head }) },
    operations: {
      findFinalDeliveries: async (chainId: number, finalBlock: bigint, after: FinalDelivery | null, limit: number) =>
        deliveries
          .slice(after === null ? 0 : deliveries.indexOf(after) + 1)
          .filter(({ blockNumber }) => chainId === PARTNER && blockNumber <= finalBlock)
          .slice(0, limit),
      findByIds: async (asked: readonly string[]) =>
        asked.filter((id) => ids.has(id)).map((id) => ({ id, ...OWED, ...owed }) as unknown as Operation),
      delayUsedUp: async (_: unknown, wrong: readonly FinalDelivery[]) => {
        const usedUp = wrong.map(({ operationId }) => operationId);
        delayed.push(...usedUp);
        return new Set(usedUp);
      },
      settleAll: async (_: unknown, part: readonly FinalDelivery[]) => {
        const paid = part.map(({ operationId }) => operationId);
        const broken = paid.find((id) => failing.includes(id));
        if (broken !== undefined) throw new Error(`of ${broken}`);
        settled.push(...paid);
        return new Set(paid);
      },
    },
  } as unknown as Store;
  const chain = { confirmations: 3, finality: { isFinal } };
  const chains = {
    ethereum: { ...chain, side: 'ethereum', chainId: ETHEREUM },
    partner: { ...chain, side: 'partner', chainId: PARTNER },
  };
  const stage = new SettleStage(
    chains as unknown as BridgeChains,
    store,
    { addressBook: book },
    pino({ level: 'silent' }),
  );
  const outcome: unknown = await stage.run(FENCE).catch((error: unknown) => error);
  return { settled, delayed, outcome };
}

type FinalityCheck = (delivery: FinalDelivery, confirmations: number) => Promise<boolean>;

describe('the stage settle', () => {
  it('completes the operations whose deliveries a quorum has, and says that it wrote', async () => {
    const [one, other] = [delivered(10n), delivered(11n)];
    const { settled, outcome } = await settle([one, other]);
    expect(settled).toEqual([one.operationId, other.operationId]);
    expect(outcome).toBe(true);
  });

  it('completes a delivery with exactly the needed confirmations, and none with one less', async () => {
    const isFinal: FinalityCheck = async ({ blockNumber }, needed) => confirmations(HEAD, blockNumber) >= needed;
    const [final, younger] = [delivered(HEAD - 2n), delivered(HEAD - 1n)];
    const { settled } = await settle([final, younger], { isFinal });
    expect(settled).toEqual([final.operationId]);
  });

  it('completes nothing that the nodes do not have, and delays an operation that was paid with other terms', async () => {
    const invented = delivered(10n);
    const wrong = delivered(11n, '6');
    const isFinal: FinalityCheck = async ({ operationId }) => operationId !== invented.operationId;
    expect(await settle([invented, wrong], { isFinal })).toEqual({
      settled: [],
      delayed: [wrong.operationId],
      outcome: true,
    });
  });

  it('delays nothing for wrong terms that the nodes do not have, or of an operation that has ended', async () => {
    const wrong = delivered(11n, '6');
    const nothing = { settled: [], delayed: [], outcome: false };
    expect(await settle([wrong], { isFinal: async () => false })).toEqual(nothing);
    expect(await settle([wrong], { owed: { status: 'COMPLETED' } })).toEqual(nothing);
  });

  it('says that it wrote nothing when nothing was delivered or read', async () => {
    expect(await settle([])).toEqual({ settled: [], delayed: [], outcome: false });
    expect(await settle([delivered(10n)], { head: null })).toEqual({ settled: [], delayed: [], outcome: false });
  });

  it('finds a delivery behind a full page of deliveries without an operation', async () => {
    const unknown = Array.from({ length: 500 }, () => delivered(9n));
    const last = delivered(10n);
    expect((await settle([last], { unknown })).settled).toEqual([last.operationId]);
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
    const { settled, outcome } = await settle([disputed, other], { isFinal });
    expect(settled).toEqual([other.operationId]);
    expect(outcome).toBe(true);
  });

  it('completes the others when one cannot be written, and then throws', async () => {
    const [one, broken, other] = [delivered(10n), delivered(11n), delivered(12n)];
    const { settled, outcome } = await settle([one, broken, other], { failing: [broken.operationId] });
    expect(settled.toSorted()).toEqual([one.operationId, other.operationId].toSorted());
    expect(outcome).toEqual(new Error(`of ${broken.operationId}`));
  });
});
