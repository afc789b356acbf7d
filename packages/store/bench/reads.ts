import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { BUSY, ETHEREUM, PARTNER } from './rows-in-sql.ts';
import type { Queries } from './turns.ts';

/** A read of a client, with another row in each sample. */
interface Read {
  readonly name: string;
  /** @param n the number of an ended row: see `large-store.ts`. @param last the number of the last one. */
  readonly run: (store: Queries, n: number, last: number) => Promise<unknown>;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const toHash = (salt: string, n: number): Hex => `0x${md5(`${salt}${n}`)}${md5(`${salt}+${n}`)}`;
const ANY = { status: null, delay: null, asset: null, direction: null, kind: null, from: null, until: null };
const PAGE = { address: BUSY, direction: null, limit: 50, offset: 0 };
/** A row whose operation pays the busy address. */
const ofBusy = (n: number) => n - (n % 5);

/** What the API reads from the database for each answer. */
export const READS: readonly Read[] = [
  { name: 'status by id', run: async ({ operations }, n) => operations.findById(toHash('operation', n)) },
  { name: 'status by transaction', run: async ({ operations }, n) => operations.findByOriginTx(toHash('origin', n)) },
  { name: 'history, busy address', run: async ({ history }) => history.page(PAGE) },
  {
    name: 'history, deep by cursor',
    run: async ({ history }, n) => history.page({ ...PAGE, cursor: toHash('operation', ofBusy(n)) }),
  },
  {
    name: 'history, deep by offset',
    run: async ({ history }, n) => history.page({ ...PAGE, offset: Math.floor(n / 2) }),
  },
  { name: 'latest list', run: async ({ listing }) => listing.page(ANY, { limit: 50, start: null }) },
  {
    name: 'list, one status',
    run: async ({ listing }) => listing.page({ ...ANY, status: 'COMPLETED' }, { limit: 50, start: null }),
  },
  {
    name: 'explain a delivery',
    run: async ({ operations, related }, n) => {
      const hash = toHash('delivery', n);
      await Promise.all([
        operations.findById(hash),
        operations.findByOriginTx(hash),
        related.find(hash, [ETHEREUM, PARTNER]),
      ]);
      return operations.findByIds([toHash('operation', n)]);
    },
  },
  {
    name: 'explain a refund',
    run: async ({ operations, related, refunds }, n) => {
      const odd = n - (n % 20) - 11;
      await related.find(toHash('repaid', odd), [ETHEREUM, PARTNER]);
      await operations.findById(toHash('failed', odd));
      return refunds.find(toHash('refund', odd));
    },
  },
  {
    name: 'events since the last',
    run: async ({ changes }, _, last) => {
      const [ids, originTxHashes] = [[toHash('operation', last)], [toHash('origin', last)]];
      return changes.since(BigInt(last - 10), { ids, originTxHashes, addresses: [BUSY] }, 20_000);
    },
  },
];
