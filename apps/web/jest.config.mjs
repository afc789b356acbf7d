import preset from '../../jest.preset.mjs';

/** Tests of the built page open it in a browser. */
const browserTests = process.env.TEST_WITHOUT_BROWSER === '1' ? ['<rootDir>/test/(?!size)'] : [];

export default {
  ...preset,
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...browserTests],
};
