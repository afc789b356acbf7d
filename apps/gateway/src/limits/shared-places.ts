import type { Redis } from 'ioredis';
import { Semaphore } from 'redis-semaphore';

/** How long places are kept in Redis for a gateway that says nothing any more, and how often one that is there says so. */
export interface PlaceTimes {
  readonly keepMs: number;
  readonly refreshMs: number;
}

const TIMES: PlaceTimes = { keepMs: 60_000, refreshMs: 15_000 };
/** Places that are refreshed at the same time. */
const AT_ONCE = 100;

/**
 * The places for connections that a client has at all gateways together, in Redis.
 *
 * A place belongs to a connection until it is given back. Those of a gateway that died are free after a minute. While Redis cannot be asked everybody gets a
 * place here, since each gateway counts for itself too; what is open is entered as soon as Redis is back. The time is the gateways' own: their clocks must not
 * differ by as much as a place lasts unrefreshed.
 */
export class SharedPlaces {
  /** Who has the places that this gateway gave away, by id. */
  readonly #given = new Map<string, string>();
  readonly #releases = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #refreshing = false;

  /** @param most places of one client. */
  constructor(
    private readonly redis: Redis,
    private readonly most: number,
    private readonly times = TIMES,
  ) {
    this.#timer = setInterval(() => void this.#refresh(), times.refreshMs);
    this.#timer.unref();
  }

  /**
   * Takes a place for a connection of the client.
   *
   * @param id of the connection, like no other at any gateway.
   * @returns false when the client has as many as it may have.
   */
  async take(ip: string, id: string): Promise<boolean> {
    try {
      if (!(await this.#place(ip, id).tryAcquire())) return false;
    } catch {
      // Redis is gone, which its connection has said.
    }
    this.#given.set(id, ip);
    return true;
  }

  /** Gives a place back. */
  release(id: string): void {
    const ip = this.#given.get(id);
    if (ip === undefined || !this.#given.delete(id)) return;
    const release = this.#free(ip, id).finally(() => this.#releases.delete(release));
    this.#releases.add(release);
  }

  /** Waits until what was given back is known in Redis, or Redis did not answer. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#releases);
  }

  async #refresh(): Promise<void> {
    if (this.#refreshing) return;
    this.#refreshing = true;
    const given = [...this.#given];
    try {
      for (let first = 0; first < given.length; first += AT_ONCE) {
        await Promise.all(given.slice(first, first + AT_ONCE).map(([id, ip]) => this.#keep(ip, id)));
      }
    } catch {
      // Redis is gone, which its connection has said; what is left is refreshed the next time.
    } finally {
      this.#refreshing = false;
    }
  }

  async #keep(ip: string, id: string): Promise<void> {
    // A Redis that began anew knows nothing of it.
    if (!(await this.#place(ip, id, true).tryAcquire())) await this.#place(ip, id).tryAcquire();
    // It may have been given back meanwhile.
    if (!this.#given.has(id)) await this.#free(ip, id);
  }

  async #free(ip: string, id: string): Promise<void> {
    try {
      await this.#place(ip, id, true).release();
    } catch {
      // It is free when nobody refreshes it any more.
    }
  }

  /** @param taken whether it is this gateway's already. */
  #place(ip: string, id: string, taken = false): Semaphore {
    return new Semaphore(this.redis, `causeway:gateway:connections:${ip}`, this.most, {
      identifier: id,
      ...(taken ? { acquiredExternally: true } : null),
      acquireAttemptsLimit: 1,
      lockTimeout: this.times.keepMs,
      // Not by itself: a timer for every connection, and a rejection nobody hears when Redis is gone.
      refreshInterval: 0,
    });
  }
}
