ALTER TYPE "DelayReason" ADD VALUE 'NUMBER_USED_UP';

-- A number may be used up while its operation is held. Its hold ends as any other.
DROP INDEX operation_held;
CREATE INDEX operation_held ON operation (origin_chain_id, hold_until, id)
  WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND hold_released_at IS NULL;

-- An older program cannot read the new reason.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000010_number_used_up', '20261125000010_number_used_up');
