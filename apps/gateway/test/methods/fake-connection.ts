import type { Connection } from '../../src/transport/connection.js';

let count = 0;

/** A WebSocket client of which everything can be seen. */
export class FakeConnection implements Connection {
  readonly id = `connection-${(count += 1)}`;
  readonly ip = '192.0.2.1';
  readonly texts: string[] = [];
  /** Why it was disconnected; null while it is not. */
  reason: string | null = null;
  readonly #listeners: (() => void)[] = [];
  #isClosed = false;

  /** @param most messages it takes before it counts as too slow. */
  constructor(private readonly most = Infinity) {}

  /** Results of the notifications of one subscription, or of all. */
  results(id?: string): unknown[] {
    return this.texts
      .map((text) => JSON.parse(text) as { params: { subscription: string; result: unknown } })
      .filter(({ params }) => id === undefined || params.subscription === id)
      .map(({ params }) => params.result);
  }

  send(text: string): void {
    if (this.#isClosed) return;
    if (this.texts.length >= this.most) this.disconnect('too slow');
    else this.texts.push(text);
  }

  disconnect(reason: string): void {
    if (this.#isClosed) return;
    this.reason = reason;
    this.close();
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#listeners.push(listener);
  }

  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
