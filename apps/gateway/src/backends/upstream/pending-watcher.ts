import { LRUCache } from 'lru-cache';
import { isHash, type Hex } from 'viem';
import type { JsonRpcNode } from './json-rpc-node.js';
import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';

/** Hashes that are remembered, so that a change of the node does not tell them twice. */
const REMEMBERED = 20_000;
/** A node that does not offer the filter is not asked for it again for so long. */
const NOT_OFFERED_MS = 60_000;

/** Polls a filter for pending transactions where the node offers one (EIP-1474), while somebody wants to know. */
export class PendingWatcher {
  private timer: NodeJS.Timeout | undefined;
  private filter: { readonly node: JsonRpcNode; readonly id: string } | undefined;
  private ticking = false;
  private readonly told = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly notOffered: LRUCache<string, true>;

  constructor(
    private readonly node: () => JsonRpcNode | null,
    private readonly emit: (hash: Hex) => void,
    private readonly intervalMs: number,
  ) {
    this.notOffered = new LRUCache({ max: 100, ttl: NOT_OFFERED_MS });
  }

  start(): void {
    if (this.timer !== undefined) return;
    this.timer = setInterval(() => this.tick(), this.intervalMs);
    this.tick();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    const { filter } = this;
    this.filter = undefined;
    // The node drops a filter nobody polls by itself; this is only politeness.
    if (filter !== undefined) filter.node.call('eth_uninstallFilter', [filter.id]).catch(expected);
  }

  private tick(): void {
    if (this.ticking) return;
    this.ticking = true;
    void this.poll()
      .catch((error: unknown) => {
        this.filter = undefined;
        expected(error);
      })
      .finally(() => {
        this.ticking = false;
      });
  }

  private async poll(): Promise<void> {
    const node = this.node();
    if (node === null || this.notOffered.has(node.name)) return;
    if (this.filter?.node !== node) this.filter = await this.install(node);
    if (this.filter === undefined) return;
    const hashes = await node.call('eth_getFilterChanges', [this.filter.id]);
    if (this.timer === undefined || !Array.isArray(hashes)) return;
    for (const hash of hashes as unknown[]) {
      if (typeof hash !== 'string' || !isHash(hash) || this.told.has(hash)) continue;
      this.told.set(hash, true);
      this.emit(hash);
    }
  }

  private async install(node: JsonRpcNode): Promise<{ node: JsonRpcNode; id: string } | undefined> {
    try {
      const id = await node.call('eth_newPendingTransactionFilter', []);
      return typeof id === 'string' ? { node, id } : undefined;
    } catch (error) {
      if (error instanceof NodeRefusal) this.notOffered.set(node.name, true);
      throw error;
    }
  }
}

/** A node that fails is noticed by its monitor; the next tick makes a new filter. */
function expected(error: unknown): void {
  if (!(error instanceof NodeFailure || error instanceof NodeRefusal)) throw error;
}
