import type { AdminChange } from '@causeway/protocol/admin';
import { EventStream, frame, type Output } from '../../events/event-stream.js';

/** The events of one console: all operations and announcements of other changes. */
export class ConsoleStream extends EventStream {
  constructor(
    /** The stream ends with this session. */
    readonly sessionId: string,
    position: bigint,
    output: Output,
    onDropped: () => void,
  ) {
    super({}, position, output, onDropped);
  }

  /** Tells the console what to read again. An announcement has no position; a new stream begins with all of them. */
  announce(what: AdminChange): void {
    this.write(frame('changed', this.watermark, JSON.stringify({ what })));
  }

  /** An event rather than a comment: an EventSource hides comments, and a console must notice a lost connection. */
  protected override pulse(): string {
    return frame('heartbeat', this.watermark, '{}');
  }
}
