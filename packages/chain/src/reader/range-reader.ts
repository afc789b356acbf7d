import type { BlockContent, VerifiedBlock } from '../blocks/verified-block.js';
import type { Watch } from '../blocks/watch.js';
import type { AgreedBlock, ChainNode } from '../nodes/chain-connection.js';
import { ChainError, IncompleteRangeError, InconsistentBlockError, NodeUnavailableError } from '../rpc/chain-error.js';
import { checkNumbers, readCounter, type NumberedEvents, type NumberingVerdict } from './numbering.js';
import { proveBlocks, readHeaders, type ReaderNodes } from './proven-blocks.js';
import {
  compareAnswers,
  findFaults,
  requestLogs,
  type BlockLogs,
  type KnownAnswers,
  type NodeFault,
  type RangeAnswer,
} from './range-logs.js';
import { findChanges, readAccounts, type BlockSpan } from './wallet-changes.js';

/** Maximum spans of blocks to prove in full for one range. Beyond it the caller reads a shorter range. */
const MOST_SPANS = 64;
/** Maximum blocks to search by a full proof for a missing number, if a shorter range can find it as well. */
const MOST_SEARCHED = 64n;
/** Cached account states: those of one search, and of the end of the last range. */
const KEPT_STATES = 4_096;

/** A range of final blocks to read, inclusive. `next`: expected number of the first event of the origin contract. */
interface Range {
  readonly from: bigint;
  readonly to: bigint;
  readonly next: bigint;
}

/** The outcome of a range. */
export type RangeResult =
  /** Ascending: the blocks with logs or transfers, and the last block. `next`: the number of the event after them. */
  | { readonly kind: 'read'; readonly blocks: readonly BlockContent[]; readonly next: bigint }
  /** Too many blocks must be proven in full: read a shorter range. */
  | { readonly kind: 'too much' }
  /** The nodes lack the state of these blocks, so every block must be read. */
  | { readonly kind: 'no state' };

/** The logs to read, and their source. */
export interface RangeReaderOptions {
  readonly nodes: ReaderNodes;
  readonly watch: Watch;
  readonly numbered: NumberedEvents;
  /** Called for a node that was proven to hide or invent logs. */
  readonly report?: (fault: NodeFault) => void;
}

/** Reads ranges of final blocks by their logs. */
export class RangeReader {
  /** How often each node refused a range or was proven wrong. Nodes with fewer demerits are queried first. */
  private readonly demerits = new Map<string, number>();
  private readonly accounts = new Map<bigint, Promise<string>>();

  constructor(private readonly options: RangeReaderOptions) {}

  /**
   * Reads a range. It proves blocks in full if the nodes disagree about them, if they may pay a watched receiver, or if
   * they must contain a missing number.
   *
   * @throws IncompleteRangeError if numbers are still missing; QuorumError; the failure of a node if fewer nodes than
   * the quorum serve the range.
   */
  async read(range: Range): Promise<RangeResult> {
    const { from, to } = range;
    const { nodes, numbered } = this.options;
    const [end, answers, counter, changes] = await Promise.all([
      nodes.agreedBlock(to),
      this.askForLogs(from, to),
      nodes.agree((client) => readCounter(client, numbered, to)).catch(whenQuorumFails),
      this.changesIn({ from, to }),
    ]);
    if (end === null) throw new InconsistentBlockError(to, 'it is final, but the quorum does not have it');
    if (changes === 'no state') return { kind: 'no state' };
    const { agreed, disputed } = compareAnswers(answers);
    if (changes === null || changes.length + disputed.length > MOST_SPANS) return { kind: 'too much' };
    const spans = [...changes, ...disputed.map((block) => ({ from: block, to: block }))];
    const proven = await this.prove(spans, answers);
    const found = { range, agreed, answers, end };
    const verdict = checkNumbers(numbered, { ...range, blocks: merge(agreed, proven), counter });
    if (verdict.kind === 'complete') return this.complete(found, proven, verdict.next);
    return this.findMissing(found, proven, verdict, counter);
  }

  /** Queries as many nodes as the quorum needs. The next node replaces one that fails. */
  private async askForLogs(from: bigint, to: bigint): Promise<RangeAnswer[]> {
    const { nodes, watch } = this.options;
    const getDemerits = ({ name }: ChainNode) => this.demerits.get(name) ?? 0;
    const queue = nodes.usable().toSorted((a, b) => getDemerits(a) - getDemerits(b));
    let failure: ChainError = new NodeUnavailableError('fewer nodes than the quorum are usable');
    const known: KnownAnswers = [];
    const ask = async (): Promise<RangeAnswer> => {
      for (;;) {
        const node = queue.shift();
        if (node === undefined) throw failure;
        try {
          return { node, blocks: await requestLogs(node.client, from, to, watch, known) };
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          failure = error;
          this.demerits.set(node.name, getDemerits(node) + 1);
        }
      }
    };
    return Promise.all(Array.from({ length: nodes.quorum }, ask));
  }

