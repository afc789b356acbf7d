import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ConfigurationError } from '@causeway/service/configuration';
import type { Acceptance, Side, SignedTransfer, TransferKey, TransferRecord } from '@causeway/verifier';
import type { Hex } from 'viem';
import { AcceptanceCache } from './acceptance-cache.js';
import { lockDirectory } from './directory.js';
import { encodeLine, toTransferText, type SignedEntry } from './entry.js';
import { getRecordPath, readContent, replaceRecord, syncDirectory, writeNext } from './record-file.js';

/** Entries of the last hour are kept, because the hourly limits are counted from the record. */
const HOUR_MS = 3_600_000;

/** A write failed, so the end of the file is unknown. Nothing is signed until a restart has read the file. */
class RecordFailedError extends Error {
  override readonly name = 'RecordFailedError';
}

/**
 * The attester's memory: an append-only file of lines. A signature is sent only after its lines are on the disk. A
 * crash can leave a partial last line, which is truncated: its signature was never sent. Forgetting writes a new file
 * with the remaining entries, and replaces the old file by it.
 */
export class AttestRecord implements TransferRecord {
  private readonly byTransfer = new Map<string, SignedEntry[]>();
  private readonly byId = new Map<Hex, SignedEntry[]>();
  private recent: SignedEntry[] = [];
  private count = 0;
  private forgottenCount = 0;
  private hasFailed = false;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly directory: string,
    private file: FileHandle,
    readonly acceptances: AcceptanceCache,
    private readonly unlock: () => void,
  ) {}

  /**
   * Opens the record of a directory, and locks the directory.
   *
   * @throws ConfigurationError when another process has the lock, or a line is damaged.
   */
  static async open(directory: string): Promise<AttestRecord> {
    const unlock = lockDirectory(directory);
    try {
      const path = getRecordPath(directory);
      const entries: SignedEntry[] = [];
      const keep = (entry: SignedEntry) => void entries.push(entry);
      const { wholeBytes, damagedLine } = existsSync(path)
        ? readContent(path, keep)
        : { wholeBytes: 0, damagedLine: null };
      if (damagedLine !== null)
        throw new ConfigurationError([
          `DATA_DIRECTORY ${directory} has a damaged record, in line ${damagedLine}: run \`attester recover\``,
        ]);
      const file = await open(path, 'a', 0o600);
      await file.truncate(wholeBytes);
      await file.sync();
      syncDirectory(directory);
      const record = new AttestRecord(directory, file, AcceptanceCache.open(directory), unlock);
      for (const entry of entries) record.remember(entry);
      return record;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Whether entries can be added. */
  get isUsable(): boolean {
    return !this.hasFailed;
  }

  /** Number of entries. */
  get size(): number {
    return this.count;
  }

  /** Number of entries that this process has forgotten. */
  get forgotten(): number {
    return this.forgottenCount;
  }

  async findByTransfer(transfer: TransferKey): Promise<readonly SignedTransfer[]> {
    return this.signedFor(transfer);
  }

  async findById(id: Hex): Promise<readonly SignedTransfer[]> {
    return this.signedAs(id);
  }

  async findAcceptance(intentId: Hex): Promise<Acceptance | null> {
    return this.acceptances.find(intentId);
  }

  async keepFinalSince(id: Hex, blockHash: Hex, now: number): Promise<number> {
    return this.acceptances.keepFinalSince(id, blockHash, now);
  }

  /** Every signature for a transfer. */
  signedFor(transfer: TransferKey): readonly SignedEntry[] {
    return this.byTransfer.get(toTransferText(transfer)) ?? [];
  }

  /** Every signature for an operation or refund. */
  signedAs(id: Hex): readonly SignedEntry[] {
    return this.byId.get(id) ?? [];
  }

  /** All signatures since a time, in epoch milliseconds. Later calls must not pass an earlier time. */
  signedSince(sinceMs: number): readonly SignedEntry[] {
    this.recent = this.recent.filter(({ signedAtMs }) => signedAtMs >= sinceMs);
    return this.recent;
  }

  /**
   * Adds entries, and resolves when they are on the disk.
   *
   * @throws RecordFailedError, as does every later call.
   */
  async add(entries: readonly SignedEntry[]): Promise<void> {
    const written = this.writing.then(async () => this.write(entries));
    this.writing = written.catch(() => undefined);
    return written;
  }

  /**
   * Forgets expired signatures: a final block of the paying chain is later than their end, so every later judgement
   * sees what they have paid. Signatures of the last hour stay.
   *
   * @param finalSeconds time of a final block of each chain.
   * @throws Error when the new file cannot be written; nothing is forgotten then. RecordFailedError as for `add`.
   */
  async forget(finalSeconds: Readonly<Record<Side, bigint>>, nowMs: number): Promise<void> {
    const written = this.writing.then(async () => {
      const all = [...this.byId.values()].flat();
      const isLive = ({ side, validUntil, signedAtMs }: SignedEntry) =>
        validUntil >= finalSeconds[side] || signedAtMs > nowMs - HOUR_MS;
      const live = all.filter(isLive);
      if (live.length < all.length) await this.replace(live);
    });
    this.writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
    this.acceptances.close();
    this.unlock();
  }

  private async write(entries: readonly SignedEntry[]): Promise<void> {
    await this.orFail(async () => {
      await this.file.appendFile(entries.map((entry, index) => encodeLine(this.count + index + 1, entry)).join(''));
      await this.file.datasync();
    });
    for (const entry of entries) this.remember(entry);
  }

  private async replace(live: readonly SignedEntry[]): Promise<void> {
    const next = writeNext(this.directory, live);
    await this.orFail(async () => {
      replaceRecord(this.directory, next);
      await this.file.close();
      this.file = await open(getRecordPath(this.directory), 'a');
    });
    this.forgottenCount += this.count - live.length;
    this.count = 0;
    this.recent = [];
    this.byId.clear();
    this.byTransfer.clear();
    for (const entry of live) this.remember(entry);
  }

  private async orFail(write: () => Promise<void>): Promise<void> {
    if (this.hasFailed) throw new RecordFailedError('An earlier write of the record failed: restart the attester');
    try {
      await write();
    } catch (cause) {
      this.hasFailed = true;
      throw new RecordFailedError('The record cannot be written: check its disk, then restart the attester', {
        cause,
      });
    }
  }

  private remember(entry: SignedEntry): void {
    this.count += 1;
    this.recent.push(entry);
    push(this.byTransfer, toTransferText(entry.transfer), entry);
    push(this.byId, entry.id, entry);
  }
}

function push<K>(map: Map<K, SignedEntry[]>, key: K, entry: SignedEntry): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [entry]);
  else found.push(entry);
}
