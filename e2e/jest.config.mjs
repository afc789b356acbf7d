import { globSync } from 'node:fs';
import preset, { leaveToRest } from '../jest.preset.mjs';

const isLong = process.env.LONG_TESTS === '1';
const isOfImages = process.env.TEST_IMAGES === '1';
/** Files that start no bridge, and the one that shows the whole of it. */
const quick = ['test/smoke.test.ts', 'test/pages.test.ts', 'chaos/network/link.test.ts'];
const rest = globSync('{test,chaos}/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  (path) => !quick.includes(path),
);

/**
 * Each file starts a bridge of its own, which keeps a core busy: two run side by side. `test/nightly` runs in
 * `test:long` only, and `test/images` in `test:images`, which builds the images first and needs root.
 */
export default {
  ...preset,
  ...leaveToRest(rest),
  testTimeout: 300_000,
  maxWorkers: 2,
  testPathIgnorePatterns: [
    ...preset.testPathIgnorePatterns,
    ...(isLong ? [] : ['/test/nightly/']),
    ...(isOfImages ? [] : ['/test/images/']),
  ],
};
