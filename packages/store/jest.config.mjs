import preset from '../../jest.preset.mjs';

/** Every file starts a PostgreSQL server. */
export default { ...preset, testTimeout: 30_000 };
