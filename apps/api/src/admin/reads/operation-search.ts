import { paginateOperations, type Operation, type OperationFilters, type Page, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { Address, Hex } from 'viem';
import { STORE } from '../../infrastructure.js';
import { OperationReads } from '../../operations/operation-reads.js';
import { encodeCursors, readSequenceCursor, readTimeCursor } from '../../operations/cursor.js';

/** The page of a search that a query asks for. */
interface SearchRequest {
  readonly filters: OperationFilters;
  readonly limit: number;
  readonly cursor: string | undefined;
}

type Found = { readonly rows: readonly Operation[] } & ReturnType<typeof encodeCursors>;

/** Length of an address; a hash is longer. */
const ADDRESS_LENGTH = 42;
/** Maximum addresses per query. */
const MOST_TOGETHER = 50;

/**
 * Finds operations by any hash or address. Concurrent searches share a query, as in the public API: searching is the
 * console's most frequent request.
 */
@Injectable()
export class OperationSearch {
  private readonly firstPages = new DataLoader<
    { readonly address: Address; readonly limit: number },
    Page<Operation, bigint>
  >(async (wanted) => this.readFirstPages(wanted), {
    cache: false,
    maxBatchSize: MOST_TOGETHER,
    batchScheduleFn: (run) => setImmediate(run),
  });

  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'listing'>,
    private readonly reads: OperationReads,
  ) {}

  /** @throws BridgeError VALIDATION_ERROR when the cursor belongs to another list. */
  async find(text: Hex, request: SearchRequest): Promise<Found> {
    return text.length === ADDRESS_LENGTH ? this.ofAddress(text, request) : this.ofHash(text, request);
  }

  private async ofAddress(address: Address, { filters, limit, cursor }: SearchRequest): Promise<Found> {
    const start = readSequenceCursor(cursor);
    const isFirst = start === null && Object.values(filters).every((value) => value === null);
    const page = await (isFirst
      ? this.firstPages.load({ address, limit })
      : this.store.listing.ofAddress(address, filters, { limit, start }));
    return { rows: page.rows, ...encodeCursors(page) };
  }

  /**
   * Finds by operation id or origin transaction first, the most frequent searches, then by any other hash of an
   * operation.
   */
  private async ofHash(hash: Hex, { filters, limit, cursor }: SearchRequest): Promise<Found> {
    const request = { limit, start: readTimeCursor(cursor) };
    const [named, begun] = await Promise.all([this.reads.byId(hash), this.reads.byOriginTx(hash)]);
    const found = named === null ? begun : [named];
    const page =
      found.length > 0
        ? paginateOperations(found, filters, request)
        : await this.store.listing.ofHash(hash, filters, request);
    return { rows: page.rows, ...encodeCursors(page) };
  }

  private async readFirstPages(wanted: readonly { readonly address: Address; readonly limit: number }[]) {
    const byLimit = Map.groupBy(wanted, ({ limit }) => limit);
    const pages = new Map<number, ReadonlyMap<Address, Page<Operation, bigint>>>();
    for (const [limit, group] of byLimit) {
      const addresses = [...new Set(group.map(({ address }) => address))];
      pages.set(limit, await this.store.listing.listNewestByAddress(addresses, limit));
    }
    return wanted.map(
      ({ address, limit }) => pages.get(limit)?.get(address) ?? { rows: [], next: null, previous: null },
    );
  }
}
