import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from './routes.mjs';

/** The reference of the contracts from their NatSpec: a page for each. */
export function readContracts() {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-reference-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'contracts/scripts/reference.mjs'), '--write', folder]);
    const files = globSync(join(folder, '*.md')).toSorted();
    return new Map(files.map((file) => [`docs/reference/contracts/${basename(file)}`, readFileSync(file, 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
