import assert from 'node:assert/strict';
import { migrate, openStore, type Store, type WakeUp, type WakeUpListener } from '@causeway/store';
import { temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { Pool } from 'pg';
import { MemoryDatabase } from '../../simulation/store/memory-database.ts';
import { memoryStore } from '../../simulation/store/memory-store.ts';

/** Two processes use each store, so that one can take the lease from the other. */
export type Process = 'first' | 'second';

const DAY_MS = 86_400_000;
/** Characters of an earlier answer in the report of a difference. */
const MOST_SHOWN = 200;

/** The store in memory and the real one, to which every call goes. */
export class StorePair {
  memory = new MemoryDatabase(() => this.clockMs);
  private simulated = this.openSimulated();
  private clockMs = Date.now();
  private readonly log: string[] = [];
  private readonly wakeUps = { real: [] as WakeUp[], simulated: [] as WakeUp[] };
  private readonly listener: WakeUpListener;

  private constructor(
    private readonly real: Readonly<Record<Process, Store>>,
    private readonly sql: Pool,
    private readonly stop: () => Promise<void>,
  ) {
    this.listener = real.first.listen(
      (wakeUp) => this.wakeUps.real.push(wakeUp),
      (error) => this.log.push(error.message),
    );
  }

  static async open(): Promise<StorePair> {
    const database = await temporaryDatabase(migrate);
    const open = () => openStore({ databaseUrl: database.url, maxConnections: 2, onIdleError: () => undefined });
    const sql = new Pool({ connectionString: database.url, max: 1 });
    sql.on('error', () => undefined);
    const pair = new StorePair({ first: open(), second: open() }, sql, () => database.stop());
    await waitUntil('the real store listens', () => pair.wakeUps.real.includes('connected'));
    return pair;
  }

  async close(): Promise<void> {
    await this.listener.stop();
    for (const store of Object.values(this.real)) await store.close();
    await this.sql.end();
    await this.stop();
  }

  /** Empties both stores. */
  async begin(): Promise<void> {
    const { rows } = await this.sql.query<{ tables: string }>(
      `SELECT string_agg(format('%I', tablename), ', ') AS tables FROM pg_tables
       WHERE schemaname = 'public' AND tablename NOT LIKE '\\_prisma%' AND tablename <> 'admin_audit'`,
    );
    await this.sql.query(`TRUNCATE ${rows[0]?.tables}`);
    this.memory = new MemoryDatabase(() => this.clockMs);
    this.simulated = this.openSimulated();
    this.log.length = 0;
    this.wakeUps.real.length = 0;
    this.wakeUps.simulated.length = 0;
    this.simulated.first.listen((wakeUp) => this.wakeUps.simulated.push(wakeUp), reject);
  }

  /** Expects that both stores have announced the same, in the same order. */
  async end(): Promise<void> {
    await this.sql.query(`SELECT pg_notify('causeway_wake_up', 'lease')`);
    this.memory.transaction(() => this.memory.wake('lease'));
    const simulated = this.wakeUps.simulated.filter((wakeUp) => wakeUp !== 'connected');
    const { real } = this.wakeUps;
    await waitUntil('all wake-ups have arrived', () => real.length >= simulated.length, { timeoutMs: 10_000 });
    assert.deepEqual(simulated, real, 'the stores announced different wake-ups');
  }

  /**
   * Makes a call in both stores, and expects the same answer or the same error.
   *
   * @param call is made with each store. It reads what differs between them, such as the ids of calls, from its store.
   * @returns the answer of the store in memory; null after an error.
   */
  async both<T>(label: string, call: (store: Store) => Promise<T>, by: Process = 'first'): Promise<T | null> {
    // One millisecond has one transaction at most, as in the real store.
    this.clockMs = Math.max(this.clockMs + 1, Date.now());
    const [actual, simulated] = [await outcomeOf(call, this.real[by]), await outcomeOf(call, this.simulated[by])];
    this.log.push(`${label}: ${JSON.stringify(actual.shown)}`.slice(0, MOST_SHOWN));
    const story = `The stores differ in ${label}, after\n${this.log.slice(-12, -1).join('\n')}`;
    assert.deepEqual({ story, shown: simulated.shown }, { story, shown: actual.shown });
    return simulated.answer;
  }

  private openSimulated(): Readonly<Record<Process, Store>> {
    const open = () => memoryStore(this.memory, async (_label, work) => work());
    return { first: open(), second: open() };
  }
}

function reject(error: Error): never {
  throw error;
}

interface Outcome<T> {
  readonly answer: T | null;
  readonly shown: unknown;
}

async function outcomeOf<T>(call: (store: Store) => Promise<T>, store: Store): Promise<Outcome<T>> {
  try {
    const answer = await call(store);
    return { answer, shown: comparable(answer) };
  } catch (error) {
    return { answer: null, shown: toCause(error) };
  }
}

/** What a caller can tell from an error. */
function toCause(error: unknown): object {
  if (!(error instanceof Error)) throw error;
  const { name, message } = error;
  const { code, field, operationIds } = error as { code?: string; field?: string; operationIds?: string[] };
  // Prisma has a code of its own for a key that exists, and others for statements and for the end of a transaction.
  const { originalCode } = (error.cause ?? {}) as { originalCode?: string };
  const sqlState = code === 'P2002' ? '23505' : (/`(23\d{3})`/.exec(message)?.[1] ?? originalCode ?? code);
  if (sqlState?.startsWith('23') === true) return { constraint: sqlState };
  return { error: name, code, field, operationIds: operationIds?.toSorted() };
}

/** The value without what differs between two databases: the ids of rows, and times of their clocks. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return Math.abs(value.getTime() - Date.now()) < DAY_MS ? 'now' : value.toISOString();
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Map) return [...value].map(comparable).toSorted(inTextOrder);
  if (value instanceof Set) return [...value].toSorted(inTextOrder);
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'ageMs')
      .map(([key, part]) => {
        const isRowId = typeof part === 'bigint' && (key === 'id' || key === 'sweepId' || key === 'retirementId');
        return [key, isRowId ? 'row' : comparable(part)];
      }),
  );
}

function inTextOrder(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
