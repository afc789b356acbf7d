-- When the relayer first saw the origin of a held withdrawal as final, by the clock of this database. The hold must pass
-- by this clock as well as by the chain's, so where the moment is missing it begins now: never at the time of a block.
ALTER TABLE "operation" ADD COLUMN "final_since" TIMESTAMPTZ(3);
UPDATE operation SET final_since = now()
  WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND hold_until IS NOT NULL AND hold_released_at IS NULL;

CREATE FUNCTION begin_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.final_since := now();
  RETURN NEW;
END
$$;
-- Whatever the row had before: a writer of pending intents must not choose the moment.
CREATE TRIGGER operation_hold_begins
  BEFORE UPDATE ON operation FOR EACH ROW WHEN (
    NEW.hold_until IS NOT NULL AND NEW.hold_released_at IS NULL
    AND (OLD.hold_until IS NULL OR NEW.final_since IS NULL)
  )
  EXECUTE FUNCTION begin_hold();

-- Programs before do not notice the column; the trigger writes it for them.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261129000010_final_since', '20261128000040_attester_answers');
