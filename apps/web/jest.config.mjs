import preset, { leaveToRest } from '../../jest.preset.mjs';

/** Tests of the built page open it in a browser. */
const browserTests = process.env.TEST_WITHOUT_BROWSER === '1' ? ['<rootDir>/test/(?!size)'] : [];

export default {
  ...preset,
  // The page is built only where it is needed.
  ...leaveToRest(['test/**/*.test.ts']),
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...browserTests],
};
