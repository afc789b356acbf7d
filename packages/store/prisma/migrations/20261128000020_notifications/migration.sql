-- Notifications of the people on duty: an outbox. A row is written in the transaction of its cause, whichever program
-- writes that, and the active relayer sends it. docs/decisions/0042-notifications.md says why these are triggers.
CREATE TYPE "NotificationSeverity" AS ENUM ('critical', 'warning', 'info');

CREATE TABLE "notification" (
    "id" BIGSERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "severity" "NotificationSeverity" NOT NULL,
    "text" TEXT NOT NULL,
    "is_event" BOOLEAN NOT NULL DEFAULT false,
    "repeats" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notification_code_subject_idx" ON "notification"("code", "subject");
CREATE INDEX "notification_ended_at_idx" ON "notification"("ended_at");
-- One row for a cause that lasts, however often it repeats.
CREATE UNIQUE INDEX notification_open ON notification (code, subject) WHERE ended_at IS NULL;

CREATE TABLE "notification_sending" (
    "notification_id" BIGINT NOT NULL,
    "channel" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "over_sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_sending_pkey" PRIMARY KEY ("notification_id","channel")
);
ALTER TABLE "notification_sending" ADD CONSTRAINT "notification_sending_notification_id_fkey"
  FOREIGN KEY ("notification_id") REFERENCES "notification"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE notification
  ADD CONSTRAINT notification_code_format CHECK (code ~ '^[A-Z][A-Za-z]{1,39}$'),
  ADD CONSTRAINT notification_event_has_ended CHECK (NOT is_event OR ended_at IS NOT NULL);

-- A cause begins, or repeats. An open row is locked, so that no other transaction ends it in the same moment.
CREATE FUNCTION begin_notification(of_code text, of_severity "NotificationSeverity", of_subject text, of_text text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification (code, severity, subject, text) VALUES (of_code, of_severity, of_subject, of_text)
    ON CONFLICT (code, subject) WHERE ended_at IS NULL DO UPDATE SET repeats = notification.repeats + 1;
  -- What ended a month ago interests no one.
  DELETE FROM notification WHERE id IN (
    SELECT id FROM notification WHERE ended_at < now() - interval '30 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
END
$$;

CREATE FUNCTION end_notification(of_code text, of_subject text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notification SET ended_at = now() WHERE code = of_code AND subject = of_subject AND ended_at IS NULL;
END
$$;

-- Several rows share a notification. The caller looks for the others under this lock, in a statement of its own: it must
-- see what was committed while this one waited.
CREATE FUNCTION lock_notification(of_code text, of_subject text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM notification WHERE code = of_code AND subject = of_subject AND ended_at IS NULL FOR UPDATE;
END
$$;

CREATE FUNCTION notify_of_halt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.halted_at IS NOT NULL AND NEW.halted_at IS DISTINCT FROM OLD.halted_at THEN
    PERFORM begin_notification('Halted', 'critical', NEW.chain_id::text, format('Chain %s is halted: %s', NEW.chain_id, NEW.halted_reason));
  ELSIF NEW.halted_at IS NULL AND OLD.halted_at IS NOT NULL THEN
    PERFORM end_notification('Halted', NEW.chain_id::text);
  END IF;
  -- Each chain has the halt of the deliveries: the second one repeats it.
  IF NEW.deliveries_halted_at IS NOT NULL AND NEW.deliveries_halted_at IS DISTINCT FROM OLD.deliveries_halted_at THEN
    PERFORM begin_notification('Halted', 'critical', 'deliveries', format('The deliveries are halted: %s', NEW.deliveries_halted_reason));
  ELSIF NEW.deliveries_halted_at IS NULL AND OLD.deliveries_halted_at IS NOT NULL THEN
    PERFORM end_notification('Halted', 'deliveries');
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.verdict = 'UNKNOWN' THEN
    PERFORM begin_notification('UnknownDelivery', 'critical', NEW.chain_id::text, format(
      '%s %s in %s on chain %s %s', NEW.name, NEW.operation_id, NEW.tx_hash, NEW.chain_id,
      CASE WHEN NEW.name IN ('Reopened', 'IdReopened') THEN 'opens what was paid' ELSE 'pays what no operation is owed' END));
  ELSE
    PERFORM lock_notification('UnknownDelivery', OLD.chain_id::text);
    IF NOT EXISTS (SELECT 1 FROM chain_event WHERE verdict = 'UNKNOWN' AND chain_id = OLD.chain_id) THEN
      PERFORM end_notification('UnknownDelivery', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_used_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'DELAYED' AND NEW.delayed_reason = 'NUMBER_USED_UP' THEN
    PERFORM begin_notification('NumberUsedUp', 'critical', NEW.destination_chain_id::text, format(
      'A final delivery on chain %s with other terms used up the number of operation %s', NEW.destination_chain_id, NEW.id));
  ELSE
    PERFORM lock_notification('NumberUsedUp', NEW.destination_chain_id::text);
    IF NOT EXISTS (
      SELECT 1 FROM operation
      WHERE status = 'DELAYED' AND delayed_reason = 'NUMBER_USED_UP' AND destination_chain_id = NEW.destination_chain_id)
    THEN
      PERFORM end_notification('NumberUsedUp', NEW.destination_chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_difference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('BalanceUnexplained', 'warning', NEW.chain_id::text, format(
      'The balance of the wallet on chain %s is not explained in block %s', NEW.chain_id, NEW.block_number));
  ELSE
    PERFORM lock_notification('BalanceUnexplained', OLD.chain_id::text);
    IF NOT EXISTS (SELECT 1 FROM balance_difference WHERE chain_id = OLD.chain_id AND explanation IS NULL) THEN
      PERFORM end_notification('BalanceUnexplained', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('UnnamedPayment', 'warning', NEW.chain_id::text, format(
      'The wallet paid on chain %s by nonce %s, and the journal does not say for what', NEW.chain_id, NEW.nonce));
  ELSE
    PERFORM lock_notification('UnnamedPayment', OLD.chain_id::text);
    IF NOT EXISTS (
      SELECT 1 FROM unjournaled_transaction
      WHERE chain_id = OLD.chain_id AND recipient IS NOT NULL AND refund_id IS NULL AND explanation IS NULL)
    THEN
      PERFORM end_notification('UnnamedPayment', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM end_notification('ApprovalsWait', NEW.id);
  -- One that needs no second signature is queued in the transaction that makes it.
  ELSIF EXISTS (SELECT 1 FROM admin_request WHERE id = NEW.id AND state = 'AWAITING_APPROVAL') THEN
    PERFORM begin_notification('ApprovalsWait', 'info', NEW.id, format(
      'The request %s of %s waits for signatures until %s', NEW.terms ->> 'kind', NEW.requested_by,
      to_char(NEW.valid_until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')));
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('RefundsWait', 'info', 'refunds', format('Refund %s waits for the decision of operators', NEW.id));
  ELSE
    PERFORM lock_notification('RefundsWait', 'refunds');
    IF NOT EXISTS (SELECT 1 FROM refund WHERE status = 'REQUESTED') THEN
      PERFORM end_notification('RefundsWait', 'refunds');
    END IF;
  END IF;
  RETURN NULL;
END
$$;

-- A member is not a condition that ends: each change is a row of its own.
CREATE FUNCTION notify_of_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification (code, severity, subject, text, is_event, ended_at) VALUES (
    'MembersChanged', 'warning', coalesce(NEW.address, OLD.address),
    CASE WHEN TG_OP = 'DELETE' THEN format('%s is not a member of the console any more', OLD.address)
      ELSE format('%s is a member of the console with the role %s', NEW.address, NEW.role) END,
    true, now());
  RETURN NULL;
END
$$;

-- They run at the commit, so the locks of notifications come after all others. They run as the owner of the tables: no
-- missing right on the outbox may keep a program from halting.
DO $$
DECLARE function_name text;
BEGIN
  FOREACH function_name IN ARRAY ARRAY['notify_of_halt', 'notify_of_verdict', 'notify_of_used_number', 'notify_of_difference',
    'notify_of_payment', 'notify_of_request', 'notify_of_refund', 'notify_of_member']
  LOOP
    EXECUTE format('ALTER FUNCTION %I() SECURITY DEFINER SET search_path = %s, pg_temp', function_name, current_setting('search_path'));
  END LOOP;
END
$$;

CREATE CONSTRAINT TRIGGER halt_is_put_in_outbox AFTER UPDATE ON chain_cursor DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.halted_at IS DISTINCT FROM NEW.halted_at OR OLD.deliveries_halted_at IS DISTINCT FROM NEW.deliveries_halted_at)
  EXECUTE FUNCTION notify_of_halt();
CREATE CONSTRAINT TRIGGER verdict_is_put_in_outbox AFTER UPDATE ON chain_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.verdict IS DISTINCT FROM NEW.verdict AND (OLD.verdict = 'UNKNOWN' OR NEW.verdict = 'UNKNOWN'))
  EXECUTE FUNCTION notify_of_verdict();
CREATE CONSTRAINT TRIGGER lost_verdict_is_put_in_outbox AFTER DELETE ON chain_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.verdict = 'UNKNOWN') EXECUTE FUNCTION notify_of_verdict();
CREATE CONSTRAINT TRIGGER used_number_is_put_in_outbox AFTER UPDATE ON operation DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.status = 'DELAYED' AND OLD.delayed_reason = 'NUMBER_USED_UP') IS DISTINCT FROM
    (NEW.status = 'DELAYED' AND NEW.delayed_reason = 'NUMBER_USED_UP'))
  EXECUTE FUNCTION notify_of_used_number();
CREATE CONSTRAINT TRIGGER difference_is_put_in_outbox AFTER INSERT ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.explanation IS NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER explanation_is_put_in_outbox AFTER UPDATE ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.explanation IS NULL AND NEW.explanation IS NOT NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER lost_difference_is_put_in_outbox AFTER DELETE ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.explanation IS NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER payment_is_put_in_outbox AFTER INSERT ON unjournaled_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.recipient IS NOT NULL AND NEW.refund_id IS NULL AND NEW.explanation IS NULL) EXECUTE FUNCTION notify_of_payment();
CREATE CONSTRAINT TRIGGER payment_name_is_put_in_outbox AFTER UPDATE ON unjournaled_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.refund_id IS NULL AND OLD.explanation IS NULL AND (NEW.refund_id IS NOT NULL OR NEW.explanation IS NOT NULL))
  EXECUTE FUNCTION notify_of_payment();
CREATE CONSTRAINT TRIGGER request_is_put_in_outbox AFTER INSERT ON admin_request DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state = 'AWAITING_APPROVAL') EXECUTE FUNCTION notify_of_request();
CREATE CONSTRAINT TRIGGER request_end_is_put_in_outbox AFTER UPDATE ON admin_request DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.state = 'AWAITING_APPROVAL' AND NEW.state <> 'AWAITING_APPROVAL') EXECUTE FUNCTION notify_of_request();
CREATE CONSTRAINT TRIGGER refund_is_put_in_outbox AFTER INSERT ON refund DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.status = 'REQUESTED') EXECUTE FUNCTION notify_of_refund();
CREATE CONSTRAINT TRIGGER refund_decision_is_put_in_outbox AFTER UPDATE ON refund DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.status = 'REQUESTED' AND NEW.status <> 'REQUESTED') EXECUTE FUNCTION notify_of_refund();
CREATE CONSTRAINT TRIGGER member_is_put_in_outbox AFTER INSERT OR DELETE ON admin_member DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION notify_of_member();
CREATE CONSTRAINT TRIGGER role_is_put_in_outbox AFTER UPDATE ON admin_member DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.role IS DISTINCT FROM NEW.role) EXECUTE FUNCTION notify_of_member();

-- Programs before do not notice the tables: their writes fill the outbox, too.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261128000020_notifications', '20261127000010_reopened_ids');
