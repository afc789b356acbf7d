-- What must hold whatever the code does.

-- A record in a terminal state does not change again (specification, States and transitions).
CREATE FUNCTION refuse_change_of_terminal_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'operation % is %, which is final: it cannot change', OLD.id, OLD.status
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
    (OLD.id, OLD.kind, OLD.direction, OLD.asset, OLD.amount, OLD.fee, OLD.output, OLD.sender, OLD.recipient,
     OLD.origin_chain_id, OLD.destination_chain_id, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.kind, NEW.direction, NEW.asset, NEW.amount, NEW.fee, NEW.output, NEW.sender, NEW.recipient,
     NEW.origin_chain_id, NEW.destination_chain_id, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_terms();

ALTER TABLE operation
  ADD CONSTRAINT operation_id_format CHECK (id ~ '^0x[0-9a-f]{64}$'),
  ADD CONSTRAINT operation_parties_format CHECK (sender ~ '^0x[0-9a-f]{40}$' AND recipient ~ '^0x[0-9a-f]{40}$'),
  ADD CONSTRAINT operation_hashes_format CHECK (
    origin_tx_hash ~ '^0x[0-9a-f]{64}$' AND origin_block_hash ~ '^0x[0-9a-f]{64}$' AND destination_tx_hash ~ '^0x[0-9a-f]{64}$'
  ),
  ADD CONSTRAINT operation_amounts CHECK (amount > 0 AND fee >= 0 AND output > 0 AND output + fee = amount),
  ADD CONSTRAINT operation_deposit_is_free CHECK (direction = 'PARTNER_TO_ETHEREUM' OR fee = 0),
  ADD CONSTRAINT operation_kind_fits CHECK (
    (kind = 'DEPOSIT') = (direction = 'ETHEREUM_TO_PARTNER')
    AND (kind = 'INTENT') = (direction = 'PARTNER_TO_ETHEREUM' AND asset = 'XCN')
    AND (kind = 'INTENT') = (origin_nonce IS NULL)
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
  ADD CONSTRAINT operation_confirmations CHECK (origin_confirmations >= 0 AND required_confirmations > 0);

ALTER TABLE inbound_transfer ADD CONSTRAINT inbound_transfer_amount CHECK (amount > 0);
ALTER TABLE intent ADD CONSTRAINT intent_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 128);

-- One journalled transaction at a time holds a nonce; those it replaced keep theirs for the record.
CREATE UNIQUE INDEX journal_entry_live_nonce ON journal_entry (chain_id, sender, nonce) WHERE state <> 'REPLACED';

-- The stages look only at live operations, which stay few however many have ended.
CREATE INDEX operation_live ON operation (status, origin_chain_id, origin_block_number)
  WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED');
CREATE INDEX inbound_transfer_unpaired ON inbound_transfer (payer, amount) WHERE operation_id IS NULL;
