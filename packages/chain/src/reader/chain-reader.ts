import type { Hex } from 'viem';
import { isTooMuch, PIECES } from '../blocks/pieces.js';
import type { BlockContent } from '../blocks/verified-block.js';
import { IncompleteRangeError, InconsistentBlockError } from '../rpc/chain-error.js';
import { compareBlock, findAncestor, type StoredBlocks } from './common-ancestor.js';
import { numberAfter } from './numbering.js';
import { planReading } from './plan.js';
import { proveBlocks } from './proven-blocks.js';
import { RangeReader, type RangeReaderOptions, type RangeResult } from './range-reader.js';
import {
  grown,
  halved,
  lessAtHead,
  moreAtHead,
  startingSize,
  suggestedBlocks,
  type HeadReading,
  type ReadingSize,
} from './reading-size.js';

/** Where reading continues. `lastHash`: hash of block `nextBlock` - 1, null before the first read. */
export interface ReadPosition {
  readonly nextBlock: bigint;
  readonly lastHash: Hex | null;
}

/** The outcome of a step. `head`: newest block that a quorum has. */
export type ReadStep =
  | { readonly kind: 'idle'; readonly head: bigint }
  | {
      readonly kind: 'extend';
      readonly head: bigint;
      readonly from: bigint;
      /** Ascending. Far behind the head: only the blocks with logs or transfers, and the last block of the range. */
      readonly blocks: readonly BlockContent[];
    }
  /** `ancestor`: the newest block that the quorum and the store have in common. */
  | { readonly kind: 'reorg'; readonly head: bigint; readonly ancestor: bigint };

/** Bounds of a step. */
interface ReadLimits {
  /** Blocks of one step near the head. */
  readonly headBlocks: number;
  /** Blocks of one range of logs. */
  readonly rangeBlocks: number;
}

/** The blocks to read, their source, and the confirmations that make a block final. */
export interface ReaderOptions extends RangeReaderOptions {
  readonly confirmations: number;
  readonly stored: StoredBlocks;
  readonly limits?: Partial<ReadLimits>;
}

/** Initial and maximum request sizes, in blocks. Providers serve logs of up to 10,000 blocks in one request. */
const LIMITS: ReadLimits = { headBlocks: 64, rangeBlocks: 10_000 };
const FIRST_HEAD_BLOCKS = 16;
const FIRST_RANGE_BLOCKS = 200;

/** Blocks to read in full after nodes refused the logs of a single block. */
const PROVEN_INSTEAD = 64n;

/**
 * Reads one chain in steps. Near the head it reads and verifies every block, up to a block whose hash a quorum of nodes
 * agrees on. Far behind the head it reads only the logs of ranges of final blocks, from as many nodes as the quorum
 * needs, and compares them. Step sizes adapt to the limits of the nodes. The caller stores each step before it reads
 * the next one.
 */
export class ChainReader {
  private readonly ranges: RangeReader;
  private readonly limits: ReadLimits;
  private headReading: HeadReading;
  private rangeSize: ReadingSize;
  private knownHead = -1n;
  private blocksUntil = 0n;
  /** Hash of the last block of the last range, on which the quorum agrees. */
  private rangeEnd: Hex | null = null;
  private next: { readonly block: bigint; readonly number: bigint } | null = null;

  constructor(private readonly options: ReaderOptions) {
    this.limits = { ...LIMITS, ...options.limits };
    this.ranges = new RangeReader(options);
    this.headReading = { size: startingSize(FIRST_HEAD_BLOCKS, this.limits.headBlocks), pieces: null };
    this.rangeSize = startingSize(FIRST_RANGE_BLOCKS, this.limits.rangeBlocks);
  }

  /**
   * Reads the next step. After a failure the next call reads fewer blocks.
   *
   * @throws QuorumError, IncompleteRangeError, ReorgTooDeepError, InconsistentBlockError, UnsupportedTransactionError,
   * NodeUnavailableError, NodeRefusedError, AnswerTooLargeError
   */
  async read(position: ReadPosition): Promise<ReadStep> {
    for (;;) {
      const head = await this.headFor(position);
      const plan = planReading({
        head,
        nextBlock: position.nextBlock,
        confirmations: this.options.confirmations,
        headBlocks: this.headReading.size.blocks,
        rangeBlocks: this.rangeSize.blocks,
        blocksUntil: this.blocksUntil,
      });
      if (plan.kind === 'compare') return this.compare(plan.height, head);
      const step =
        plan.kind === 'blocks'
          ? await this.readBlocks(plan.from, plan.to, position, head)
          : await this.readRange(plan.from, plan.to, position, head);
      if (step !== 'again') return step;
    }
  }

