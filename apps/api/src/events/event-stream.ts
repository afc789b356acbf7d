import type { EventsQuery } from '@causeway/protocol/rest';
import type { Hex } from 'viem';

/** Maximum bytes queued for a reader. */
const MOST_QUEUED_BYTES = 512 * 1_024;
/** Maximum operations sent together, about 1.5 kB each. For more, the client should read the history. */
const MOST_TOGETHER = 100;

/** A changed operation as it is sent to readers. */
export interface Update {
  readonly operationId: Hex;
  /** See `ChangedOperation`. */
  readonly changedIn: bigint;
  /** The operation never changes again. */
  readonly isTerminal: boolean;
  /** The operation in JSON. */
  readonly data: string;
}

/** The writable part of a `ServerResponse`. */
export interface Output {
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/**
 * Server-sent events of one reader (HTML standard, section 9.2). An event id is a position in the database's changes: a
 * reader that has the event has all changes below its id. So any replica can continue after any id.
 */
export class EventStream {
  /** Updates at or above the watermark that the reader already has, because an earlier transaction is still running. */
  private sent: ReadonlyMap<Hex, bigint> = new Map();
  private wasWaiting = false;
  private hasEnded = false;

  /**
   * @param followed the subject that the reader follows.
   * @param position changes below it have been sent or are not requested.
   * @param onDropped called when the connection is closed because the reader is too slow. The client then resumes.
   */
  constructor(
    readonly followed: EventsQuery,
    private position: bigint,
    private readonly output: Output,
    private readonly onDropped: () => void,
  ) {}

  /** All changes below it have been sent. */
  get watermark(): bigint {
    return this.position;
  }

  /**
   * Sends the updates that the reader does not have yet.
   *
   * @param updates all changes of the followed subject from the watermark on, in the order of `changedIn`.
   * @param watermark the watermark of the snapshot with the updates.
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
    // No event follows. A client that reconnects with the last id gets 204, which stops an EventSource.
    if (this.followed.id !== undefined && fresh.some(({ isTerminal }) => isTerminal)) this.end();
  }

  /** Tells the reader to read the history: changes before `watermark` are not sent. */
  resync(watermark: bigint): void {
    this.position = watermark;
    this.write(frame('resync', watermark, '{}'));
  }

  /**
   * Shows that the stream is alive. Its id dispatches no event but keeps the position of a quiet stream current. A
   * reader with bytes queued at two consecutive heartbeats is dropped.
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

  /** Returns the text of a heartbeat. */
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
 * Formats updates as events. Events before the last one carry their own position, because later updates are still
 * missing.
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
 * Formats one event.
 *
 * @param data one line.
 */
export function frame(name: string, id: bigint, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
