import type { Hex } from 'viem';
import type { Connection } from '../transport/connection.js';
import type { LogMatcher } from './log-matcher.js';
import type { SubscriptionKind } from './subscription-kind.js';

/** Characters that may wait for the answer that names the subscription. */
const MOST_HELD = 1024 * 1024;

/** One subscription of a connection. What happens before its client knows the id is held back for so long. */
export class Subscription {
  readonly #start: string;
  #held: string[] | null = [];
  #heldSize = 0;
  #hasEnded = false;

  /** @param matcher which logs are wanted; null for another kind. */
  constructor(
    readonly id: Hex,
    readonly kind: SubscriptionKind,
    readonly connection: Connection,
    readonly matcher: LogMatcher | null,
    /** Called once when the subscription ends. */
    private readonly release: () => void,
  ) {
    this.#start = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
  }

  /** @param result as JSON. */
  notify(result: string): void {
    if (this.#hasEnded) return;
    if (this.#held === null) {
      this.connection.send(`${this.#start}${result}}}`);
      return;
    }
    this.#held.push(result);
    this.#heldSize += result.length;
    if (this.#heldSize > MOST_HELD) this.connection.disconnect('too many events before an answer');
  }

  /** The client knows the id: what was held back is sent, and everything else as it happens. */
  start(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const result of held) this.notify(result);
  }

  /** Nothing is sent any more, not even what was held back. To be called once. */
  end(): void {
    this.#hasEnded = true;
    this.#held = [];
    this.release();
  }
}
