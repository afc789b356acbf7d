import { BridgeError } from '@causeway/protocol';
import { finishInTime } from '@causeway/service/http';

/** The bounds of look-ups that any client can cause. */
export interface LookupLimits {
  /** Look-ups that run at the same time. */
  readonly concurrent: number;
  /** Look-ups that wait for their turn; above it they are refused. */
  readonly waiting: number;
  /** A caller waits this long for an answer. */
  readonly timeoutMs: number;
  /** An answer and a failure are remembered this long. */
  readonly rememberMs: number;
}

/**
 * Bounds what the requests of clients cost the nodes: one look-up per key at a time, few at the same time, and none
 * again for a key that was just answered. A look-up that outlasts its callers keeps its place until it ends.
 */
export class BoundedLookups<T> {
  private readonly entries = new Map<string, Promise<T>>();
  private readonly queue: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly limits: LookupLimits,
    private readonly lookUp: (key: string) => Promise<T>,
  ) {}

  /**
   * @throws BridgeError SERVICE_UNAVAILABLE when too many wait, or the answer takes too long; the error of the look-up.
   */
  async get(key: string): Promise<T> {
    const answer = this.entries.get(key) ?? this.begin(key);
    return finishInTime(answer, this.limits.timeoutMs, () => unavailable('The nodes did not answer in time'));
  }

  private begin(key: string): Promise<T> {
    if (this.running >= this.limits.concurrent && this.queue.length >= this.limits.waiting)
      throw unavailable('Too many look-ups run at this moment');
    const answer = this.inTurn(key);
    this.entries.set(key, answer);
    const forget = () => setTimeout(() => this.entries.delete(key), this.limits.rememberMs).unref();
    answer.then(forget, forget);
    return answer;
  }

  private async inTurn(key: string): Promise<T> {
    if (this.running >= this.limits.concurrent) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.running += 1;
    try {
      return await this.lookUp(key);
    } finally {
      const next = this.queue.shift();
      // The next one takes over the place.
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}

function unavailable(reason: string): BridgeError {
  return new BridgeError('SERVICE_UNAVAILABLE', `${reason}; try again shortly`);
}
