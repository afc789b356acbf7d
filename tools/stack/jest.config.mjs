import preset, { leaveToRest } from '../../jest.preset.mjs';

const isChosen = (process.env.TEST_SCOPE ?? 'all') === 'all';

/** `test/nightly` runs only in `test:long`, or when named. */
export default {
  ...preset,
  ...leaveToRest(['test/scenarios.test.ts']),
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...(isChosen ? [] : ['/test/nightly/'])],
};
