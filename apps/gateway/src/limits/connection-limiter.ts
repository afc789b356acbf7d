import { randomUUID } from 'node:crypto';
import type { ExemptAddresses } from './exempt-addresses.js';
import type { SharedPlaces } from './shared-places.js';

const NOTHING = () => undefined;

/** How many WebSocket connections a client may have at the same time (spec "Limits": 10), in this process and, where they share Redis, at all gateways together. */
export class ConnectionLimiter {
  readonly #open = new Map<string, number>();

  /**
   * @param most 0 for no limit.
   * @param shared null where this process counts alone.
   */
  constructor(
    readonly most: number,
    private readonly exempt: ExemptAddresses,
    private readonly shared: SharedPlaces | null,
  ) {}

  /**
   * Takes a place for a connection. Never rejects.
   *
   * @param ip as `networkOf` writes it.
   * @returns what gives it back, to be called once; null when the client has as many as it may have.
   */
  async take(ip: string): Promise<(() => void) | null> {
    if (this.most === 0 || this.exempt.has(ip)) return NOTHING;
    const open = this.#open.get(ip) ?? 0;
    if (open >= this.most) return null;
    // At once: others of the client may come while Redis is asked.
    this.#open.set(ip, open + 1);
    if (this.shared === null) return () => this.#remove(ip);
    const id = randomUUID();
    if (!(await this.shared.take(ip, id))) {
      this.#remove(ip);
      return null;
    }
    return () => {
      this.#remove(ip);
      this.shared?.release(id);
    };
  }

  #remove(ip: string): void {
    const left = (this.#open.get(ip) ?? 0) - 1;
    if (left > 0) this.#open.set(ip, left);
    else this.#open.delete(ip);
  }
}
