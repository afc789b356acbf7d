/** An event of a stream. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** Characters of an event at most. The API sends about 1,500. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Reads server-sent events from text in pieces (HTML standard, 9.2.6). Node and workers have no EventSource, and the
 * one of browsers shows neither the status of a refusal nor the heartbeats.
 */
export class EventReader {
  /** Of the last complete event or heartbeat; it outlives a connection. */
  lastEventId = '';
  /** Milliseconds before the next connection, if the server named them. */
  retryMs: number | undefined;
  private line = '';
  private endsWithReturn = false;
  private id = '';
  private name = '';
  private data: string[] = [];

  /** Begins a new connection. An event that was cut off is lost; the server sends it again. */
  restart(): void {
    Object.assign(this, { line: '', endsWithReturn: false, id: this.lastEventId, name: '', data: [] });
  }

  /** Reads the next piece, and returns the events that it completes. */
  push(piece: string): ServerSentEvent[] {
    // A line feed after a return that ended the piece before belongs to it.
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
