import { toHex } from 'viem';
import type { HeadEvent, RpcHeader } from '../backend.js';
import type { NodeClient } from './node-client.js';
import { isNodeError } from './node-errors.js';
import type { UpstreamOptions } from './options.js';
import { readHeader } from './read-answers.js';

/** How long a node must report a lower head than the known one before the gateway accepts it. */
const RETREAT_PATIENCE_MS = 5_000;

/** Follows the canonical chain through the preferred node, which may change. */
export class HeadTracker {
  private chain: readonly RpcHeader[] = [];
  private highest: number | null = null;
  private lowerSince: number | null = null;
  private isBusy = false;

  constructor(
    private readonly options: Required<UpstreamOptions>,
    private readonly onHead: (event: HeadEvent) => void,
    /** Called when blocks that counted as final have changed. */
    private readonly onFinalChanged: () => void,
  ) {}

  /** The highest reported block number. It does not decrease when a node takes over that is a block behind. */
  get highestSeen(): number | null {
    return this.highest;
  }

  /** The newest block whose header is linked to the known chain. A reported number alone does not move it. */
  get verifiedHead(): number | null {
    const header = this.chain.at(-1);
    return header === undefined ? null : Number(header.number);
  }

  report(number: number): void {
    this.highest = Math.max(this.highest ?? number, number);
  }

  /** Links a node's head to the known chain and emits the new heads. Does nothing while an earlier call is running. */
  async follow(node: NodeClient, head: RpcHeader): Promise<void> {
    if (this.isBusy || !this.accepts(Number(head.number))) return;
    this.isBusy = true;
    try {
      await this.advance(node, head);
    } catch (error) {
      if (!isNodeError(error)) throw error;
      this.options.logger.warn(`Node ${node.name} did not return the blocks before its head: ${error.message}`);
    } finally {
      this.isBusy = false;
    }
  }

  private async advance(node: NodeClient, head: RpcHeader): Promise<void> {
    // The node has a shorter chain of known blocks. Lost blocks are reported together with their replacement.
    if (this.chain.at(-1)?.hash !== head.hash && this.chain.some(({ hash }) => hash === head.hash)) return;
    const fetch = async (number: number) => readHeader(await node.call('eth_getBlockByNumber', [toHex(number), false]));
    const advance = await advanceChain(this.chain, head, fetch);
    if (advance === null) return;
    const { logger, confirmations } = this.options;
    if (advance.jumped)
      logger.warn(`Jumped to block ${Number(head.number)}: it could not be linked to the last known one`);
    const removed = advance.events[0]?.removed.length ?? 0;
    if (removed > 0) logger.info(`Reorg of ${removed} blocks at block ${Number(advance.events[0]?.header.number)}`);
    if (advance.jumped || removed > confirmations) this.onFinalChanged();
    this.chain = advance.chain;
    this.report(Number(head.number));
    for (const event of advance.events) this.onHead(event);
  }

  private accepts(number: number): boolean {
    if (this.highest === null || number >= this.highest) {
      this.lowerSince = null;
      return true;
    }
    const now = this.options.clock();
    this.lowerSince ??= now;
    if (now - this.lowerSince < RETREAT_PATIENCE_MS) return false;
    this.options.logger.warn(`The chain went back from block ${this.highest} to block ${number}`);
    this.highest = number;
    this.lowerSince = null;
    this.onFinalChanged();
    return true;
  }
}

interface Advance {
  /** The known canonical headers, oldest first. */
  readonly chain: readonly RpcHeader[];
  readonly events: readonly HeadEvent[];
  /** Whether the head could not be linked to the known chain, so that blocks in between were left out. */
  readonly jumped: boolean;
}

/** Headers that are kept, and so the deepest reorg that is reported block by block. */
const MAX_HEADERS = 256;
/** Headers fetched in parallel while walking back. */
const FETCH_BATCH = 50;
/** A wider gap is jumped. */
const MAX_GAP = 1_024;

/**
 * Links a node's new head to the known chain: walks back until it meets a known block.
 *
 * @param chain known canonical headers, oldest first, without gaps.
 * @param fetch a header of the same node by number, or null.
 * @returns null when the node's chain changed during the walk, or it did not know a block: try again later.
 */
export async function advanceChain(
  chain: readonly RpcHeader[],
  head: RpcHeader,
  fetch: (number: number) => Promise<RpcHeader | null>,
): Promise<Advance | null> {
  const tip = chain.at(-1);
  if (tip === undefined) return { chain: [head], events: [], jumped: false };
  if (tip.hash === head.hash) return { chain, events: [], jumped: false };
  const lowest = Number(chain[0]?.number);
  const branch = [head];
  let ancestor = findPosition(chain, head.parentHash);
  while (ancestor === -1) {
    const next = Number(branch[0]?.number) - 1;
    if (next < lowest || branch.length > MAX_GAP + MAX_HEADERS || next - Number(tip.number) > MAX_GAP) {
      return { chain: [head], events: [{ header: head, removed: [] }], jumped: true };
    }
    const count = Math.min(FETCH_BATCH, next - lowest + 1);
    const fetched = await Promise.all(Array.from({ length: count }, (_, step) => fetch(next - step)));
    for (const header of fetched) {
      if (header === null || header.hash !== branch[0]?.parentHash) return null;
      branch.unshift(header);
      ancestor = findPosition(chain, header.parentHash);
      if (ancestor !== -1) break;
    }
  }
  const removed = chain.slice(ancestor + 1).toReversed();
  const events = branch.map((header, index) => ({ header, removed: index === 0 ? removed : [] }));
  return { chain: [...chain.slice(0, ancestor + 1), ...branch].slice(-MAX_HEADERS), events, jumped: false };
}

function findPosition(chain: readonly RpcHeader[], hash: string): number {
  return chain.findLastIndex((header) => header.hash === hash);
}
