CREATE TABLE "schema_compatibility" (
    "migration" TEXT NOT NULL,
    "oldest_program" TEXT NOT NULL,

    CONSTRAINT "schema_compatibility_pkey" PRIMARY KEY ("migration")
);

-- A migration serves the program that ships it.
ALTER TABLE schema_compatibility
  ADD CONSTRAINT schema_compatibility_serves_its_program CHECK (oldest_program COLLATE "C" <= migration);

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261122000000_init', '20261122000000_init'),
  ('20261122000001_invariants', '20261122000001_invariants'),
  ('20261125000002_oldest_program', '20261122000001_invariants');
