import type { Hex } from 'viem';
import { FIRST_PREVIOUS_HASH, hashRow, type AuditRow } from './audit-log.js';

/** A position in the audit log: the number of a row, and its hash. */
export interface AuditHead {
  /** 0 before the first row. */
  readonly sequence: number;
  readonly hash: Hex;
}

/** The beginning of every audit log. */
export const EMPTY_AUDIT: AuditHead = { sequence: 0, hash: FIRST_PREVIOUS_HASH };

/** The first row that breaks the chain. `problem` is a sentence. */
export interface BrokenRow {
  readonly sequence: number;
  readonly problem: string;
}

/**
 * Verifies that rows continue the chain after `before`.
 *
 * @param known a head noted earlier: a log that was truncated and continued has a different row there.
 * @returns the last verified row, and the first row that breaks the chain, or null.
 */
export function followRows(
  before: AuditHead,
  rows: readonly AuditRow[],
  known: AuditHead | null,
): { readonly head: AuditHead; readonly broken: BrokenRow | null } {
  let head = before;
  for (const row of rows) {
    const problem = findProblem(head, row, known);
    if (problem !== null) return { head, broken: { sequence: row.sequence, problem } };
    head = { sequence: row.sequence, hash: row.hash };
  }
  return { head, broken: null };
}

/** @returns the problem of a log that ends before a head noted earlier; null for a complete log. */
export function missingTail(head: AuditHead, known: AuditHead | null): BrokenRow | null {
  if (known === null || known.sequence <= head.sequence) return null;
  const problem = `the log ends with row ${head.sequence}, but had row ${known.sequence}: its end was cut off`;
  return { sequence: head.sequence + 1, problem };
}

function findProblem(head: AuditHead, row: AuditRow, known: AuditHead | null): string | null {
  const expected = head.sequence + 1;
  if (row.sequence !== expected) return `row ${expected} is missing: row ${row.sequence} follows row ${head.sequence}`;
  if (row.previousHash !== head.hash)
    return `previous_hash is ${row.previousHash}, but row ${head.sequence} has the hash ${head.hash}`;
  const computed = hashRow(row);
  if (computed !== row.hash) return `hash is ${row.hash}, but its columns give ${computed}: a column was changed`;
  if (known?.sequence === row.sequence && known.hash !== row.hash)
    return `hash is ${row.hash}, but was ${known.hash} when the head was noted: the log was rewritten`;
  return null;
}
