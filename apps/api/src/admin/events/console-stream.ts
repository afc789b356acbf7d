import type { AdminChange } from '@causeway/protocol/admin';
import { EventStream, frame, type Output } from '../../events/event-stream.js';

/** The events of one console: all operations, and what else changed. */
export class ConsoleStream extends EventStream {
  constructor(
    /** Of its session: the stream ends with it. */
    readonly sessionId: string,
    position: bigint,
    output: Output,
    onDropped: () => void,
  ) {
    super({}, position, output, onDropped);
  }

  /** Names what the console should read again. It has no position of its own: a new stream begins with all of them. */
  announce(what: AdminChange): void {
    this.write(frame('changed', this.watermark, JSON.stringify({ what })));
  }

  /** An event, since an EventSource shows no comments, and a console must notice that it is cut off. */
  protected override pulse(): string {
    return frame('heartbeat', this.watermark, '{}');
  }
}