  /** Finds the spans in which a receiver may have been paid; null if there are too many. */
  private async changesIn(span: BlockSpan): Promise<BlockSpan[] | null | 'no state'> {
    const receivers = this.options.watch.receivers ?? [];
    if (receivers.length === 0) return [];
    const accountsAt = (block: bigint): Promise<string> => {
      const known = this.accounts.get(block);
      if (known !== undefined) return known;
      const asked = this.options.nodes.agree((client) => readAccounts(client, receivers, block));
      // A failed request is not cached.
      asked.catch(() => this.accounts.delete(block));
      this.accounts.set(block, asked);
      return asked;
    };
    if (this.accounts.size > KEPT_STATES) {
      for (const block of this.accounts.keys()) if (block < span.from - 1n) this.accounts.delete(block);
    }
    return findChanges(span, accountsAt, MOST_SPANS).catch((error: unknown) => whenQuorumFails(error) ?? 'no state');
  }

  /** Proves blocks in full, and reports the nodes whose answers differ from them. */
  private async prove(spans: readonly BlockSpan[], answers: readonly RangeAnswer[]): Promise<VerifiedBlock[]> {
    const { nodes, watch, report } = this.options;
    const proven = new Map<bigint, VerifiedBlock>();
    for (const { from, to } of spans) {
      for (const block of await proveBlocks(nodes, { from, to, watch })) proven.set(block.number, block);
    }
    for (const block of proven.values()) {
      for (const fault of findFaults(answers, block.number, block)) {
        this.demerits.set(fault.node, (this.demerits.get(fault.node) ?? 0) + 1);
        report?.(fault);
      }
    }
    return [...proven.values()];
  }

  /** Proves in full the blocks that must contain the missing number. */
  private async findMissing(
    found: Found,
    proven: readonly VerifiedBlock[],
    verdict: Exclude<NumberingVerdict, { kind: 'complete' }>,
    counter: bigint | null,
  ): Promise<RangeResult> {
    const { range, agreed, answers } = found;
    if (verdict.kind === 'contradiction') throw new IncompleteRangeError(range.from, range.to, verdict.reason);
    // A shorter range ends before the gap or narrows it. Without the counter, only a full proof finds the number.
    const isLong = verdict.to - verdict.from >= MOST_SEARCHED;
    if (isLong && counter !== null) return { kind: 'too much' };
    const all = [...proven, ...(await this.prove([verdict], answers))];
    const after = checkNumbers(this.options.numbered, { ...range, blocks: merge(agreed, all), counter });
    if (after.kind === 'complete') return this.complete(found, all, after.next);
    if (after.kind === 'missing' && (after.from !== verdict.from || after.to !== verdict.to))
      return this.findMissing(found, all, after, counter);
    throw new IncompleteRangeError(range.from, range.to, after.reason);
  }

  private async complete({ agreed, end }: Found, proven: readonly VerifiedBlock[], next: bigint): Promise<RangeResult> {
    const atEnd = agreed.get(end.number);
    if (atEnd !== undefined && atEnd.hash !== end.hash)
      throw new InconsistentBlockError(end.number, `its logs name the block ${atEnd.hash}, but the quorum ${end.hash}`);
    const known = new Set([end.number, ...proven.map(({ number }) => number)]);
    const found = [...agreed].filter(([number]) => !known.has(number)).map(([number, block]) => ({ number, ...block }));
    const timeless = found.filter(({ timestampSeconds }) => timestampSeconds === null);
    const headers = await readHeaders(this.options.nodes, timeless);
    const times = new Map(headers.map(({ number, timestampSeconds }) => [number, timestampSeconds]));
    const kept = proven.filter(
      ({ number, logs, transfers }) => number === end.number || logs.length > 0 || transfers.length > 0,
    );
    const isEndProven = kept.some(({ number }) => number === end.number);
    const blocks: BlockContent[] = [
      ...found.map((block) => ({ ...block, timestampSeconds: getTime(block, times), transfers: [] })),
      ...kept,
      ...(isEndProven ? [] : [{ ...end, logs: atEnd?.logs ?? [], transfers: [] }]),
    ];
    return { kind: 'read', blocks: blocks.toSorted(byNumber), next };
  }
}

/** Returns the time on which the nodes agree, else the time of the header. */
function getTime(
  { number, timestampSeconds }: Pick<BlockLogs, 'timestampSeconds'> & { readonly number: bigint },
  fromHeaders: ReadonlyMap<bigint, bigint>,
): bigint {
  const time = timestampSeconds ?? fromHeaders.get(number);
  if (time === undefined) throw new InconsistentBlockError(number, 'neither its logs nor a header have its time');
  return time;
}

/** The data read for a range. */
interface Found {
  readonly range: Range;
  readonly agreed: ReadonlyMap<bigint, BlockLogs>;
  readonly answers: readonly RangeAnswer[];
  readonly end: AgreedBlock;
}

/** Merges agreed and proven blocks in ascending order; a proven block replaces an agreed one. */
function merge(agreed: ReadonlyMap<bigint, BlockLogs>, proven: readonly VerifiedBlock[]) {
  const logs = new Map([...agreed].map(([number, block]) => [number, block.logs]));
  for (const block of proven) logs.set(block.number, block.logs);
  return [...logs].map(([number, ofBlock]) => ({ number, logs: ofBlock })).toSorted(byNumber);
}

function byNumber(a: { readonly number: bigint }, b: { readonly number: bigint }): number {
  return a.number < b.number ? -1 : 1;
}

/** Returns null for a failure of nodes, such as pruned state, which reading has a fallback for. Rethrows bugs. */
function whenQuorumFails(error: unknown): null {
  if (error instanceof ChainError) return null;
  throw error;
}
