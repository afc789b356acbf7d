import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTerminal } from '@causeway/protocol';
import type { HistoryPage, HistoryQuery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import { STORE } from '../infrastructure.js';

/** Maximum remembered operations, all of them ended, about 1.5 kB each. */
const MOST_REMEMBERED = 10_000;
/** A transfer of the same transaction can become an operation later, so its list is kept only briefly. */
const TX_TTL_MS = 60_000;
/** Maximum keys per query. */
const MOST_KEYS = 100;

interface ReadStore {
  readonly operations: Pick<Store['operations'], 'findByIds' | 'findByOriginTxs'>;
  readonly history: Pick<Store['history'], 'page'>;
}

/**
 * Finds operations for polling clients. Look-ups in the same turn of the event loop share one query, as do requests for
 * the same history page. Ended operations never change and come from a bounded cache.
 */
@Injectable()
export class OperationReads {
  private readonly ended = new LRUCache<Hex, Operation>({ max: MOST_REMEMBERED });
  private readonly endedByTx = new LRUCache<Hex, readonly Operation[]>({ max: MOST_REMEMBERED, ttl: TX_TTL_MS });
  private readonly ids: DataLoader<Hex, Operation | null>;
  private readonly txs: DataLoader<Hex, readonly Operation[]>;
  /** Pages to be read after this turn of the event loop. */
  private readonly pages = new Map<string, Promise<HistoryPage>>();

  constructor(@Inject(STORE) private readonly store: ReadStore) {
    // Node reads the requests that have arrived before it runs setImmediate callbacks.
    const options = { cache: false, maxBatchSize: MOST_KEYS, batchScheduleFn: (run: () => void) => setImmediate(run) };
    this.ids = new DataLoader((keys) => this.findByIds(keys), options);
    this.txs = new DataLoader((keys) => this.findByTxs(keys), options);
  }

  /** Finds an operation by depositId, withdrawId or intentId. */
  async byId(id: Hex): Promise<Operation | null> {
    return this.ended.get(id) ?? this.ids.load(id);
  }

  /** Lists the operations of an origin transaction, in log order. */
  async byOriginTx(txHash: Hex): Promise<readonly Operation[]> {
    return this.endedByTx.get(txHash) ?? this.txs.load(txHash);
  }

  /**
   * Reads one page of an address's operations.
   *
   * @throws UnknownCursorError
   */
  async page(query: HistoryQuery): Promise<HistoryPage> {
    const key = JSON.stringify(query);
    const known = this.pages.get(key);
    if (known !== undefined) return known;
    // The query starts after all its callers have asked, so each sees everything written before its request.
    const page = nextTurn().then(() => {
      this.pages.delete(key);
      return this.store.history.page(query);
    });
    this.pages.set(key, page);
    return page;
  }

  private async findByIds(ids: readonly Hex[]): Promise<(Operation | null)[]> {
    const found = await this.store.operations.findByIds([...new Set(ids)]);
    for (const operation of found) if (isTerminal(operation.status)) this.ended.set(operation.id, operation);
    const byId = new Map(found.map((operation) => [operation.id, operation]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  private async findByTxs(txHashes: readonly Hex[]): Promise<(readonly Operation[])[]> {
    const found = await this.store.operations.findByOriginTxs([...new Set(txHashes)]);
    const byTx = Map.groupBy(found, ({ origin }) => origin?.txHash);
    for (const [txHash, operations] of byTx)
      if (txHash !== undefined && operations.every(({ status }) => isTerminal(status)))
        this.endedByTx.set(txHash, operations);
    return txHashes.map((txHash) => byTx.get(txHash) ?? []);
  }
}
