import { describe, expect, it } from '@jest/globals';
import type { OperationStatus } from '@causeway/protocol';
import { UnknownCursorError, type HistoryQuery, type Operation } from '@causeway/store';
import type { Hex } from 'viem';
import { OperationReads } from './operation-reads.js';

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

const UNKNOWN = hash(999);
const NO_HISTORY = { page: async () => ({ operations: [], hasMore: false, nextCursor: null }) };

/** Reads of a store whose operations have these statuses. `sent`: the queries, each with its keys. */
function scripted(statuses: Readonly<Record<Hex, OperationStatus>>) {
  const sent: (readonly Hex[])[] = [];
  const findOperations = (id: Hex) =>
    statuses[id] === undefined ? [] : [{ id, status: statuses[id], origin: { txHash: id } } as Operation];
  const find = async (keys: readonly Hex[]) => {
    sent.push(keys);
    return keys.toReversed().flatMap(findOperations);
  };
  const operations = { findByIds: find, findByOriginTxs: find };
  const pages: HistoryQuery[] = [];
  const page = async (query: HistoryQuery) => {
    pages.push(query);
    if (query.cursor === UNKNOWN) throw new UnknownCursorError(query.address, UNKNOWN);
    return { operations: [], hasMore: false, nextCursor: null };
  };
  return { sent, statuses, pages, reads: new OperationReads({ operations, history: { page } }) };
}

describe('reads of operations', () => {
  it('share one query when concurrent, each with its own result', async () => {
    const { reads, sent } = scripted({ [hash(1)]: 'CONFIRMING', [hash(2)]: 'DELAYED' });
    const found = await Promise.all([hash(1), hash(2), hash(3), hash(1)].map((id) => reads.byId(id)));
    expect(found.map((operation) => operation?.status ?? null)).toEqual(['CONFIRMING', 'DELAYED', null, 'CONFIRMING']);
    expect(sent).toEqual([[hash(1), hash(2), hash(3)]]);
  });

  it('repeat for operations that can change', async () => {
    const statuses: Record<Hex, OperationStatus> = { [hash(1)]: 'CONFIRMING' };
    const { reads, sent } = scripted(statuses);
    expect(await reads.byId(hash(1))).toMatchObject({ status: 'CONFIRMING' });
    expect(await reads.byId(hash(2))).toBeNull();
    statuses[hash(1)] = 'AWAITING_RELAY';
    statuses[hash(2)] = 'PENDING_ORIGIN_TX';
    expect(await reads.byId(hash(1))).toMatchObject({ status: 'AWAITING_RELAY' });
    expect(await reads.byId(hash(2))).toMatchObject({ status: 'PENDING_ORIGIN_TX' });
    expect(sent).toHaveLength(4);
  });

  it('of the same page share one query, but not later ones, other pages or after an error', async () => {
    const { reads, pages } = scripted({});
    const first = { address: `0x${'a1'.repeat(20)}`, limit: 10, offset: 0, direction: null } as const;
    const second = { ...first, offset: 10 };
    const unknown = { ...first, cursor: UNKNOWN };
    const asked = [first, second, { ...first }, unknown, { ...unknown }];
    const answers = await Promise.allSettled(asked.map((query) => reads.page(query)));
    expect(answers.map(({ status }) => status)).toEqual([...Array(3).fill('fulfilled'), 'rejected', 'rejected']);
    expect(pages).toEqual([first, second, unknown]);
    await reads.page(first);
    await expect(reads.page(unknown)).rejects.toThrow(UnknownCursorError);
    expect(pages).toEqual([first, second, unknown, first, unknown]);
  });

  it.each(['COMPLETED', 'FAILED', 'EXPIRED'] as const)(
    'remember operations that are %s, by id and by transaction',
    async (status) => {
      const { reads, sent } = scripted({ [hash(1)]: status });
      for (const _ of [1, 2]) {
        expect(await reads.byId(hash(1))).toMatchObject({ status });
        expect(await reads.byOriginTx(hash(1))).toMatchObject([{ status }]);
      }
      expect(sent).toHaveLength(2);
    },
  );

  it('repeat for a transaction while one of its operations is open', async () => {
    const origin = { txHash: hash(1) };
    const [done, open] = [
      { id: hash(2), status: 'COMPLETED', origin } as Operation,
      { id: hash(3), status: 'CONFIRMING', origin } as Operation,
    ];
    let asked = 0;
    const findByOriginTxs = async () => {
      asked += 1;
      return [done, open];
    };
    const operations = { findByIds: async () => [], findByOriginTxs };
    const reads = new OperationReads({ operations, history: NO_HISTORY });
    for (const _ of [1, 2]) expect(await reads.byOriginTx(hash(1))).toEqual([done, open]);
    expect(asked).toBe(2);
  });

  it('remember a bounded number', async () => {
    const ids = Array.from({ length: 10_001 }, (_, n) => hash(n));
    const { reads, sent } = scripted(Object.fromEntries(ids.map((id) => [id, 'COMPLETED'])));
    await Promise.all(ids.map((id) => reads.byId(id)));
    expect(sent.length).toBe(101);
    // When all are requested again, only the evicted one is read.
    await Promise.all(ids.map((id) => reads.byId(id)));
    expect(sent.slice(101).flat()).toHaveLength(1);
  });

  it('fail together when the database fails, and work again after it', async () => {
    let isAway = true;
    const operations = {
      findByIds: async () => (isAway ? Promise.reject(new Error('away')) : []),
      findByOriginTxs: async () => [],
    };
    const reads = new OperationReads({ operations, history: NO_HISTORY });
    const failed = await Promise.allSettled([reads.byId(hash(1)), reads.byId(hash(2))]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await reads.byId(hash(1))).toBeNull();
  });
});
