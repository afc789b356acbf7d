import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '@causeway/configuration';
import type { Acceptance, SignedTransfer, TransferKey, TransferRecord } from '@causeway/verifier';
import type { Hex } from 'viem';
import { RECORD, lockDirectory } from './directory.js';
import { decodeContent, encodeLine, toTransferText, type Entry, type SignedEntry } from './entry.js';

const DAY_SECONDS = 86_400n;
/** Anyone can sign intents and pay none of them. */
const MOST_ACCEPTANCES = 100_000;

/** A write failed: the end of the file is unknown, so nothing is signed until a restart has read it. */
class RecordFailedError extends Error {
  override readonly name = 'RecordFailedError';
}

/**
 * The memory of the attester: a file to which lines are added. A signature leaves only after its lines are on the disk.
 * A crash leaves at most a part of the last line, which is cut off: its signature never left.
 */
export class AttestRecord implements TransferRecord {
  private readonly byTransfer = new Map<string, SignedEntry[]>();
  private readonly byId = new Map<Hex, SignedEntry[]>();
  private readonly acceptances = new Map<Hex, Acceptance>();
  private recent: SignedEntry[] = [];
  private count = 0;
  private hasFailed = false;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: FileHandle,
    private readonly unlock: () => void,
  ) {}

  /**
   * Opens the record of a directory, and locks that.
   *
   * @throws ConfigurationError when another process has it, or a line is damaged.
   */
  static async open(directory: string): Promise<AttestRecord> {
    const unlock = lockDirectory(directory);
    try {
      const file = await open(join(directory, RECORD), 'a+', 0o600);
      const { entries, wholeBytes, damagedLine } = decodeContent(await file.readFile());
      if (damagedLine !== null) {
        await file.close();
        throw new ConfigurationError([
          `DATA_DIRECTORY ${directory} has a damaged record, in line ${damagedLine}: run \`attester recover\``,
        ]);
      }
      await file.truncate(wholeBytes);
      await file.sync();
      syncDirectory(directory);
      const record = new AttestRecord(file, unlock);
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

  /** How many entries it has. */
  get size(): number {
    return this.count;
  }

  async findByTransfer(transfer: TransferKey): Promise<readonly SignedTransfer[]> {
    return this.signedFor(transfer);
  }

  async findById(id: Hex): Promise<readonly SignedTransfer[]> {
    return this.signedAs(id);
  }

  async findAcceptance(intentId: Hex): Promise<Acceptance | null> {
    return this.acceptances.get(intentId) ?? null;
  }

  /** All that was signed for a transfer. */
  signedFor(transfer: TransferKey): readonly SignedEntry[] {
    return this.byTransfer.get(toTransferText(transfer)) ?? [];
  }

  /** All that was signed for an operation or refund. */
  signedAs(id: Hex): readonly SignedEntry[] {
    return this.byId.get(id) ?? [];
  }

  /** All signatures since a time, in epoch milliseconds. A later call asks for no earlier time. */
  signedSince(sinceMs: number): readonly SignedEntry[] {
    this.recent = this.recent.filter(({ signedAtMs }) => signedAtMs >= sinceMs);
    return this.recent;
  }

  /** Keeps the judgement of an acceptance, unless it has it. Those that are older than a day make room. */
  async keepAcceptance(acceptance: Acceptance): Promise<void> {
    const known = this.acceptances.get(acceptance.intentId);
    if (known?.blockHash === acceptance.blockHash && known.signatureHash === acceptance.signatureHash) return;
    if (this.acceptances.size >= MOST_ACCEPTANCES) {
      for (const [id, { timestamp }] of this.acceptances)
        if (timestamp < acceptance.timestamp - DAY_SECONDS) this.acceptances.delete(id);
      if (this.acceptances.size >= MOST_ACCEPTANCES) return;
    }
    await this.add([{ type: 'ACCEPTED', acceptance }]);
  }

  /**
   * Adds entries, and resolves when they are on the disk.
   *
   * @throws RecordFailedError and every later call does, too.
   */
  async add(entries: readonly Entry[]): Promise<void> {
    const written = this.writing.then(async () => this.write(entries));
    this.writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
    this.unlock();
  }

  private async write(entries: readonly Entry[]): Promise<void> {
    if (this.hasFailed) throw new RecordFailedError('An earlier write of the record failed: restart the attester');
    try {
      await this.file.appendFile(entries.map((entry, index) => encodeLine(this.count + index + 1, entry)).join(''));
      await this.file.datasync();
    } catch (cause) {
      this.hasFailed = true;
      throw new RecordFailedError('The record cannot be written: see to its disk, then restart the attester', {
        cause,
      });
    }
    for (const entry of entries) this.remember(entry);
  }

  private remember(entry: Entry): void {
    this.count += 1;
    if (entry.type === 'ACCEPTED') {
      this.acceptances.set(entry.acceptance.intentId, entry.acceptance);
      return;
    }
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

/** A new file is in its directory for sure only after this. */
export function syncDirectory(directory: string): void {
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
