import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SchemaEngine } from '@prisma/schema-engine-wasm';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';
import { temporaryDatabase } from '@causeway/test-kit';

// Prints the SQL that migrates an older schema file (or an empty database) to the current one: node
// scripts/diff-schema.mjs [older.prisma] > prisma/migrations/<timestamp>_<name>/migration.sql
const container = (path) => ({ tag: 'schemaDatamodel', files: [{ path, content: readFileSync(path, 'utf8') }] });
const present = fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url));
const older = process.argv[2];
const server = await temporaryDatabase();
const engine = await SchemaEngine.new(
  { datamodels: [[present, readFileSync(present, 'utf8')]] },
  () => {},
  bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: server.url })),
);
const result = await engine.diff({
  from: older ? container(older) : { tag: 'empty' },
  to: container(present),
  script: true,
  exitCode: null,
  shadowDatabaseUrl: null,
  filters: { externalTables: [], externalEnums: [] },
});
process.stdout.write(result.stdout ?? '');
engine.free();
await server.stop();
