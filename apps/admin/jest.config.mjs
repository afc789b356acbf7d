import preset, { leaveToRest } from '../../jest.preset.mjs';

/** All but one of these open the console in a browser. */
const browserTests = process.env.TEST_WITHOUT_BROWSER === '1' ? ['<rootDir>/test/(?!size)'] : [];

export default {
  ...preset,
  ...leaveToRest(['test/console.test.ts']),
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...browserTests],
};
