import preset from '../../jest.preset.mjs';

/** These open a page in a browser. */
const browserTests = process.env.TEST_WITHOUT_BROWSER === '1' ? ['<rootDir>/test/'] : [];

export default {
  ...preset,
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...browserTests],
};
