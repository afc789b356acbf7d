import preset from '../../jest.preset.mjs';

const isLong = process.env.LONG_TESTS === '1';

/** `test/nightly` runs in `test:long` only. */
export default {
  ...preset,
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...(isLong ? [] : ['/test/nightly/'])],
};
