// For programs that apply migrations and need no store: it loads no ORM.
export { migrate, MigrationRefusedError, readMigrationStatus, type MigrateOptions } from './connection/migrate.js';
export { MIGRATIONS, toMigrations, type Migration, type MigrationStatus } from './connection/migrations.js';
