import type { HeadEvent, RpcHeader } from '../backend.js';
import { advanceChain } from './advance-chain.js';
import type { JsonRpcNode } from './json-rpc-node.js';
import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';
import { readHeader } from './read-header.js';
import type { UpstreamOptions } from './upstream-options.js';

/** Follows the canonical chain through whichever node is asked at the time. */
export class HeadTracker {
  private chain: readonly RpcHeader[] = [];
  private highest: number | null = null;
  private lowerSince: number | null = null;
  private following = false;

  constructor(
    private readonly options: Required<UpstreamOptions>,
    private readonly emit: (event: HeadEvent) => void,
    /** Called when blocks changed that were thought final. */
    private readonly shaken: () => void,
  ) {}

  /**
   * The highest block number that a node has shown, or null before the first. It goes back only when a node insists on a lower head for a
   * while: a node that takes over may be a block behind, which is no reason to tell clients that the chain shrank.
   */
  get number(): number | null {
    return this.highest;
  }

  /** The newest block that was shown, and links to those before it; null before the first. What is only said, such as a number, does not move it. */
  get shown(): number | null {
    const header = this.chain.at(-1);
    return header === undefined ? null : Number(header.number);
  }

  /** A node said that the chain has come this far. */
  saw(number: number): void {
    this.highest = Math.max(this.highest ?? number, number);
  }

  /** Takes a node's head over and tells the listeners what it means. Does nothing while it is still busy with an earlier one. */
  async follow(node: JsonRpcNode, head: RpcHeader): Promise<void> {
    if (this.following || !this.believes(Number(head.number))) return;
    this.following = true;
    try {
      await this.advance(node, head);
    } catch (error) {
      if (!(error instanceof NodeFailure || error instanceof NodeRefusal)) throw error;
      this.options.logger.warn(`Node ${node.name} did not show the blocks before its head: ${error.message}`);
    } finally {
      this.following = false;
    }
  }

  private async advance(node: JsonRpcNode, head: RpcHeader): Promise<void> {
    // A shorter chain of known blocks only: what it lost is told with the block that comes in its place.
    if (this.chain.at(-1)?.hash !== head.hash && this.chain.some(({ hash }) => hash === head.hash)) return;
    const fetch = async (number: number) =>
      readHeader(await node.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]));
    const advance = await advanceChain(this.chain, head, fetch);
    if (advance === null) return;
    const { logger, confirmations } = this.options;
    if (advance.jumped)
      logger.warn(`Jumped to block ${Number(head.number)}: it could not be linked to the last known one`);
    const removed = advance.events[0]?.removed.length ?? 0;
    if (removed > 0) logger.info(`Reorg of ${removed} blocks at block ${Number(advance.events[0]?.header.number)}`);
    if (advance.jumped || removed > confirmations) this.shaken();
    this.chain = advance.chain;
    this.saw(Number(head.number));
    for (const event of advance.events) this.emit(event);
  }

  private believes(number: number): boolean {
    if (this.highest === null || number >= this.highest) {
      this.lowerSince = null;
      return true;
    }
    const now = this.options.clock();
    this.lowerSince ??= now;
    if (now - this.lowerSince < this.options.retreatPatienceMs) return false;
    this.options.logger.warn(`The chain went back from block ${this.highest} to block ${number}`);
    this.highest = number;
    this.lowerSince = null;
    this.shaken();
    return true;
  }
}
