import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ChainReader } from '../blocks/chain-reader.js';
import { DATA_FILE, identifyFile, LOCK_FILE, openChainDatabase } from '../db/open-database.js';
import type { ChainDatabase } from '../db/tables.js';
import { PartnerChainError } from '../errors.js';

/** Key of the identity of the file in which the chain last ran. */
const FILE = Buffer.from('file');
/** Value of `FILE` in a copy, so that a copy written over the original file is noticed too. */
const COPIED = 'copy';
/** File beside a copy that describes it. */
const DESCRIPTION = 'copy.json';
/** File with which an operator allows a copy to run. It contains the number of the copy's newest block. */
const ACCEPT_COPY = 'accept-copy';

const descriptionSchema = z.object({
  /** Number of the newest block. */
  block: z.number(),
  /** Length of the database. LMDB ends the process when it reads beyond the end of a shorter file. */
  bytes: z.number(),
});

/**
 * Copies a chain's directory, also while another process adds blocks. The copy is complete once `target` exists.
 *
 * @returns the number of the copy's newest block.
 * @throws PartnerChainError UNUSABLE_DIRECTORY if the directory holds no chain or `target` exists.
 */
export async function copyChain(dataDirectory: string, target: string): Promise<number> {
  if (existsSync(target)) {
    throw new PartnerChainError('UNUSABLE_DIRECTORY', `${target} already exists: name a new directory for the copy`);
  }
  if (!existsSync(join(dataDirectory, DATA_FILE))) {
    throw new PartnerChainError('UNUSABLE_DIRECTORY', `${dataDirectory} holds no chain`);
  }
  const partial = mkdtempSync(`${resolve(target)}.partial-`);
  try {
    const original = openChainDatabase(dataDirectory, { readOnly: true });
    try {
      await original.root.backup(partial, true);
    } finally {
      await original.root.close();
    }
    const block = await markAsCopy(partial);
    const { size: bytes } = statSync(join(partial, DATA_FILE));
    writeFileSync(join(partial, DESCRIPTION), `${JSON.stringify({ block, bytes })}\n`);
    renameSync(partial, target);
    return block;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** @returns the number of the newest block. */
async function markAsCopy(directory: string): Promise<number> {
  const database = openChainDatabase(directory);
  database.root.transactionSync(() => void database.meta.put(FILE, Buffer.from(COPIED)));
  const block = new ChainReader(database).headNumber() ?? 0;
  await database.root.close();
  rmSync(join(directory, LOCK_FILE));
  return block;
}

/** Returns why a copy is incomplete, as a sentence without a full stop, or null. Call it before the database opens. */
export function findMissingData(dataDirectory: string): string | null {
  const file = join(dataDirectory, DESCRIPTION);
  if (!existsSync(file)) return null;
  const { bytes } = descriptionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const data = join(dataDirectory, DATA_FILE);
  const size = existsSync(data) ? statSync(data).size : 0;
  if (size >= bytes) return null;
  return `${data} has ${size} of its ${bytes} bytes: the copy was cut off; transfer it again, or use another copy`;
}

/** Returns whether the directory is a copy of the one in which the chain last ran. */
export function isCopy(database: ChainDatabase, dataDirectory: string): boolean {
  return database.meta.getBinary(FILE)?.toString('utf8') !== identifyFile(dataDirectory);
}

/** Returns why a copy must not run, as a sentence without a full stop, or null if the operator has accepted it. */
export function findCopyProblem(database: ChainDatabase, dataDirectory: string): string | null {
  const head = new ChainReader(database).headNumber() ?? 0;
  const accepted = join(dataDirectory, ACCEPT_COPY);
  if (existsSync(accepted) && readFileSync(accepted, 'utf8').trim() === `${head}`) return null;
  return (
    `${dataDirectory} is a copy that ends at block ${head}: the original's later blocks are lost, and if both run, the ` +
    `chain splits. If the original never runs again, write ${head} into the file ${accepted}`
  );
}

/** Records that the chain runs in this directory. Another file is a copy from then on. */
export function claimDirectory(database: ChainDatabase, dataDirectory: string, write: () => void): void {
  rmSync(join(dataDirectory, DESCRIPTION), { force: true });
  database.root.transactionSync(() => {
    write();
    void database.meta.put(FILE, Buffer.from(identifyFile(dataDirectory)));
  });
  rmSync(join(dataDirectory, ACCEPT_COPY), { force: true });
}
