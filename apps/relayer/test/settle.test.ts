import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getToken } from '@causeway/protocol';
import { openStore, type Fence, type Operation, type OperationTerms, type Store } from '@causeway/store';
import { aBlock, aBurn, aDeposit, opening, paying, reopening } from '@causeway/store/test';
import {
  anAddress,
  anAddressBook,
  ETHEREUM,
  PARTNER,
  loginUrl,
  temporaryDatabase,
  type PostgresServer,
} from '@causeway/test-kit';
import { pino } from 'pino';
import { readFinalBlock } from '../src/pipeline/origin.js';
import { SettleStage } from '../src/stages/settle.js';
import { makeTables } from './make-tables.js';

// How settle judges right and wrong deliveries, on a real database. The nodes are scripted: they have every block.

const book = anAddressBook();
const CONFIRMATIONS = 3;

let database: PostgresServer;
let store: Store;
let fence: Fence;

beforeAll(async () => {
  database = await temporaryDatabase(makeTables);
  store = openStore({ databaseUrl: loginUrl(database.url, 'causeway_relayer'), onIdleError: () => undefined });
  fence = (await store.lease.acquire('relayer', 'test', 600_000))!;
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
});
afterAll(async () => {
  await store.close();
  await database.stop();
});

const finality = { isFinal: async () => true };
const chains = {
  ethereum: { side: 'ethereum', chainId: ETHEREUM, confirmations: CONFIRMATIONS, finality },
  partner: { side: 'partner', chainId: PARTNER, confirmations: CONFIRMATIONS, finality },
};
const settle = async () =>
  new SettleStage(chains as never, store, { addressBook: book }, pino({ level: 'silent' })).run(fence);

async function mine(chainId: number, events: NonNullable<Parameters<typeof aBlock>[1]>['events'] = []) {
  const block = aBlock((await store.scan.cursor(chainId))!.nextBlock, { events });
  await store.scan.extend(fence, chainId, [block], block.number);
  return block;
}

/** Begins final operations. `holdUntil`: the end of the hold of withdrawals. */
async function begin(operations: readonly OperationTerms[], holdUntil: Date | null = null): Promise<void> {
  const [first] = operations;
  const { hash: blockHash, timestamp: finalizedAt } = await mine(first!.originChainId, operations.map(opening));
  const origin = { blockHash, confirmations: 12, finalizedAt, holdUntil };
  await store.operations.finalizeAll(
    fence,
    operations.map(({ id: operationId }) => ({ operationId, ...origin })),
  );
}

/** The delivery of an operation with its terms, except for the given changes. */
function delivering(terms: OperationTerms, over: Record<string, string> = {}, logIndex = 0) {
  const token = getToken(book, terms.destinationChainId === PARTNER ? 'partner' : 'ethereum', terms.asset);
  const { recipient, outputAmount, fee } = terms;
  const args = { token: token.toLowerCase(), recipient, amount: `${outputAmount}`, fee: `${fee}`, ...over };
  return { ...paying(terms), logIndex, args };
}

/** Mines a block with these deliveries, and the blocks that make it final. */
async function deliver(chainId: number, ...deliveries: ReturnType<typeof delivering>[]) {
  const block = await mine(chainId, deliveries);
  for (let depth = 1; depth < CONFIRMATIONS; depth++) await mine(chainId);
  return block;
}

const readState = async ({ id }: OperationTerms) => {
  const { status, delayedReason, nextAttemptAt } = (await store.operations.findById(id))!;
  return { status, delayedReason, nextAttemptAt };
};
const USED_UP = { status: 'DELAYED', delayedReason: 'NUMBER_USED_UP', nextAttemptAt: null };
const isDue = async ({ id, destinationChainId: chainId }: OperationTerms) => {
  const finalBlock = (await readFinalBlock(store, { chainId, confirmations: CONFIRMATIONS }))!;
  const due = await store.operations.findDue(chainId, finalBlock, new Date(), 2_000);
  return due.some((each: Operation) => each.id === id);
};

