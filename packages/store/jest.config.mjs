import preset from '../../jest.preset.mjs';

/** Every file starts a PostgreSQL server, whose library keeps the process waiting after it has stopped. */
export default { ...preset, testTimeout: 30_000, forceExit: true };
