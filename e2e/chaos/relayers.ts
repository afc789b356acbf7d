import { waitUntil } from '@causeway/test-kit';
import type { Database } from './database.ts';
import type { Service } from './service.ts';

const PATIENCE_MS = 60_000;
/** The precision of takeover times. */
const OFTEN = { intervalMs: 50 } as const;

/** The lease, and when a stage with the lease last read a chain, in epoch milliseconds. */
interface Progress {
  readonly token: bigint;
  readonly isHeld: boolean;
  readonly readAtMs: number;
}

/** Duration of a takeover in milliseconds: until another relayer held the lease, and until it worked. */
export interface Takeover {
  readonly leaseMs: number;
  readonly workMs: number;
  /** Time between the two in which the relayer was ready to run but the machine had no free core. */
  readonly starvedMs: number;
}

/** The relayers of one lease, by the rows of PostgreSQL. */
export class Relayers {
  readonly all: readonly Service[];
  private readonly database: Database;

  constructor(database: Database, all: readonly Service[]) {
    this.database = database;
    this.all = all;
  }

  /** Waits until one relayer works and the others are passive and connected to the database. */
  async ready(): Promise<{ readonly leader: Service; readonly passive: Service; readonly token: bigint }> {
    const find = async () => {
      const { token, isHeld } = await this.progress();
      const leader = this.all.find((relayer) => relayer.isRunning && relayer.hasToken(token));
      const passive = this.all.find((relayer) => relayer !== leader);
      if (!isHeld || leader === undefined || passive === undefined || !passive.isRunning) return null;
      const listening = await this.listening();
      return this.all.every(({ name }) => listening.has(name)) ? { leader, passive, token } : null;
    };
    return waitUntil('one of two relayers has the lease', find, OFTEN);
  }

  /**
   * Waits until a relayer holds the lease with a newer token, and one of its stages has read a chain.
   *
   * @returns milliseconds since the call, until the lease was taken and until the stage ran.
   * @throws Error when it takes longer than `patienceMs`.
   */
  async takeover(token: bigint, patienceMs = PATIENCE_MS): Promise<Takeover> {
    const startedAt = performance.now();
    const until = async (isReached: (now: Progress) => boolean): Promise<Progress> => {
      const read = async () => {
        const now = await this.progress();
        return isReached(now) ? now : null;
      };
      const timeoutMs = startedAt + patienceMs - performance.now();
      return waitUntil(`a relayer works after the one with token ${token}`, read, { ...OFTEN, timeoutMs });
    };
    const taken = await until((now) => now.isHeld && now.token > token);
    const leaseMs = performance.now() - startedAt;
    const waited = new Map(this.all.map((relayer) => [relayer, relayer.waitedForCoreMs()]));
    await until(({ readAtMs }) => readAtMs > taken.readAtMs);
    const workMs = performance.now() - startedAt;
    const leader = this.all.find((relayer) => relayer.hasToken(taken.token));
    const starvedMs = leader === undefined ? 0 : leader.waitedForCoreMs() - (waited.get(leader) ?? 0);
    return { leaseMs, workMs, starvedMs: Math.max(0, starvedMs) };
  }

  async token(): Promise<bigint> {
    return (await this.progress()).token;
  }

  /** Retries the query while the database restarts. */
  private async progress(): Promise<Progress> {
    const [row] = await this.ask<{ token: string; held: boolean; read: number }>(
      `SELECT token, expires_at > now() AS held,
         (SELECT coalesce(1000 * extract(epoch FROM max(read_at)), 0)::float8 FROM chain_cursor) AS read
       FROM lease WHERE name = 'relayer'`,
    );
    if (row === undefined) return { token: 0n, isHeld: false, readAtMs: 0 };
    return { token: BigInt(row.token), isHeld: row.held, readAtMs: row.read };
  }

  private async listening(): Promise<ReadonlySet<string>> {
    const rows = await this.ask<{ label: string }>(
      `SELECT application_name AS label FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
    // A released lease keeps the name of its relayer.
    return new Set(rows.map(({ label }) => label.split(' ').at(-1) ?? ''));
  }

  private async ask<R extends object>(text: string): Promise<R[]> {
    return waitUntil('the database answers', () => this.database.query<R>(text), OFTEN);
  }
}
