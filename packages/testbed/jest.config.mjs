import preset from '../../jest.preset.mjs';

/** Tests here boot whole worlds: one at a time, and with patience. */
export default { ...preset, testTimeout: 300_000, maxWorkers: 1 };
