import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChunk, FirstView } from '@causeway/test-kit';
import { expect, it } from '@jest/globals';

const DIST = join(import.meta.dirname, '../dist');
/** Maximum bytes to load before the overview shows. */
const MOST_BYTES = 280_000;

it('the first view is small, and has neither charts nor zod', () => {
  const view = new FirstView(DIST, 'index.html', 'src/health/overview-page.tsx');
  expect(view.gzipBytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(view.contents.join('\n')).not.toMatch(/u-over|ZodError|invalid_union/);
  const charts = findChunk(DIST, 'src/health/solvency-chart.tsx');
  expect(view.files).not.toContain(charts);
  // The patterns above must be able to find what they look for.
  expect(readFileSync(join(DIST, charts), 'utf8')).toMatch(/u-over/);
});
