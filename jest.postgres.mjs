import preset from './jest.preset.mjs';

/** For packages with tests on PostgreSQL: their files share one server, and each creates a database of its own. */
export default {
  ...preset,
  globalSetup: '@causeway/test-kit/jest-postgres',
};
