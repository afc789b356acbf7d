import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Direction } from '@causeway/protocol';
import fc from 'fast-check';
import type { OperationTerms } from '../src/index.js';
import { aBlock, aBurn, aDeposit, anAddress, ETHEREUM, opening } from '@causeway/test-kit';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';

const people = [anAddress('a'), anAddress('b'), anAddress('c')];
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
          // Past the end the page is empty and has no next one.
          expect(page.hasMore).toBe(model.ids.length > 0 && model.hasMore);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is empty for an unknown address', async () => {
    const page = await t.store.history.page({ address: anAddress(), direction: null, limit: 10, offset: 0 });
    expect(page).toEqual({ operations: [], hasMore: false });
  });
});
