import type { EventsQuery } from '@causeway/protocol/rest';
import type { Hex } from 'viem';

/** Bytes that may wait for a reader. */
const MOST_QUEUED_BYTES = 512 * 1_024;
/** Operations that a reader gets together, of about 1.5 kB each. Beyond it a page of the history is the better way. */
const MOST_TOGETHER = 100;

/** An operation that changed, as its readers get it. */
export interface Update {
  readonly operationId: Hex;
  /** See `ChangedOperation`. */
  readonly changedIn: bigint;
  /** It never changes again. */
  readonly isTerminal: boolean;
  /** The operation in JSON. */
  readonly data: string;
}

/** The side of an HTTP answer that is written: `ServerResponse`. */
export interface Output {
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/**
 * Server-sent events of one reader (HTML standard, section 9.2). The id of an event is a position in the changes of the
 * database: a reader that has the event has everything below it. So any replica continues after any id.
 */
export class EventStream {
  /** Updates from it on that the reader has already: a transaction below them is still running. */
  private sent: ReadonlyMap<Hex, bigint> = new Map();
  private wasWaiting = false;
  private hasEnded = false;

  /**
   * @param followed what the reader asked for.
   * @param position everything below it has been sent, or is not asked for.
   * @param onDropped is called when the reader is too slow. The connection is closed then, and the client resumes.
   */
  constructor(
    readonly followed: EventsQuery,
    private position: bigint,
    private readonly output: Output,
    private readonly onDropped: () => void,
  ) {}

  /** Everything below it has been sent. */
  get watermark(): bigint {
    return this.position;
  }

  /**
   * Sends what the reader does not have yet.
   *
   * @param updates all changes of what it follows from its watermark on, in the order of `changedIn`.
   * @param watermark of the snapshot with the updates.
   */
  deliver(updates: readonly Update[], watermark: bigint): void {
    const fresh = updates.filter(
      ({ operationId, changedIn }) => changedIn >= this.position && this.sent.get(operationId) !== changedIn,
    );
    this.sent = new Map(
      updates.filter(({ changedIn }) => changedIn >= watermark).map((update) => [update.operationId, update.changedIn]),
    );
    this.position = watermark;
    if (fresh.length > MOST_TOGETHER) this.resync(watermark);
    else this.write(formatFrames(fresh, watermark));
    // Nothing follows. A client that connects again with the last id gets 204, which ends an EventSource.
    if (this.followed.id !== undefined && fresh.some(({ isTerminal }) => isTerminal)) this.end();
  }

  /** Tells the reader to read the history: what changed before `watermark` is not sent. */
  resync(watermark: bigint): void {
    this.position = watermark;
    this.write(frame('resync', watermark, '{}'));
  }

  /**
   * Shows that the stream lives. Its id, which dispatches no event, keeps the position of a quiet stream new. A reader
   * that has taken nothing since the heartbeat before the last one is dropped.
   */
  heartbeat(): void {
    const isWaiting = this.output.writableLength > 0;
    if (isWaiting && this.wasWaiting) this.drop();
    this.wasWaiting = isWaiting;
    this.write(this.pulse());
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.output.end();
  }

  /** The text of a heartbeat. */
  protected pulse(): string {
    return `:\nid: ${this.position}\n\n`;
  }

  protected write(text: string): void {
    if (this.hasEnded || text === '') return;
    this.output.write(text);
    if (this.output.writableLength > MOST_QUEUED_BYTES) this.drop();
  }

  private drop(): void {
    this.hasEnded = true;
    this.output.destroy();
    this.onDropped();
  }
}

/**
 * The text of some updates. Until the last one was sent, the id is that of the update: the others are still missing.
 *
 * @param updates in the order of `changedIn`.
 */
function formatFrames(updates: readonly Update[], watermark: bigint): string {
  return updates
    .map(({ changedIn, data }, index) => {
      const isLast = index === updates.length - 1;
      return frame('operation', isLast || changedIn > watermark ? watermark : changedIn, data);
    })
    .join('');
}

/**
 * The text of one event.
 *
 * @param data one line.
 */
export function frame(name: string, id: bigint, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
