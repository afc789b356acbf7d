-- Hardly any transfer waits for a sweep. The planner multiplied the shares of the three columns, expected a third of the
-- table, and searched it through all failed transfers. Of one expression it knows the share.
DROP INDEX inbound_transfer_sweep_id_idx, inbound_transfer_unswept;
CREATE INDEX inbound_transfer_swept ON inbound_transfer (sweep_id) WHERE sweep_id IS NOT NULL;
CREATE INDEX inbound_transfer_unswept ON inbound_transfer (chain_id, wallet, block_number, operation_id)
  WHERE (sweep_id IS NULL AND operation_id IS NOT NULL AND NOT has_failed) IS TRUE;
CREATE STATISTICS inbound_transfer_unswept_share ON (sweep_id IS NULL AND operation_id IS NOT NULL AND NOT has_failed)
  FROM inbound_transfer;

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261129000030_swept_transfers', '20261128000040_attester_answers');