  /** Returns the agreed head. Far behind the head, the last known head is enough. */
  private async headFor({ nextBlock }: ReadPosition): Promise<bigint> {
    const isFarBehind = this.knownHead - nextBlock > 2n * BigInt(this.limits.rangeBlocks);
    if (!isFarBehind) this.knownHead = await this.options.nodes.agreedHead();
    return this.knownHead;
  }

  private async compare(height: bigint, head: bigint): Promise<ReadStep> {
    const { nodes, stored } = this.options;
    const comparison = await compareBlock(nodes, stored, height);
    if (comparison !== 'differs') return { kind: 'idle', head };
    return { kind: 'reorg', head, ancestor: await findAncestor(nodes, stored, height) };
  }

  private async readBlocks(
    from: bigint,
    to: bigint,
    position: ReadPosition,
    head: bigint,
  ): Promise<ReadStep | 'again'> {
    const { nodes, watch, numbered } = this.options;
    const before = this.headReading;
    // Without a usable node no request is sent, so a failure says nothing about sizes.
    const isAsked = nodes.usable().length > 0;
    try {
      const blocks = await proveBlocks(nodes, { from, to, watch, pieces: before.pieces });
      this.headReading = moreAtHead(before, Number(to - from) + 1, PIECES);
      const [first] = blocks;
      if (first === undefined) return { kind: 'idle', head };
      const reorg = await this.reorgBefore(first.parentHash, position, head);
      if (reorg !== null) return reorg;
      this.noteNumber(to + 1n, numberAfter(numbered, blocks) ?? this.nextNumberAt(from));
      return { kind: 'extend', head, from, blocks };
    } catch (error) {
      if (isAsked) this.headReading = lessAtHead(before, isTooMuch(error), PIECES);
      const isLess = before.size.blocks > 1 || before.pieces !== 1;
      if (isLess && isTooMuch(error)) return 'again';
      throw error;
    }
  }

  private async readRange(from: bigint, to: bigint, position: ReadPosition, head: bigint): Promise<ReadStep | 'again'> {
    const { lastHash, nextBlock } = position;
    // The quorum has the last block of the previous range. Any other block is compared first.
    if (lastHash !== null && lastHash !== this.rangeEnd) {
      const reorg = await this.compare(nextBlock - 1n, head);
      if (reorg.kind === 'reorg') return reorg;
    }
    const size = this.rangeSize;
    try {
      const next = this.nextNumberAt(from) ?? (await this.options.stored.nextNumber());
      const result = await this.ranges.read({ from, to, next });
      return this.accept(result, from, to, head);
    } catch (error) {
      this.rangeSize = halved({ ...size, blocks: Number(to - from) + 1 }, suggestedBlocks(error));
      if (error instanceof IncompleteRangeError || !isTooMuch(error)) throw error;
      // The receipts contain the logs that nodes refuse to serve for a single block.
      if (to === from) this.blocksUntil = from + PROVEN_INSTEAD;
      return 'again';
    }
  }

  private accept(result: RangeResult, from: bigint, to: bigint, head: bigint): ReadStep | 'again' {
    if (result.kind === 'no state') {
      this.blocksUntil = to + 1n;
      return 'again';
    }
    if (result.kind === 'too much') {
      this.rangeSize = halved({ ...this.rangeSize, blocks: Number(to - from) + 1 });
      return 'again';
    }
    const logs = result.blocks.reduce((sum, block) => sum + block.logs.length, 0);
    this.rangeSize = grown(this.rangeSize, Number(to - from) + 1, logs);
    const last = result.blocks.at(-1);
    this.rangeEnd = last?.hash ?? null;
    this.noteNumber((last?.number ?? to) + 1n, result.next);
    return { kind: 'extend', head, from, blocks: result.blocks };
  }

  /** Finds a reorg: the parent of the first new block must be the last stored block. */
  private async reorgBefore(
    parentHash: Hex,
    { nextBlock, lastHash }: ReadPosition,
    head: bigint,
  ): Promise<ReadStep | null> {
    if (lastHash === null || parentHash === lastHash) return null;
    const last = nextBlock - 1n;
    const step = await this.compare(last, head);
    if (step.kind === 'reorg') return step;
    // The quorum moved to another branch between two requests: retry instead of rolling back valid blocks.
    throw new InconsistentBlockError(nextBlock, `its parent is ${parentHash}, but block ${last} is ${lastHash}`);
  }

  private nextNumberAt(block: bigint): bigint | null {
    return this.next?.block === block ? this.next.number : null;
  }

  private noteNumber(block: bigint, number: bigint | null): void {
    this.next = number === null ? null : { block, number };
  }
}
