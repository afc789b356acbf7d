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
 * place here, since each gateway counts for itself too; what is open then is entered at the next refresh, as far as there is room. The time is the gateways'
 * own: one whose clock is ahead of another's by `keepMs - refreshMs` would take living places for dead ones.
 */
export class SharedPlaces {
  /** Who has the places that this gateway gave away, by id. */
  readonly #given = new Map<string, string>();
  /** Places that were given back when Redis could not be told, by id, and since when. */
  readonly #owed = new Map<string, { readonly ip: string; readonly since: number }>();
  readonly #releases = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #refreshing: Promise<void> | null = null;

  /**
   * @param most places of one client.
   * @param onAlone hears of every place that Redis could not be asked for.
   */
  constructor(
    private readonly redis: Redis,
    private readonly most: number,
    private readonly onAlone: () => void,
    private readonly times = TIMES,
  ) {
    this.#timer = setInterval(() => {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null));
    }, times.refreshMs);
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
      this.onAlone();
    }
    this.#given.set(id, ip);
    return true;
  }

  /** Gives a place back. */
  release(id: string): void {
    const ip = this.#given.get(id);
    if (ip === undefined || !this.#given.delete(id)) return;
    const release = this.#free(ip, id)
      .catch(() => void this.#owed.set(id, { ip, since: performance.now() }))
      .finally(() => this.#releases.delete(release));
    this.#releases.add(release);
  }

  /** Waits until what was given back is known in Redis, or Redis did not answer. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
    await Promise.all(this.#releases);
  }

  /** Tells Redis of all places. Never rejects: what fails is told the next time. */
  async #refresh(): Promise<void> {
    const expired = performance.now() - this.times.keepMs;
    for (const [id, { since }] of this.#owed) if (since < expired) this.#owed.delete(id);
    const tasks: (() => Promise<void>)[] = [];
    for (const [id, { ip }] of this.#owed) tasks.push(() => this.#free(ip, id));
    for (const [id, ip] of this.#given) tasks.push(() => this.#keep(ip, id));
    for (let first = 0; first < tasks.length; first += AT_ONCE) {
      const told = await Promise.allSettled(tasks.slice(first, first + AT_ONCE).map((tell) => tell()));
      // Redis is gone: the rest would only wait for that.
      if (told.every(({ status }) => status === 'rejected')) return;
    }
  }

  async #keep(ip: string, id: string): Promise<void> {
    // It may be given back at any moment.
    if (!this.#given.has(id) || (await this.#place(ip, id, true).tryAcquire()) || !this.#given.has(id)) return;
    // A Redis that began anew knows nothing of it.
    await this.#place(ip, id).tryAcquire();
    if (!this.#given.has(id)) await this.#free(ip, id);
  }

  async #free(ip: string, id: string): Promise<void> {
    await this.#place(ip, id, true).release();
    this.#owed.delete(id);
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
