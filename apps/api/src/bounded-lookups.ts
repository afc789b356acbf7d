import { BridgeError } from '@causeway/protocol';
import { finishInTime } from '@causeway/service/http';

/** Bounds for look-ups that any client can cause. */
export interface LookupLimits {
  /** Maximum concurrent look-ups. */
  readonly concurrent: number;
  /** Maximum queued look-ups; more are refused. */
  readonly waiting: number;
  /** How long a caller waits for an answer. */
  readonly timeoutMs: number;
  /** How long an answer or a failure is remembered. */
  readonly rememberMs: number;
}

/**
 * Bounds the load that client requests put on the nodes: one look-up per key at a time, few concurrently, and no repeat
 * for a key answered recently. A look-up that outlasts its callers keeps its slot until it ends.
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
   * @throws BridgeError SERVICE_UNAVAILABLE when too many wait or the answer takes too long; otherwise the error of the
   *   look-up.
   */
  async get(key: string): Promise<T> {
    const answer = this.entries.get(key) ?? this.begin(key);
    return finishInTime(answer, this.limits.timeoutMs, () => unavailable('The nodes did not answer in time'));
  }

  private begin(key: string): Promise<T> {
    if (this.running >= this.limits.concurrent && this.queue.length >= this.limits.waiting)
      throw unavailable('Too many look-ups are running');
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
      // The next look-up takes over the slot.
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}

function unavailable(reason: string): BridgeError {
  return new BridgeError('SERVICE_UNAVAILABLE', `${reason}; try again shortly`);
}
