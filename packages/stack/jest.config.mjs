import preset, { leaveToRest } from '../../jest.preset.mjs';

const isLong = process.env.LONG_TESTS === '1';

/** `test/nightly` runs in `test:long` only. */
export default {
  ...preset,
  ...leaveToRest(['test/scenarios.test.ts']),
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...(isLong ? [] : ['/test/nightly/'])],
};
