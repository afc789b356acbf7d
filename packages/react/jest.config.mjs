import preset from '../../jest.preset.mjs';

/** All tests open pages in a browser. */
const browserTests = process.env.TEST_WITHOUT_BROWSER === '1' ? ['<rootDir>/test/'] : [];

export default {
  ...preset,
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...browserTests],
  passWithNoTests: true,
};
