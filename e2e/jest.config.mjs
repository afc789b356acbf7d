import preset from '../jest.preset.mjs';

/** Each file starts a bridge of its own and mostly waits for its blocks, so three run side by side. */
export default { ...preset, testTimeout: 300_000, maxWorkers: 3 };
