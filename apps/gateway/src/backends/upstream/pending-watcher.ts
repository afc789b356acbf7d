import { LRUCache } from 'lru-cache';
import { isHash, type Hex } from 'viem';
import type { NodeClient } from './node-client.js';
import { isNodeError, NodeRpcError } from './node-errors.js';

/** Maximum remembered hashes, so that another node does not report them again. */
const MAX_REMEMBERED = 20_000;
/** Milliseconds before a node without the filter is asked for it again. */
const NOT_OFFERED_MS = 60_000;

/** Polls a filter for pending transactions (EIP-1474) while there are listeners, if the node supports it. */
export class PendingWatcher {
  private timer: NodeJS.Timeout | undefined;
  private filter: { readonly node: NodeClient; readonly id: string } | undefined;
  private isPolling = false;
  private readonly reported = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  private readonly notOffered = new LRUCache<string, true>({ max: 100, ttl: NOT_OFFERED_MS });

  constructor(
    private readonly node: () => NodeClient | null,
    private readonly onHash: (hash: Hex) => void,
    private readonly intervalMs: number,
  ) {}

  start(): void {
    if (this.timer !== undefined) return;
    this.timer = setInterval(() => void this.tick(), this.intervalMs);
    void this.tick();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    const { filter } = this;
    this.filter = undefined;
    // Optional: a node drops a filter that is not polled.
    if (filter !== undefined) filter.node.call('eth_uninstallFilter', [filter.id]).catch(ignoreNodeError);
  }

  private async tick(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      await this.poll();
    } catch (error) {
      this.filter = undefined;
      ignoreNodeError(error);
    } finally {
      this.isPolling = false;
    }
  }

  private async poll(): Promise<void> {
    const node = this.node();
    if (node === null || this.notOffered.has(node.name)) return;
    if (this.filter?.node !== node) this.filter = await this.install(node);
    if (this.filter === undefined) return;
    const hashes = await node.call('eth_getFilterChanges', [this.filter.id]);
    if (this.timer === undefined || !Array.isArray(hashes)) return;
    for (const hash of hashes as unknown[]) {
      if (typeof hash !== 'string' || !isHash(hash) || this.reported.has(hash)) continue;
      this.reported.set(hash, true);
      this.onHash(hash);
    }
  }

  private async install(node: NodeClient): Promise<{ node: NodeClient; id: string } | undefined> {
    try {
      const id = await node.call('eth_newPendingTransactionFilter', []);
      return typeof id === 'string' ? { node, id } : undefined;
    } catch (error) {
      if (error instanceof NodeRpcError) this.notOffered.set(node.name, true);
      throw error;
    }
  }
}

/** The health check detects a failing node; the next tick installs a new filter. */
function ignoreNodeError(error: unknown): void {
  if (!isNodeError(error)) throw error;
}
