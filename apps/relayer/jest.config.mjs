import preset from '../../jest.preset.mjs';

/** All test files share one PostgreSQL server; each creates a database of its own. */
export default { ...preset, globalSetup: '@causeway/test-kit/jest-postgres' };
