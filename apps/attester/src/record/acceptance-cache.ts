import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Acceptance } from '@causeway/verifier';
import type { Address, Hex } from 'viem';

const FILE = 'acceptances';
/** Anyone can sign intents and pay none of them. */
const MOST = 100_000;
/** The window of an intent, and a day. */
const KEPT_SECONDS = 1_800 + 86_400;
/** A delivery that still waits after a month is held once more. */
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

/** The oldest unpaid ones of the senders with most; when all are paid, the oldest paid ones of these. */
const MAKE_ROOM = `
  DELETE FROM acceptance WHERE intent_id IN (
    SELECT intent_id FROM acceptance
    ORDER BY is_paid, row_number() OVER (PARTITION BY is_paid, sender ORDER BY timestamp DESC) DESC, timestamp LIMIT ?
  )`;
/** All of them are compared then, so not for each one. */
const ROOM_SHARE = 100;

/**
 * The judgements of intents when they were accepted, for nodes that have dropped the state since, and the moments at
 * which origins of withdrawals were first seen as final. A cache: no signature rests on it alone, so nothing waits for
 * the disk, and an empty one replaces a damaged one.
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

  /** Keeps a judgement in the place of a former one of the intent. A full cache drops first what cost nothing. */
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
   * When an origin was first seen as final in a block. It is `now`, which is kept, without such a moment of that block,
   * and for one in the future: the clock was ahead then.
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

  /** The transfer of an intent was shown: its judgement is kept until the operation has ended. */
  markPaid(intentId: Hex): void {
    this.database.prepare('UPDATE acceptance SET is_paid = 1 WHERE intent_id = ?').run(intentId);
  }

  /**
   * Forgets judgements a day after the window of their intent, and those of paid intents only after their release.
   *
   * @param nowSeconds of the partner chain.
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

  /** For one more. */
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
