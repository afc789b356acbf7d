import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Acceptance } from '@causeway/verifier';
import type { Address, Hex } from 'viem';

const FILE = 'acceptances';
/** Bounded, because anyone can sign intents without paying them. */
const MOST = 100_000;
/** The payment window of an intent, plus a day. */
const KEPT_SECONDS = 1_800 + 86_400;
/** A delivery that still waits after a month starts its hold again. */
const FINAL_SECONDS = 30 * 86_400;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS acceptance (
    intent_id TEXT PRIMARY KEY, sender TEXT NOT NULL, signature_hash TEXT NOT NULL, block_number INTEGER NOT NULL,
    block_hash TEXT NOT NULL, timestamp INTEGER NOT NULL, fee TEXT NOT NULL, is_paid INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS final_origin (
    id TEXT PRIMARY KEY, block_hash TEXT NOT NULL, since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS acceptance_unpaid ON acceptance (sender, timestamp) WHERE is_paid = 0;
`;

/** Deletes the oldest unpaid acceptances of the senders with the most; if none is unpaid, their oldest paid ones. */
const MAKE_ROOM = `
  DELETE FROM acceptance WHERE intent_id IN (
    SELECT intent_id FROM acceptance
    ORDER BY is_paid, row_number() OVER (PARTITION BY is_paid, sender ORDER BY timestamp DESC) DESC, timestamp LIMIT ?
  )`;
/** MAKE_ROOM scans the whole table, so it frees this fraction (1/100) at a time. */
const ROOM_SHARE = 100;

/**
 * The judgements of intents at their acceptance, for nodes that later drop the state, and the times at which origins of
 * withdrawals were first seen as final. It is a cache: no signature relies on it alone, so writes do not wait for the
 * disk, and an empty cache replaces a damaged one.
 */
export class AcceptanceCache {
  private count: number;

  private constructor(
    private readonly database: DatabaseSync,
    private readonly most: number,
  ) {
    this.count = this.readCount();
  }

  /** @param directory locked by this process. */
  static open(directory: string, most = MOST): AcceptanceCache {
    const path = join(directory, FILE);
    try {
      return new AcceptanceCache(openDatabase(path), most);
    } catch {
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      return new AcceptanceCache(openDatabase(path), most);
    }
  }

  find(intentId: Hex): Acceptance | null {
    const found = this.database.prepare(
      `SELECT intent_id AS intentId, signature_hash AS signatureHash, block_number AS blockNumber,
         block_hash AS blockHash, timestamp, fee FROM acceptance WHERE intent_id = ?`,
    );
    found.setReadBigInts(true);
    const row = found.get(intentId) as (Omit<Acceptance, 'fee'> & { readonly fee: string }) | undefined;
    return row === undefined ? null : { ...row, fee: BigInt(row.fee) };
  }

  /** Stores a judgement, replacing an earlier one of the intent. A full cache drops unpaid intents first. */
  keep(sender: Address, acceptance: Acceptance): void {
    const known = this.find(acceptance.intentId);
    if (known?.blockHash === acceptance.blockHash && known.signatureHash === acceptance.signatureHash) return;
    if (known === null) this.makeRoom();
    this.database
      .prepare(
        `INSERT OR REPLACE INTO acceptance VALUES (:intentId, :sender, :signatureHash, :blockNumber, :blockHash,
           :timestamp, :fee, (SELECT count(*) FROM acceptance WHERE intent_id = :intentId AND is_paid = 1))`,
      )
      .run({ ...acceptance, sender, fee: String(acceptance.fee) });
  }

  /**
   * Returns when an origin was first seen as final in a block. Stores and returns `now` if no time is stored, or if the
   * stored time is in the future because the clock was ahead.
   */
  keepFinalSince(id: Hex, blockHash: Hex, now: number): number {
    this.database
      .prepare(
        `INSERT INTO final_origin (id, block_hash, since) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
         SET block_hash = excluded.block_hash, since = excluded.since
         WHERE block_hash <> excluded.block_hash OR since > excluded.since`,
      )
      .run(id, blockHash, now);
    return Number(this.database.prepare('SELECT since FROM final_origin WHERE id = ?').get(id)?.['since']);
  }

  /** Marks an intent whose transfer was shown: its judgement is kept until its release. */
  markPaid(intentId: Hex): void {
    this.database.prepare('UPDATE acceptance SET is_paid = 1 WHERE intent_id = ?').run(intentId);
  }

  /**
   * Forgets a judgement a day after its intent's payment window; for a paid intent, only if it was also released.
   *
   * @param nowSeconds the partner chain's time.
   * @param isEnded whether a paid intent was released.
   */
  forget(nowSeconds: bigint, isEnded: (intentId: Hex) => boolean): void {
    this.database.prepare('DELETE FROM final_origin WHERE since < ?').run(nowSeconds - BigInt(FINAL_SECONDS));
    const before = nowSeconds - BigInt(KEPT_SECONDS);
    this.database.prepare('DELETE FROM acceptance WHERE is_paid = 0 AND timestamp < ?').run(before);
    const paid = this.database.prepare('SELECT intent_id AS id FROM acceptance WHERE is_paid = 1 AND timestamp < ?');
    for (const { id } of paid.all(before) as { readonly id: Hex }[])
      if (isEnded(id)) this.database.prepare('DELETE FROM acceptance WHERE intent_id = ?').run(id);
    this.count = this.readCount();
  }

  close(): void {
    this.database.close();
  }

  /** Makes room for one more row. */
  private makeRoom(): void {
    if (this.count >= this.most) {
      this.database.prepare(MAKE_ROOM).run(Math.ceil(this.most / ROOM_SHARE));
      this.count = this.readCount();
    }
    this.count += 1;
  }

  private readCount(): number {
    return Number(this.database.prepare('SELECT count(*) AS count FROM acceptance').get()?.['count']);
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(SCHEMA);
    const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new Error(`${path} is damaged: ${String(found)}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
