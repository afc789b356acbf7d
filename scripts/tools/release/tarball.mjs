import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Files that every package has. */
const EXPECTED = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'];

/**
 * Finds problems of a packed package: missing or unwanted files, and findings of publint and arethetypeswrong.
 *
 * @param installed the folder in which the tarball is installed.
 */
export async function findProblems({ name, tarball, files }, installed) {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const pack = { tarball: new Uint8Array(readFileSync(tarball)).buffer };
  const { messages } = await publint({ pack, strict: true });
  return [
    ...findWrongFiles(files, installed),
    ...messages.map((message) => formatMessage(message, manifest, { color: false })),
    ...(manifest.exports === undefined ? [] : await findWrongTypes(tarball)),
  ].map((problem) => `${name}: ${problem}`);
}

function findWrongFiles(files, installed) {
  const problems = EXPECTED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`);
  for (const file of files) {
    if (file.endsWith('.map')) problems.push(`${file} maps to sources that are not in the package`);
    else if (/\.test\.|\.tsbuildinfo$|^\.env/.test(file)) problems.push(`${file} does not belong in the package`);
    else if (/\.[cm]?js$/.test(file) && /\n\/\/# sourceMappingURL=\S+\s*$/.test(readFileSync(join(installed, file))))
      problems.push(`${file} names a source map that is not in the package`);
  }
  return problems;
}

async function findWrongTypes(tarball) {
  const program = join(import.meta.dirname, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const words = [program, tarball, '--profile', 'esm-only', '--no-emoji', '--no-color', '--format', 'ascii'];
  try {
    await promisify(execFile)(process.execPath, words);
    return [];
  } catch ({ stdout, stderr }) {
    return [`arethetypeswrong:\n${stdout}${stderr}`];
  }
}
