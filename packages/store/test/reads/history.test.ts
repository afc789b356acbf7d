import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Direction, OperationStatus } from '@causeway/protocol';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { UnknownCursorError, type OperationTerms } from '../../src/index.js';
import { anAddress, ETHEREUM } from '@causeway/test-kit';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';
import { aBlock, aBurn, aDeposit, opening } from '../../src/test/rows.js';

const people = [anAddress('a'), anAddress('b'), anAddress('c')];
type Page = Awaited<ReturnType<TemporaryStore['store']['history']['page']>>;

let t: TemporaryStore;
let written: OperationTerms[];

beforeAll(async () => {
  t = await temporaryStore();
  const pick = (seed: number) => people[seed % 3] ?? people[0]!;
  // Every combination of sender, recipient and direction, self-transfers among them.
  written = Array.from({ length: 90 }, (_, index) => {
    const parties = { sender: pick(index), recipient: pick(Math.floor(index / 3)) };
    return index % 4 === 0 ? aBurn(parties) : aDeposit(parties);
  });
  const blocks = written.map((terms, index) => aBlock(BigInt(index) + 1n, { events: [opening(terms)] }));
  await t.store.scan.extend(t.fence, ETHEREUM, blocks, 90n);
});
afterAll(async () => t.close());

/** The expected page, from a scan of all operations. */
function expected(address: string, direction: Direction | null, limit: number, offset: number) {
  const all = written
    .filter((terms) => terms.sender === address || terms.recipient === address)
    .filter((terms) => direction === null || terms.direction === direction)
    .map(({ id }) => id)
    .toReversed();
  return { ids: all.slice(offset, offset + limit), hasMore: all.length > offset + limit };
}

describe('page', () => {
  it('equals a scan of all operations, for any address, direction, limit and offset', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...people),
        fc.constantFrom<Direction | null>(null, 'ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 80 }),
        async (address, direction, limit, offset) => {
          const page = await t.store.history.page({ address, direction, limit, offset });
          const model = expected(address, direction, limit, offset);
          expect(page.operations.map(({ id }) => id)).toEqual(model.ids);
          // Past the end, the page is empty and the last one.
          expect(page.hasMore).toBe(model.ids.length > 0 && model.hasMore);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is empty for an unknown address', async () => {
    const page = await t.store.history.page({ address: anAddress(), direction: null, limit: 10, offset: 0 });
    expect(page).toEqual({ operations: [], hasMore: false, nextCursor: null });
  });

  it('continues at its cursor without gaps or repetitions, for every filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...people),
        fc.constantFrom<Direction | null>(null, 'ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'),
        fc.constantFrom(null, 'sender' as const, 'recipient' as const),
        fc.constantFrom<readonly OperationStatus[] | null>(null, ['CONFIRMING'], ['COMPLETED', 'FAILED']),
        fc.integer({ min: 1, max: 20 }),
        async (address, direction, role, statuses, limit) => {
          const found: Hex[] = [];
          let cursor: Hex | null = null;
          do {
            const query = { address, direction, role, statuses, limit, offset: 0, cursor };
            const page: Page = await t.store.history.page(query);
            expect(page.operations.length).toBeLessThanOrEqual(limit);
            expect(page.hasMore).toBe(page.nextCursor !== null);
            found.push(...page.operations.map(({ id }) => id));
            cursor = page.nextCursor;
          } while (cursor !== null);
          const all = expected(address, direction, 90, 0).ids.filter((id) => {
            const terms = written.find((each) => each.id === id)!;
            return role === null || terms[role] === address;
          });
          // All of them wait for confirmations.
          expect(found).toEqual(statuses === null || statuses[0] === 'CONFIRMING' ? all : []);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('continues at its cursor when operations begin meanwhile, and refuses an unknown cursor', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    const [first, second, third] = [1, 2, 3].map(() => aDeposit({ sender, recipient }));
    await t.mine(ETHEREUM, { events: [opening(first!)] });
    await t.mine(ETHEREUM, { events: [opening(second!)] });
    const query = { address: sender, direction: null, limit: 1, offset: 0 };
    const { nextCursor } = await t.store.history.page(query);
    expect(nextCursor).toBe(second!.id);
    await t.mine(ETHEREUM, { events: [opening(third!)] });
    const next = await t.store.history.page({ ...query, cursor: nextCursor });
    expect(next).toMatchObject({ operations: [{ id: first!.id }], hasMore: false, nextCursor: null });
    expect(await t.store.history.page({ ...query, cursor: first!.id })).toMatchObject({ operations: [] });
    const refused = (over: object) =>
      expect(t.store.history.page({ ...query, cursor: nextCursor, ...over })).rejects.toThrow(UnknownCursorError);
    await refused({ cursor: written[0]!.id });
    await refused({ direction: 'PARTNER_TO_ETHEREUM' });
  });

  it('scans at most 1,000 operations with a filter, so it can be short, and its cursor continues', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    const rare = aDeposit({ sender: recipient, recipient: sender });
    const usual = Array.from({ length: 1_500 }, () => aDeposit({ sender, recipient }));
    await t.mine(ETHEREUM, { events: [opening(rare)] });
    await t.mine(ETHEREUM, { events: usual.map((terms, logIndex) => opening(terms, logIndex)) });
    const query = { address: sender, direction: null, limit: 10, offset: 0, role: 'recipient' } as const;
    const empty = await t.store.history.page(query);
    expect(empty).toEqual({ operations: [], hasMore: true, nextCursor: usual[500]!.id });
    const next = await t.store.history.page({ ...query, cursor: empty.nextCursor });
    expect(next).toMatchObject({ operations: [{ id: rare.id }], hasMore: false, nextCursor: null });
  });
});
