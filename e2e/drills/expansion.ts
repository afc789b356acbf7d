import { MIGRATIONS, toMigrations } from '@causeway/store/schema';

/** A migration of the next release: a column, an index and a table that current programs do not use. */
export const EXPANSION = toMigrations([
  {
    name: '20991231000000_expansion',
    script: `ALTER TABLE operation ADD COLUMN note text;
      CREATE INDEX operation_note ON operation (note) WHERE note IS NOT NULL;
      CREATE TABLE expansion (id bigint PRIMARY KEY);
      INSERT INTO schema_compatibility (migration, oldest_program) VALUES
        ('20991231000000_expansion', '${MIGRATIONS.at(-1)?.name}');`,
  },
]);
