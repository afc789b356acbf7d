import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './programs.mjs';

/**
 * Reads the release of a package in this work tree. Its time is the commit's, so that builds are reproducible.
 *
 * @returns version, commit (with -dirty if files differ from it), builtAt, epochSeconds, and source if it is set.
 */
export function readRelease(root, folder) {
  const git = (...words) => run('git', ['-C', root, ...words]).trim();
  const isDirty = git('status', '--porcelain') !== '';
  const epochSeconds = Number(git('log', '-1', '--format=%ct'));
  const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  return {
    version: readJson(join(folder, 'package.json')).version,
    commit: `${git('rev-parse', 'HEAD')}${isDirty ? '-dirty' : ''}`,
    builtAt: new Date(epochSeconds * 1_000).toISOString(),
    epochSeconds,
    source: readJson('package.json').repository,
  };
}
