import preset from '../jest.preset.mjs';

const isLong = process.env.LONG_TESTS === '1';
const isOfImages = process.env.TEST_IMAGES === '1';

/**
 * Each file starts a bridge of its own, which keeps a core busy: two run side by side. `test/nightly` runs in
 * `test:long` only, and `test/images` in `test:images`, which builds the images first and needs root.
 */
export default {
  ...preset,
  testTimeout: 300_000,
  maxWorkers: 2,
  testPathIgnorePatterns: [
    ...preset.testPathIgnorePatterns,
    ...(isLong ? [] : ['/test/nightly/']),
    ...(isOfImages ? [] : ['/test/images/']),
  ],
};