describe('settle', () => {
  it('does not complete an ETH operation by the same amount of XCN for the same recipient', async () => {
    const owed = aDeposit({ asset: 'ETH' });
    await begin([owed]);
    await deliver(PARTNER, delivering(owed, { token: getToken(book, 'partner', 'XCN') }));
    expect(await settle()).toBe(true);
    expect(await readState(owed)).toEqual(USED_UP);
    expect(await isDue(owed)).toBe(false);
    expect(await settle()).toBe(false);
  });

  it('delays a release with another fee, and makes it due again when a reorg removes it', async () => {
    const owed = aBurn();
    await begin([owed]);
    const block = await deliver(ETHEREUM, delivering(owed, { fee: '0' }));
    await settle();
    expect(await readState(owed)).toEqual(USED_UP);
    await store.scan.rollBack(fence, ETHEREUM, block.number - 1n);
    expect(await isDue(owed)).toBe(true);
  });

  it('completes a delayed operation by a later delivery with its terms', async () => {
    const owed = aDeposit();
    await begin([owed]);
    await deliver(PARTNER, delivering(owed, { amount: '1' }));
    await settle();
    expect(await isDue(owed)).toBe(false);
    const { txHash } = delivering(owed);
    await deliver(PARTNER, { ...delivering(owed), txHash });
    await settle();
    expect(await store.operations.findById(owed.id)).toMatchObject({ status: 'COMPLETED', destinationTxHash: txHash });
  });

  it('lets the hold of a used-up withdrawal end, so that a reorg makes it due', async () => {
    const owed = aBurn();
    const until = new Date(1_900_000_000_000);
    await begin([owed], until);
    const block = await deliver(ETHEREUM, delivering(owed, { recipient: anAddress('thief') }));
    await settle();
    expect(await readState(owed)).toEqual(USED_UP);
    const over = await store.operations.findHoldsOver(PARTNER, until, true);
    await store.operations.releaseHolds(
      fence,
      over.map(({ id }) => id),
      until,
    );
    await store.scan.rollBack(fence, ETHEREUM, block.number - 1n);
    expect(await isDue(owed)).toBe(true);
  });

  it('settles an honest delivery in the same run as 1,000 wrong ones before it, and in every later run', async () => {
    const [stolen, honest, later] = [Array.from({ length: 1_000 }, () => aDeposit()), aDeposit(), aDeposit()];
    await begin([...stolen, honest, later]);
    await deliver(PARTNER, ...stolen.map((owed, index) => delivering(owed, { amount: '1' }, index)));
    await deliver(PARTNER, delivering(honest));
    await settle();
    expect(await readState(honest)).toMatchObject({ status: 'COMPLETED' });
    for (const owed of [stolen[0]!, stolen[999]!]) expect(await readState(owed)).toEqual(USED_UP);
    // The contract pays nothing for them, so quotes do not count them as pending.
    const owed = (await store.queues.owed()).filter(({ chainId }) => chainId === PARTNER);
    expect(owed).toEqual([{ chainId: PARTNER, asset: 'USDC', amount: later.amount }]);
    // Once the watch has judged them, they are not read again.
    const wrong = (await store.verdicts.unjudged(PARTNER, 2_000)).map(({ delivery }) => delivery);
    await store.verdicts.record(
      fence,
      PARTNER,
      'UNKNOWN',
      wrong.filter(({ args }) => args['amount'] === '1'),
    );
    await deliver(PARTNER, delivering(later));
    const newest = (await store.scan.latestBlock(PARTNER))!.number;
    const left = await store.operations.findFinalDeliveries(PARTNER, newest, null, 500);
    expect(left.filter(({ args }) => args['amount'] === '1')).toEqual([]);
    await settle();
    expect(await readState(later)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a reopened number', () => {
  /** Reopens numbers of the partner chain. */
  const open = async (...terms: OperationTerms[]) => mine(PARTNER, [reopening(...terms)]);
  const mineMore = async (blocks: number) => {
    for (let mined = 0; mined < blocks; mined++) await mine(PARTNER);
  };
  /** Begins an operation whose number is used up by a delivery of one unit. */
  async function usedUp(): Promise<OperationTerms> {
    const owed = aDeposit();
    await begin([owed]);
    await deliver(PARTNER, delivering(owed, { amount: '1' }));
    await settle();
    return owed;
  }

  it('makes its operation due once that is final, and reverts that when the event is removed', async () => {
    const [owed, other] = [await usedUp(), await usedUp()];
    const { number } = await open(owed);
    await mineMore(CONFIRMATIONS - 2);
    expect(await isDue(owed)).toBe(false);
    await mineMore(1);
    expect([await isDue(owed), await isDue(other)]).toEqual([true, false]);
    await store.scan.rollBack(fence, PARTNER, number - 1n);
    await mineMore(CONFIRMATIONS);
    expect(await isDue(owed)).toBe(false);
  });

  it('ignores the earlier delivery, whatever else its operation waits for', async () => {
    const owed = await usedUp();
    await open(owed);
    await mineMore(CONFIRMATIONS);
    await store.operations.delayAll(fence, [{ operationId: owed.id, reason: 'PAUSED', nextAttemptAt: new Date(0) }]);
    expect(await settle()).toBe(false);
    expect(await readState(owed)).toMatchObject({ delayedReason: 'PAUSED' });
    expect(await isDue(owed)).toBe(true);
    await deliver(PARTNER, delivering(owed));
    expect(await isDue(owed)).toBe(false);
    await settle();
    expect(await readState(owed)).toMatchObject({ status: 'COMPLETED' });
    expect(await store.verdicts.deliveriesFor(PARTNER, [owed.id])).toMatchObject([
      { delivery: { args: { amount: '1' } } },
      { delivery: { args: { amount: `${owed.outputAmount}` } } },
    ]);
  });

  it('is used up by the next delivery with other terms', async () => {
    const owed = await usedUp();
    await open(owed);
    await deliver(PARTNER, delivering(owed, { recipient: anAddress('thief') }));
    await settle();
    expect(await readState(owed)).toEqual(USED_UP);
    expect(await isDue(owed)).toBe(false);
  });

  it('belongs to a completed operation permanently, even if both were read before it settled', async () => {
    const owed = aDeposit();
    await begin([owed]);
    await mine(PARTNER, [delivering(owed)]);
    await open(owed);
    await mineMore(CONFIRMATIONS);
    await settle();
    expect(await readState(owed)).toMatchObject({ status: 'COMPLETED' });
    expect(await isDue(owed)).toBe(false);
  });

  it('counts as owed again', async () => {
    const sum = async () =>
      (await store.queues.owed()).find(({ chainId, asset }) => chainId === PARTNER && asset === 'USDC')?.amount ?? 0n;
    const owed = await usedUp();
    const before = await sum();
    await open(owed);
    expect((await sum()) - before).toBe(owed.amount);
  });
});
