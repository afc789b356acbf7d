import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';

const DIST = join(import.meta.dirname, '../dist');
/** Maximum bytes to load before the overview shows. */
const MOST_BYTES = 280_000;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The files of a chunk and of everything that it imports. */
function collectFiles(names: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    if (seen.has(chunk.file)) continue;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
    collectFiles(chunk.imports ?? [], seen);
  }
  return seen;
}

it('the first view is small, and has neither charts nor zod', () => {
  const files = [...collectFiles(['index.html', 'src/health/overview-page.tsx'])];
  const contents = ['index.html', ...files].map((file) => readFileSync(join(DIST, file)));
  const bytes = contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  const text = contents.map((content) => content.toString()).join('\n');
  expect(text).not.toMatch(/u-over|ZodError|invalid_union/);
  const charts = manifest['src/health/solvency-chart.tsx']!.file;
  expect(files).not.toContain(charts);
  // The patterns above must be able to find what they look for.
  expect(readFileSync(join(DIST, charts), 'utf8')).toMatch(/u-over/);
});
