import { globSync } from 'node:fs';
import preset from '../jest.preset.mjs';

const isOfImages = process.env.TEST_IMAGES === '1';
const files = globSync('{test,chaos}/**/*.test.ts', { cwd: import.meta.dirname });
/** Files that start no bridge, and the smoke test of the whole bridge. */
const quick = ['test/smoke.test.ts', 'test/pages.test.ts', 'chaos/network/link.test.ts'];
/** Campaigns; packages test their parts. */
const nightly = [
  'test/admin/offices.test.ts',
  'test/attesters/lying-nodes.test.ts',
  'test/attesters/stolen-key.test.ts',
  'test/attesters/stolen-quorum.test.ts',
  'test/fourth-asset.test.ts',
  'test/gas-grief.test.ts',
  'test/mixed-traffic.test.ts',
  'test/operating/attesters.test.ts',
  'test/operating/real-attesters.test.ts',
  'test/public-environments.test.ts',
  'test/refunds.test.ts',
  'test/services.test.ts',
  'test/smart-accounts.test.ts',
  'test/watch.test.ts',
  ...files.filter((path) => path.startsWith('test/nightly/')),
];
const chosen = {
  quick,
  rest: files.filter((path) => ![...quick, ...nightly].includes(path)),
  all: files,
}[process.env.TEST_SCOPE ?? 'all'];

/**
 * Each file starts its own bridge, which keeps a core busy, so two files run in parallel. `test/images` runs only in
 * `test:images`, which builds the images first and needs root.
 */
export default {
  ...preset,
  testMatch: chosen.map((path) => `<rootDir>/${path}`),
  testTimeout: 300_000,
  maxWorkers: 2,
  testSequencer: '<rootDir>/longest-first.mjs',
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...(isOfImages ? [] : ['/test/images/'])],
};
