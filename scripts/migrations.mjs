import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// A released migration must not change, because databases that already ran it would differ from new ones. Without flags
// this fails if a frozen migration was changed, removed, or preceded by a new one. The release runs --freeze, which
// adds the new ones. The list has the format of sha256sum.
const FOLDER = join(import.meta.dirname, '../packages/store/prisma/migrations');
const LIST = join(FOLDER, 'frozen.sha256');

const names = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `${name}/migration.sql`)
  .toSorted();
const lines = names.map((name) => `${hash(join(FOLDER, name))}  ${name}`);
const frozen = existsSync(LIST) ? readFileSync(LIST, 'utf8').trimEnd().split('\n') : [];

const changed = frozen.filter((line, index) => line !== lines[index]);
if (changed.length > 0) {
  console.error(`Released migrations were changed, removed, or preceded by a new one:\n${changed.join('\n')}`);
  console.error('Restore them from the last commit, and write a new migration with a later name.');
  process.exitCode = 1;
} else if (parseArgs({ options: { freeze: { type: 'boolean' } } }).values.freeze === true) {
  writeFileSync(LIST, `${lines.join('\n')}\n`);
}

function hash(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
