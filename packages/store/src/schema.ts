// For programs that look after the database and need no store: it loads no ORM.
export { migrate, MigrationRefusedError, readMigrationStatus, type MigrateOptions } from './connection/migrate.js';
export { MIGRATIONS, toMigrations, type Migration, type MigrationStatus } from './connection/migrations.js';
export { readServer, type ServerFacts } from './connection/read-server.js';
