-- A login that may not update the whole table writes only a part of its rows: the API begins pending intents and changes
-- no operation, and it queues requests and ends none before its time is over. The right to update single columns is
-- there for its row locks.
CREATE FUNCTION refuse_restricted_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the role % must not write %.% so', current_user, TG_TABLE_NAME, NEW.id
    USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER operation_begins_as_pending_intent
  BEFORE INSERT ON operation FOR EACH ROW WHEN (
    NOT (
      NEW.kind = 'INTENT' AND NEW.status = 'PENDING_ORIGIN_TX' AND NEW.origin_confirmations = 0 AND NEW.attempts = 0
      AND ROW (
        NEW.origin_tx_hash, NEW.origin_log_index, NEW.origin_block_number, NEW.origin_block_hash, NEW.finalized_at,
        NEW.hold_until, NEW.hold_released_at, NEW.delayed_reason, NEW.next_attempt_at, NEW.destination_tx_hash,
        NEW.settled_at, NEW.failure_reason, NEW.expired_at
      ) IS NULL
    )
    AND NOT has_table_privilege(current_user, 'operation'::regclass, 'UPDATE')
  )
  EXECUTE FUNCTION refuse_restricted_writer();
CREATE TRIGGER operation_is_changed_by_its_writer
  BEFORE UPDATE ON operation FOR EACH ROW
  WHEN (NOT has_table_privilege(current_user, 'operation'::regclass, 'UPDATE'))
  EXECUTE FUNCTION refuse_restricted_writer();

-- A minute for the clocks of two machines.
CREATE TRIGGER admin_request_is_ended_by_its_writer
  BEFORE UPDATE ON admin_request FOR EACH ROW WHEN (
    NEW.state NOT IN ('AWAITING_APPROVAL', 'QUEUED')
    AND NOT (NEW.state = 'EXPIRED' AND OLD.valid_until < now() + interval '1 minute')
    AND NOT has_table_privilege(current_user, 'admin_request'::regclass, 'UPDATE')
  )
  EXECUTE FUNCTION refuse_restricted_writer();

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261128000005_restricted_writers', '20261127000010_reopened_ids');
