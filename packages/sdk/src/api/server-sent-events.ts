/** An event of a stream. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** Maximum characters of an event. The API sends about 1,500. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Parses server-sent events from chunks of text (HTML standard, 9.2.6). Node and workers have no EventSource, and that
 * of browsers exposes neither the status of a refusal nor heartbeats.
 */
export class EventReader {
  /** Id of the last complete event or heartbeat, kept across connections. */
  lastEventId = '';
  /** Milliseconds before reconnecting, if the server set them. */
  retryMs: number | undefined;
  private line = '';
  private endsWithReturn = false;
  private id = '';
  private name = '';
  private data: string[] = [];

  /** Starts a new connection. An incomplete event is dropped; the server sends it again. */
  restart(): void {
    Object.assign(this, { line: '', endsWithReturn: false, id: this.lastEventId, name: '', data: [] });
  }

  /** Parses the next chunk and returns the events that it completes. */
  push(piece: string): ServerSentEvent[] {
    // A line feed at the start belongs to a carriage return at the end of the previous chunk.
    const rest = this.endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.endsWithReturn = piece.endsWith('\r');
    const lines = (this.line + rest).split(/\r\n|\n|\r/);
    this.line = lines.pop() ?? '';
    const events = lines.flatMap((line) => this.readLine(line));
    if (this.line.length + this.data.join('').length > MOST_CHARACTERS) throw new Error('an event is too long');
    return events;
  }

  private readLine(line: string): ServerSentEvent[] {
    if (line === '') return this.dispatch();
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.name = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return [];
  }

  private dispatch(): ServerSentEvent[] {
    const { name, data } = this;
    this.lastEventId = this.id;
    this.name = '';
    this.data = [];
    return data.length === 0 ? [] : [{ name: name || 'message', data: data.join('\n') }];
  }
}
