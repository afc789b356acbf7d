// For programs that administer the database and need no store. Does not load the ORM.
export { ACCESS, ROLES, type Role } from './connection/access.js';
export { migrate, readMigrationStatus, type MigrateOptions } from './connection/migrate.js';
export { MigrationRefusedError } from './connection/migration-refused.js';
export {
  compareMigrations,
  migrationProblems,
  MIGRATIONS,
  toMigrations,
  type Migration,
  type MigrationStatus,
} from './connection/migrations.js';
export { getNumber, labelProgram, readLabel, type Program, type ProgramLabel } from './connection/program.js';
export { readDatabaseUse, type ConnectedProgram, type DatabaseUse } from './connection/read-sessions.js';
export {
  CLOCK_TOLERANCE_MS,
  CLOCK_WARNING_MS,
  OLDEST_POSTGRES,
  readServer,
  type ServerFacts,
} from './connection/read-server.js';
export { createRoles, type Passwords } from './connection/roles.js';
