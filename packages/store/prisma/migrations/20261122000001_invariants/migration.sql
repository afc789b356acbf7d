-- Invariants that no code can break.

-- Whether a text is hex of this many bytes, in lower case. With {64} instead of the length it takes 20 times as long.
CREATE FUNCTION is_hex(value text, bytes int) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN length(value) = 2 + 2 * bytes AND value ~ '^0x[0-9a-f]+$';

-- A record in a terminal state does not change again (specification, States and transitions).
CREATE FUNCTION refuse_change_of_terminal_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'operation % is %, a terminal status: it cannot change', OLD.id, OLD.status
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER terminal_operation_is_frozen
  BEFORE UPDATE OR DELETE ON operation
  FOR EACH ROW WHEN (OLD.status IN ('COMPLETED', 'FAILED', 'EXPIRED'))
  EXECUTE FUNCTION refuse_change_of_terminal_operation();

-- The terms of an operation are fixed when it begins.
CREATE FUNCTION refuse_change_of_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the terms of operation % cannot change', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER operation_terms_are_fixed
  BEFORE UPDATE ON operation
  FOR EACH ROW WHEN (
    (OLD.id, OLD.kind, OLD.direction, OLD.asset, OLD.amount, OLD.fee, OLD.output_amount, OLD.sender, OLD.recipient,
     OLD.origin_chain_id, OLD.destination_chain_id, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.kind, NEW.direction, NEW.asset, NEW.amount, NEW.fee, NEW.output_amount, NEW.sender, NEW.recipient,
     NEW.origin_chain_id, NEW.destination_chain_id, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_terms();

-- Which transaction wrote an operation last, and a notification when it commits, for those who follow operations.
CREATE FUNCTION number_change_of_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END
$$;

CREATE TRIGGER operation_change_is_numbered
  BEFORE INSERT OR UPDATE ON operation FOR EACH ROW EXECUTE FUNCTION number_change_of_operation();

CREATE FUNCTION notify_of_operations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('causeway_operations', 'changed');
  RETURN NULL;
END
$$;

CREATE TRIGGER operation_change_is_notified
  AFTER INSERT OR UPDATE ON operation FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();

-- The same for what else people watch. Reading on and renewals of the lease announce nothing.
CREATE TRIGGER admin_request_is_notified
  AFTER INSERT OR UPDATE ON admin_request FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER admin_approval_is_notified
  AFTER INSERT ON admin_approval FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER admin_audit_is_notified
  AFTER INSERT ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER refund_change_is_notified
  AFTER INSERT OR UPDATE ON refund FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER halt_is_notified
  AFTER UPDATE ON chain_cursor FOR EACH ROW
  WHEN ((OLD.halted_at, OLD.deliveries_halted_at) IS DISTINCT FROM (NEW.halted_at, NEW.deliveries_halted_at))
  EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER lease_change_is_notified
  AFTER UPDATE ON lease FOR EACH ROW WHEN (OLD.token <> NEW.token OR NEW.expires_at = '-infinity')
  EXECUTE FUNCTION notify_of_operations();

ALTER TABLE operation
  ADD CONSTRAINT operation_id_format CHECK (is_hex(id, 32)),
  ADD CONSTRAINT operation_parties_format CHECK (is_hex(sender, 20) AND is_hex(recipient, 20)),
  ADD CONSTRAINT operation_hashes_format CHECK (
    is_hex(origin_tx_hash, 32) AND is_hex(origin_block_hash, 32) AND is_hex(destination_tx_hash, 32)
  ),
  ADD CONSTRAINT operation_amounts CHECK (
    amount > 0 AND fee >= 0
    AND CASE kind WHEN 'TRANSFER' THEN fee = 0 AND output_amount = 0 ELSE output_amount > 0 AND output_amount + fee = amount END
  ),
  ADD CONSTRAINT operation_deposit_is_free CHECK (direction = 'PARTNER_TO_ETHEREUM' OR fee = 0),
  ADD CONSTRAINT operation_kind_fits CHECK (
    (kind = 'TRANSFER' OR (
      (kind = 'DEPOSIT') = (direction = 'ETHEREUM_TO_PARTNER')
      AND (kind IN ('INTENT', 'NATIVE_WITHDRAWAL')) = (direction = 'PARTNER_TO_ETHEREUM' AND asset = 'XCN')))
    AND (kind IN ('INTENT', 'TRANSFER')) = (origin_nonce IS NULL)
  ),
  -- A transfer that pays no intent is FAILED from its beginning; nothing else is.
  ADD CONSTRAINT operation_transfer_has_failed CHECK (
    (kind = 'TRANSFER') = (failure_reason IS NOT DISTINCT FROM 'TRANSFER_UNMATCHED')
  ),
  -- A failed operation has its refund, and its funds had arrived.
  ADD CONSTRAINT operation_failure_has_refund CHECK (
    (failure_reason IS NULL) = (refund_id IS NULL) AND (failure_reason IS NULL OR finalized_at IS NOT NULL)
  ),
  ADD CONSTRAINT operation_origin_is_whole CHECK (
    (origin_tx_hash IS NULL) = (origin_block_number IS NULL) AND (origin_tx_hash IS NULL) = (origin_block_hash IS NULL)
  ),
  ADD CONSTRAINT operation_settlement_is_whole CHECK (
    (status = 'COMPLETED') = (settled_at IS NOT NULL)
    AND (settled_at IS NULL) = (settled_block_number IS NULL)
    AND (settled_at IS NULL OR destination_tx_hash IS NOT NULL)
  ),
  ADD CONSTRAINT operation_failure_has_reason CHECK ((status = 'FAILED') = (failure_reason IS NOT NULL)),
  ADD CONSTRAINT operation_delay_has_beginning CHECK ((status = 'DELAYED') = (delayed_since IS NOT NULL)),
  ADD CONSTRAINT operation_confirmations CHECK (origin_confirmations >= 0 AND required_confirmations > 0);

ALTER TABLE inbound_transfer
  ADD CONSTRAINT inbound_transfer_amount CHECK (amount > 0),
  ADD CONSTRAINT inbound_transfer_call_index CHECK (call_index >= 0),
  ADD CONSTRAINT inbound_transfer_memo_format CHECK (is_hex(memo, 32)),
  -- Only native XCN is swept into the float.
  ADD CONSTRAINT inbound_transfer_use CHECK (asset = 'XCN' OR sweep_id IS NULL);
ALTER TABLE dust ADD CONSTRAINT dust_amount CHECK (amount > 0 AND transfers > 0);
-- The client gave both, or a rebuild knows neither.
ALTER TABLE intent
  ADD CONSTRAINT intent_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 128),
  ADD CONSTRAINT intent_texts_are_whole CHECK ((nonce IS NULL) = (idempotency_key IS NULL)),
  ADD CONSTRAINT intent_nonce_hash_format CHECK (is_hex(nonce_hash, 32));

ALTER TABLE rebuild ADD CONSTRAINT rebuild_is_one CHECK (id = 1);

-- The stages read only live operations. They stay few, however large the table grows.
CREATE INDEX operation_live ON operation (status, origin_chain_id, origin_block_number)
  WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED');
-- In the order in which their holds end: a turn reads only those that are over.
CREATE INDEX operation_held ON operation (origin_chain_id, hold_until, id)
  WHERE status = 'AWAITING_RELAY' AND hold_released_at IS NULL;
-- In the order of their delivery. Held ones are not in it.
CREATE INDEX operation_due ON operation (destination_chain_id, next_attempt_at NULLS FIRST, hold_released_at, id)
  WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND hold_released_at IS NOT NULL;
-- The delayed operations in the list of all of them: see `OperationListing`.
CREATE INDEX operation_delayed_listing ON operation (delayed_reason, kind, asset, direction, created_at, id)
  WHERE status = 'DELAYED';
CREATE INDEX inbound_transfer_unbound ON inbound_transfer (payer, amount) WHERE operation_id IS NULL AND asset = 'XCN';
-- In the order in which they become final. Each leaves it when it pays an intent or fails, so they stay few.
CREATE INDEX inbound_transfer_undecided ON inbound_transfer (chain_id, block_number) WHERE operation_id IS NULL;
-- The open intents of a sender, to find the one that a transfer pays.
CREATE INDEX operation_open_intent ON operation (sender, amount)
  WHERE kind = 'INTENT' AND status IN ('PENDING_ORIGIN_TX', 'CONFIRMING');
-- The proposals of pending and confirming intents.
CREATE INDEX intent_proposal ON intent (proposed_origin_tx_hash) WHERE proposed_origin_tx_hash IS NOT NULL;
-- What strangers wrote into the history of an address without paying anything.
CREATE INDEX operation_party_unproven ON operation_party (address) WHERE is_unproven;

ALTER TABLE chain_cursor ADD CONSTRAINT chain_cursor_halt_has_reason CHECK ((halted_at IS NULL) = (halted_reason IS NULL));

-- The journal of the wallet. A call keeps its nonce and what it does; it ends once it is final.
ALTER TABLE wallet_call
  ADD CONSTRAINT wallet_call_formats CHECK (is_hex(sender, 20) AND nonce >= 0 AND value >= 0),
  ADD CONSTRAINT wallet_call_purpose_fits CHECK (
    (purpose = 'RETIREMENT') = (retirement_id IS NOT NULL) AND (purpose = 'SWEEP') = (sweep_id IS NOT NULL)
    AND (purpose = 'REFUND') = (refund_id IS NOT NULL)
  ),
  ADD CONSTRAINT wallet_call_end CHECK (
    (state = 'PENDING') = (ended_at IS NULL)
    AND (state IN ('SUCCEEDED', 'REVERTED', 'CANCELLED')) = (tx_hash IS NOT NULL)
    AND (tx_hash IS NULL) = (block_number IS NULL) AND (tx_hash IS NULL) = (block_hash IS NULL)
  );

-- The lane reads only pending calls. They stay few.
-- The calls that ended in a part of a minute. Whole minutes are in wallet_fee.
CREATE INDEX wallet_call_ended ON wallet_call (chain_id, sender, ended_at) INCLUDE (fee_paid);
CREATE INDEX wallet_call_pending ON wallet_call (chain_id, sender, nonce) WHERE ended_at IS NULL;

-- What the calls that ended in a minute paid, so that the fees of a day are the sum of 1,440 rows.
CREATE FUNCTION add_up_wallet_fee() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.fee_paid IS NOT NULL THEN
    UPDATE wallet_fee SET fee_paid = fee_paid - OLD.fee_paid
    WHERE chain_id = OLD.chain_id AND sender = OLD.sender AND minute = date_trunc('minute', OLD.ended_at);
  END IF;
  IF NEW.fee_paid IS NOT NULL THEN
    INSERT INTO wallet_fee (chain_id, sender, minute, fee_paid)
    VALUES (NEW.chain_id, NEW.sender, date_trunc('minute', NEW.ended_at), NEW.fee_paid)
    ON CONFLICT (chain_id, sender, minute) DO UPDATE SET fee_paid = wallet_fee.fee_paid + excluded.fee_paid;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER wallet_fee_of_new_call
  AFTER INSERT ON wallet_call FOR EACH ROW WHEN (NEW.fee_paid IS NOT NULL) EXECUTE FUNCTION add_up_wallet_fee();
CREATE TRIGGER wallet_fee_of_changed_call
  AFTER UPDATE ON wallet_call FOR EACH ROW
  WHEN ((OLD.fee_paid, OLD.ended_at) IS DISTINCT FROM (NEW.fee_paid, NEW.ended_at)) EXECUTE FUNCTION add_up_wallet_fee();

CREATE FUNCTION refuse_change_of_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the journal keeps what was signed: this change of % is not allowed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER wallet_call_is_kept
  BEFORE DELETE ON wallet_call FOR EACH ROW EXECUTE FUNCTION refuse_change_of_journal();
CREATE TRIGGER wallet_call_is_fixed
  BEFORE UPDATE ON wallet_call FOR EACH ROW WHEN (
    (OLD.id, OLD.chain_id, OLD.sender, OLD.nonce, OLD."to", OLD.data, OLD.value, OLD.purpose, OLD.retirement_id, OLD.sweep_id, OLD.refund_id, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.chain_id, NEW.sender, NEW.nonce, NEW."to", NEW.data, NEW.value, NEW.purpose, NEW.retirement_id, NEW.sweep_id, NEW.refund_id, NEW.created_at)
    -- What is cancelled stays cancelled, and an ended call changes only when a reorg lost its transaction.
    OR (OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS NULL)
    OR (OLD.state <> 'PENDING' AND NEW.state <> 'PENDING')
  )
  EXECUTE FUNCTION refuse_change_of_journal();
CREATE TRIGGER signed_transaction_is_fixed
  BEFORE UPDATE OR DELETE ON signed_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change_of_journal();

-- A refund is in one call at most that is to pay it, or has. A reorg may open a failed one again, which is cancelled then.
CREATE UNIQUE INDEX wallet_call_refund ON wallet_call (refund_id) WHERE state IN ('PENDING', 'SUCCEEDED') AND cancelled_at IS NULL;
-- Every call that was to pay a refund. Most calls deliver, and are not in it.
CREATE INDEX wallet_call_of_refund ON wallet_call (refund_id) WHERE refund_id IS NOT NULL;

-- An operation is in one live call at most, and stays in the call that paid it.
CREATE UNIQUE INDEX call_operation_live ON call_operation (operation_id) WHERE freed_at IS NULL;

CREATE FUNCTION check_call_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.freed_at IS NULL AND EXISTS (
    SELECT 1 FROM wallet_call c JOIN operation o ON o.destination_chain_id = c.chain_id
    WHERE c.id = NEW.call_id AND c.purpose = 'DELIVERY' AND c.state = 'PENDING' AND c.cancelled_at IS NULL
      AND o.id = NEW.operation_id AND o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED')
  ) THEN RETURN NEW; END IF;
  IF TG_OP = 'UPDATE' AND OLD.freed_at IS NULL AND NEW.freed_at IS NOT NULL
    AND (OLD.call_id, OLD.operation_id, OLD.position) = (NEW.call_id, NEW.operation_id, NEW.position)
    AND EXISTS (SELECT 1 FROM wallet_call c WHERE c.id = OLD.call_id AND c.state <> 'PENDING')
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'operation % cannot join or leave call %', coalesce(NEW.operation_id, OLD.operation_id), coalesce(NEW.call_id, OLD.call_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER call_operation_is_checked
  BEFORE INSERT OR UPDATE OR DELETE ON call_operation FOR EACH ROW EXECUTE FUNCTION check_call_operation();

ALTER TABLE retirement
  ADD CONSTRAINT retirement_amount CHECK (amount > 0),
  ADD CONSTRAINT retirement_asset CHECK (asset <> 'XCN'),
  ADD CONSTRAINT retirement_end CHECK ((state = 'PENDING') = (ended_at IS NULL));

-- One pending retirement per token.
CREATE UNIQUE INDEX retirement_pending ON retirement (chain_id, asset) WHERE state = 'PENDING';

-- A retirement that has ended does not change again; its chain, asset and amount never change.
CREATE FUNCTION refuse_change_of_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'retirement % is %: this change is not allowed', OLD.id, OLD.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER retirement_is_kept
  BEFORE DELETE ON retirement FOR EACH ROW EXECUTE FUNCTION refuse_change_of_retirement();
CREATE TRIGGER ended_retirement_is_frozen
  BEFORE UPDATE ON retirement FOR EACH ROW WHEN (
    OLD.state <> 'PENDING'
    OR (OLD.id, OLD.chain_id, OLD.asset, OLD.amount, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.chain_id, NEW.asset, NEW.amount, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_retirement();

-- Only a completed burn of the same token may join a retirement, while it is pending. It leaves only a failed one.
CREATE FUNCTION check_retired_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (
    SELECT 1 FROM retirement r JOIN operation o ON o.origin_chain_id = r.chain_id AND o.asset = r.asset
    WHERE r.id = NEW.retirement_id AND r.state = 'PENDING'
      AND o.id = NEW.operation_id AND o.kind = 'BURN' AND o.status = 'COMPLETED'
  ) THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM retirement r WHERE r.id = OLD.retirement_id AND r.state = 'FAILED')
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'operation % cannot join or leave the retirement', coalesce(NEW.operation_id, OLD.operation_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER retired_operation_is_checked
  BEFORE INSERT OR UPDATE OR DELETE ON retired_operation FOR EACH ROW EXECUTE FUNCTION check_retired_operation();

-- The amount of a retirement is the sum of its operations.
CREATE FUNCTION check_retirement_amount() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE handed_in numeric;
BEGIN
  SELECT coalesce(sum(o.amount), 0) INTO handed_in
  FROM retired_operation t JOIN operation o ON o.id = t.operation_id WHERE t.retirement_id = NEW.id;
  IF handed_in = NEW.amount OR EXISTS (SELECT 1 FROM retirement r WHERE r.id = NEW.id AND r.state = 'FAILED') THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'retirement % has the amount %, but its operations have %', NEW.id, NEW.amount, handed_in
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE CONSTRAINT TRIGGER retirement_is_of_its_operations
  AFTER INSERT ON retirement DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_retirement_amount();

-- A burn is in a retirement or in unretired_burn, never in both.
CREATE FUNCTION keep_unretired_burn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'operation' THEN
    INSERT INTO unretired_burn (operation_id, chain_id, asset) VALUES (NEW.id, NEW.origin_chain_id, NEW.asset);
  ELSIF TG_OP = 'INSERT' THEN
    DELETE FROM unretired_burn WHERE operation_id = NEW.operation_id;
  ELSE
    INSERT INTO unretired_burn (operation_id, chain_id, asset)
    SELECT o.id, o.origin_chain_id, o.asset FROM operation o WHERE o.id = OLD.operation_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER burn_is_unretired
  AFTER INSERT ON operation FOR EACH ROW WHEN (NEW.kind = 'BURN') EXECUTE FUNCTION keep_unretired_burn();
CREATE TRIGGER retired_operation_moves
  AFTER INSERT OR DELETE ON retired_operation FOR EACH ROW EXECUTE FUNCTION keep_unretired_burn();

ALTER TABLE sweep
  ADD CONSTRAINT sweep_amount CHECK (amount > 0),
  ADD CONSTRAINT sweep_end CHECK ((state = 'PENDING') = (ended_at IS NULL));

-- One pending sweep per chain.
CREATE UNIQUE INDEX sweep_pending ON sweep (chain_id) WHERE state = 'PENDING';

-- The transfers for intents that the wallet still holds. The others were swept, so these stay few.
CREATE INDEX inbound_transfer_unswept ON inbound_transfer (chain_id, wallet, block_number, operation_id)
  WHERE sweep_id IS NULL AND operation_id IS NOT NULL AND NOT has_failed;
-- The transfers that pay no intent, and their sum. Anybody can make many of them.
CREATE INDEX inbound_transfer_kept ON inbound_transfer (chain_id, wallet) INCLUDE (amount)
  WHERE operation_id IS NULL AND asset = 'XCN';

-- A refund pays out what arrived, once.
ALTER TABLE refund
  ADD CONSTRAINT refund_formats CHECK (is_hex(id, 32) AND is_hex(payer, 20) AND is_hex(wallet, 20) AND is_hex(recipient, 20) AND is_hex(tx_hash, 32)),
  ADD CONSTRAINT refund_amount CHECK (amount > 0),
  ADD CONSTRAINT refund_approval CHECK (status IN ('REQUESTED', 'REFUSED') OR recipient IS NOT NULL),
  ADD CONSTRAINT refund_payment CHECK (
    (status IN ('PENDING', 'COMPLETED')) = (paid_amount IS NOT NULL)
    AND (paid_amount IS NULL) = (gas_fee IS NULL) AND (paid_amount IS NULL) = (dust IS NULL)
    AND (paid_amount IS NULL) = (tx_hash IS NULL)
    AND (paid_amount IS NULL OR (paid_amount > 0 AND gas_fee >= 0 AND dust >= 0 AND paid_amount + gas_fee + dust = amount))
  ),
  ADD CONSTRAINT refund_end CHECK ((status = 'COMPLETED') = (settled_at IS NOT NULL));

CREATE FUNCTION refuse_change_of_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'refund % is %: this change is not allowed', OLD.id, OLD.status USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER refund_is_kept BEFORE DELETE ON refund FOR EACH ROW EXECUTE FUNCTION refuse_change_of_refund();
CREATE TRIGGER refund_is_fixed
  BEFORE UPDATE ON refund FOR EACH ROW WHEN (
    (OLD.id, OLD.operation_id, OLD.chain_id, OLD.asset, OLD.wallet, OLD.payer, OLD.amount, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.operation_id, NEW.chain_id, NEW.asset, NEW.wallet, NEW.payer, NEW.amount, NEW.created_at)
    OR NOT CASE OLD.status
      WHEN 'REQUESTED' THEN NEW.status IN ('REQUESTED', 'APPROVED', 'REFUSED')
      WHEN 'APPROVED' THEN NEW.status IN ('APPROVED', 'PENDING', 'REFUSED')
      WHEN 'PENDING' THEN NEW.status IN ('PENDING', 'APPROVED', 'COMPLETED')
      ELSE false
    END
    -- The terms of a signed payment stay, whichever of its transactions is mined.
    OR (OLD.status = 'PENDING' AND NEW.status <> 'APPROVED'
      AND (OLD.recipient, OLD.paid_amount, OLD.gas_fee, OLD.dust) IS DISTINCT FROM (NEW.recipient, NEW.paid_amount, NEW.gas_fee, NEW.dust))
  )
  EXECUTE FUNCTION refuse_change_of_refund();

-- What waits for the relayer or for operators. It stays few.
CREATE INDEX refund_open ON refund (chain_id, wallet, asset, created_at) INCLUDE (amount, status)
  WHERE status IN ('REQUESTED', 'APPROVED', 'PENDING');

ALTER TABLE refund ADD CONSTRAINT refund_approved_by_format CHECK (is_hex(approved_by, 32));
ALTER TABLE intent ADD CONSTRAINT intent_rejected_by_format CHECK (is_hex(rejected_by, 32));
-- The intents that operators rejected, of which few are open.
CREATE INDEX intent_rejected ON intent (id) WHERE rejected_by IS NOT NULL;

-- A request begins open, keeps what was signed, and ends once.
ALTER TABLE admin_request
  ADD CONSTRAINT admin_request_formats CHECK (is_hex(id, 32) AND is_hex(version, 32) AND is_hex(requested_by, 20) AND approvals_needed >= 0),
  ADD CONSTRAINT admin_request_end CHECK (
    (state IN ('AWAITING_APPROVAL', 'QUEUED')) = (ended_at IS NULL) AND (ended_at IS NULL) = (outcome IS NULL)
  );
ALTER TABLE admin_approval ADD CONSTRAINT admin_approval_formats CHECK (is_hex(operator, 20) AND is_hex(signature, 65));

-- Two people who press one button make one request.
CREATE UNIQUE INDEX admin_request_open ON admin_request (terms) WHERE state IN ('AWAITING_APPROVAL', 'QUEUED');

-- What was decided about a refund, for its page.
CREATE INDEX admin_request_of_refund ON admin_request ((terms ->> 'refundId')) WHERE terms ->> 'refundId' IS NOT NULL;

CREATE FUNCTION refuse_change_of_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'request %: this change of % is not allowed', OLD.id, OLD.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_request_is_kept BEFORE DELETE ON admin_request FOR EACH ROW EXECUTE FUNCTION refuse_change_of_request();
CREATE TRIGGER admin_request_is_fixed
  BEFORE UPDATE ON admin_request FOR EACH ROW WHEN (
    (OLD.id, OLD.terms, OLD.reason, OLD.version, OLD.decided_on, OLD.requested_by, OLD.approvals_needed, OLD.valid_until, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.terms, NEW.reason, NEW.version, NEW.decided_on, NEW.requested_by, NEW.approvals_needed, NEW.valid_until, NEW.created_at)
    OR NOT CASE OLD.state
      WHEN 'AWAITING_APPROVAL' THEN NEW.state IN ('AWAITING_APPROVAL', 'QUEUED', 'REFUSED', 'EXPIRED')
      WHEN 'QUEUED' THEN NEW.state IN ('QUEUED', 'DONE', 'REFUSED', 'EXPIRED')
      ELSE false
    END
  )
  EXECUTE FUNCTION refuse_change_of_request();

CREATE FUNCTION check_new_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'request % begins as %', NEW.id, NEW.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_request_begins_open
  BEFORE INSERT ON admin_request FOR EACH ROW WHEN (NEW.state NOT IN ('AWAITING_APPROVAL', 'QUEUED'))
  EXECUTE FUNCTION check_new_request();

CREATE FUNCTION check_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (SELECT 1 FROM admin_request r WHERE r.id = NEW.request_id AND r.state = 'AWAITING_APPROVAL')
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'the approvals of request % do not change', coalesce(NEW.request_id, OLD.request_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_approval_is_fixed
  BEFORE INSERT OR UPDATE OR DELETE ON admin_approval FOR EACH ROW EXECUTE FUNCTION check_approval();

ALTER TABLE chain_cursor ADD CONSTRAINT chain_cursor_deliveries_halt_has_reason
  CHECK ((deliveries_halted_at IS NULL) = (deliveries_halted_reason IS NULL));

-- Only what delivers is judged.
ALTER TABLE chain_event ADD CONSTRAINT chain_event_verdict_fits
  CHECK (verdict IS NULL OR name IN ('Mint', 'Release', 'Refunded'));
-- The events that wait for a verdict, and those that an operator must look at, or has. Both stay few.
CREATE INDEX chain_event_unjudged ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IS NULL AND name IN ('Mint', 'Release', 'Refunded');
CREATE INDEX chain_event_unknown ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IN ('UNKNOWN', 'ACCEPTED');

ALTER TABLE balance_difference ADD CONSTRAINT balance_difference_is_one CHECK (amount <> 0);
CREATE INDEX balance_difference_unexplained ON balance_difference (chain_id, wallet) WHERE explanation IS NULL;

-- The admin API.
ALTER TABLE admin_session ADD CONSTRAINT admin_session_formats CHECK (
  is_hex(token_hash, 32) AND is_hex(address, 20) AND char_length(user_agent) <= 200
);
ALTER TABLE admin_member ADD CONSTRAINT admin_member_formats CHECK (is_hex(address, 20) AND is_hex(request_id, 32));

-- The audit log is only added to. Each row continues the one before.
ALTER TABLE admin_audit ADD CONSTRAINT admin_audit_formats CHECK (
  is_hex(actor, 20) AND is_hex(tx_hash, 32) AND is_hex(previous_hash, 32) AND is_hex(hash, 32)
  AND action ~ '^[a-z][a-z-]{0,39}$'
);

CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log keeps what was written: % is not allowed', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_audit_is_kept
  BEFORE UPDATE OR DELETE ON admin_audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER admin_audit_is_not_emptied
  BEFORE TRUNCATE ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();

CREATE FUNCTION check_order_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE head record;
BEGIN
  SELECT sequence, hash INTO head FROM admin_audit ORDER BY sequence DESC LIMIT 1;
  IF NEW.sequence = coalesce(head.sequence, 0) + 1 AND NEW.previous_hash = coalesce(head.hash, '0x' || repeat('0', 64))
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'row % of the audit log does not continue row %', NEW.sequence, coalesce(head.sequence, 0)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_audit_is_in_order
  BEFORE INSERT ON admin_audit FOR EACH ROW EXECUTE FUNCTION check_order_of_audit();
