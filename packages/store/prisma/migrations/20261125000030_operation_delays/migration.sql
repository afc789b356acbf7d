-- The delays of an operation, each with its reason: the operation itself has the last one only.
CREATE TABLE "operation_delay" (
    "operation_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "reason" "DelayReason" NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "operation_delay_pkey" PRIMARY KEY ("operation_id","since")
);
ALTER TABLE "operation_delay" ADD CONSTRAINT "operation_delay_operation_id_fkey"
  FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO operation_delay (operation_id, since, reason)
  SELECT id, delayed_since, delayed_reason FROM operation WHERE status = 'DELAYED';

CREATE FUNCTION keep_operation_delay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE operation_delay SET ended_at = NEW.updated_at WHERE operation_id = NEW.id AND ended_at IS NULL;
  IF NEW.status = 'DELAYED' THEN
    INSERT INTO operation_delay (operation_id, since, reason) VALUES (NEW.id, NEW.updated_at, NEW.delayed_reason)
      ON CONFLICT (operation_id, since) DO UPDATE SET reason = excluded.reason, ended_at = NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER operation_delay_is_kept AFTER UPDATE ON operation FOR EACH ROW
  WHEN ((OLD.status = 'DELAYED' OR NEW.status = 'DELAYED')
    AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.delayed_reason IS DISTINCT FROM NEW.delayed_reason))
  EXECUTE FUNCTION keep_operation_delay();

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000030_operation_delays', '20261125000020_completed_lately');
