-- The operations and refunds whose numbers or ids the admin opened again. A reorg removes them with their event.
CREATE TABLE "reopened_id" (
    "operation_id" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,

    CONSTRAINT "reopened_id_pkey" PRIMARY KEY ("operation_id","chain_id","tx_hash","log_index")
);
CREATE INDEX "reopened_id_chain_id_tx_hash_log_index_idx" ON "reopened_id"("chain_id", "tx_hash", "log_index");
ALTER TABLE "reopened_id" ADD CONSTRAINT "reopened_id_chain_id_tx_hash_log_index_fkey"
  FOREIGN KEY ("chain_id", "tx_hash", "log_index") REFERENCES "chain_event"("chain_id", "tx_hash", "log_index")
  ON DELETE CASCADE ON UPDATE CASCADE;

-- What opens is judged, too.
ALTER TABLE chain_event DROP CONSTRAINT chain_event_verdict_fits;
ALTER TABLE chain_event ADD CONSTRAINT chain_event_verdict_fits
  CHECK (verdict IS NULL OR name IN ('Mint', 'Release', 'Refunded', 'Reopened', 'IdReopened'));
CREATE INDEX chain_event_unjudged_opening ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IS NULL AND name IN ('Reopened', 'IdReopened');

-- An older program reads past an opening without storing it.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261127000010_reopened_ids', '20261127000010_reopened_ids');
