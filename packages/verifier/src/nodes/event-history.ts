import type { Address, Hex } from 'viem';
import type { PlacedLog, QuorumReader } from './quorum-reader.js';

/** The contract of a history, and its events. */
export interface HistoryOptions {
  readonly address: Address;
  /** First topics. */
  readonly topics: readonly Hex[];
  /** Block of the deployment. */
  readonly fromBlock: bigint;
}

/** The end of a history: a final block and its hash. */
interface Cursor {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Receives the events of a history. */
export interface EventSink {
  /** Adds the next event. */
  readonly add: (log: PlacedLog) => void;
  /** A final block was replaced: all events follow again. */
  readonly clear: () => void;
}

/**
 * Reads all events of a contract up to a final block, by a quorum of nodes. Each block is read once. If a final block
 * was replaced, the history is read again from the start.
 */
export class EventHistory {
  private cursor: Cursor | null = null;
  private extension: Promise<void> = Promise.resolve();

  constructor(
    private readonly reader: QuorumReader,
    private readonly options: HistoryOptions,
    private readonly sink: EventSink,
  ) {}

  /**
   * Passes on the events up to a final block, in order.
   *
   * @throws NoQuorumError
   */
  async readUntil(block: bigint): Promise<void> {
    const extension = this.extension.then(async () => this.extend(block));
    // The next read tries again.
    this.extension = extension.catch(() => undefined);
    await extension;
  }

  private async extend(block: bigint): Promise<void> {
    if (this.cursor !== null && (await this.reader.headerAt(this.cursor.number)).hash !== this.cursor.hash) {
      this.sink.clear();
      this.cursor = null;
    }
    const fromBlock = this.cursor === null ? this.options.fromBlock : this.cursor.number + 1n;
    if (block < fromBlock) return;
    const header = await this.reader.headerAt(block);
    const { address, topics } = this.options;
    for (const log of await this.reader.logs({ address, topics, fromBlock, toBlock: block }, header))
      this.sink.add(log);
    this.cursor = { number: block, hash: header.hash };
  }
}
