import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTerminal } from '@causeway/protocol';
import type { HistoryPage, HistoryQuery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import { STORE } from '../infrastructure.js';

/** Operations that have ended, of about 1.5 kB each. */
const MOST_REMEMBERED = 10_000;
/** A transfer of the same transaction may become an operation later, so its list is not kept for long. */
const TX_TTL_MS = 60_000;
/** Keys of one query. */
const MOST_KEYS = 100;

/** The part of the store that is read. */
interface ReadStore {
  readonly operations: Pick<Store['operations'], 'findByIds' | 'findByOriginTxs'>;
  readonly history: Pick<Store['history'], 'page'>;
}

/**
 * Finds operations for clients that poll. Look-ups of the same turn of the event loop share one query, as do requests
 * for the same page of a history. Operations that have ended, which never change, come from a bounded memory.
 */
@Injectable()
export class OperationReads {
  private readonly ended = new LRUCache<Hex, Operation>({ max: MOST_REMEMBERED });
  private readonly endedByTx = new LRUCache<Hex, readonly Operation[]>({ max: MOST_REMEMBERED, ttl: TX_TTL_MS });
  private readonly ids: DataLoader<Hex, Operation | null>;
  private readonly txs: DataLoader<Hex, readonly Operation[]>;
  /** The pages that are read after this turn of the event loop. */
  private readonly pages = new Map<string, Promise<HistoryPage>>();

  constructor(@Inject(STORE) private readonly store: ReadStore) {
    // The requests that have arrived are read before the callbacks of setImmediate run.
    const options = { cache: false, maxBatchSize: MOST_KEYS, batchScheduleFn: (run: () => void) => setImmediate(run) };
    this.ids = new DataLoader((keys) => this.findByIds(keys), options);
    this.txs = new DataLoader((keys) => this.findByTxs(keys), options);
  }

  /** By depositId, withdrawId or intentId. */
  async byId(id: Hex): Promise<Operation | null> {
    return this.ended.get(id) ?? this.ids.load(id);
  }

  /** All operations of one origin transaction, in log order. */
  async byOriginTx(txHash: Hex): Promise<readonly Operation[]> {
    return this.endedByTx.get(txHash) ?? this.txs.load(txHash);
  }

  /**
   * One page of the operations of an address.
   *
   * @throws UnknownCursorError
   */
  async page(query: HistoryQuery): Promise<HistoryPage> {
    const key = JSON.stringify(query);
    const known = this.pages.get(key);
    if (known !== undefined) return known;
    // The query begins after all who share it have asked: each sees what was written before.
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
