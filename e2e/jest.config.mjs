import preset from '../jest.preset.mjs';

/** Each file starts a whole bridge: one at a time, with long time limits. */
export default { ...preset, testTimeout: 300_000, maxWorkers: 1 };
