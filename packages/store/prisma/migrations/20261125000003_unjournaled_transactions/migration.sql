-- Transactions of a relayer wallet that the journal does not contain, since a restored copy has forgotten them.
CREATE TABLE unjournaled_transaction (
  chain_id INTEGER NOT NULL,
  sender TEXT NOT NULL,
  nonce BIGINT NOT NULL,
  tx_hash TEXT,
  mined_at TIMESTAMPTZ(3),
  token TEXT,
  recipient TEXT,
  amount DECIMAL(78, 0),
  refund_id TEXT,
  explanation TEXT,
  found_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT unjournaled_transaction_pkey PRIMARY KEY (chain_id, sender, nonce),
  CONSTRAINT unjournaled_transaction_formats CHECK (
    is_hex(sender, 20) AND nonce >= 0 AND is_hex(tx_hash, 32) AND is_hex(token, 20) AND is_hex(recipient, 20)
    AND is_hex(refund_id, 32)
  ),
  -- What the nodes do not show is listed only with the explanation of an operator.
  CONSTRAINT unjournaled_transaction_is_known CHECK (
    (tx_hash IS NULL) = (mined_at IS NULL) AND (tx_hash IS NOT NULL OR explanation IS NOT NULL)
  ),
  CONSTRAINT unjournaled_transaction_payment CHECK (
    (token IS NULL) = (recipient IS NULL) AND (token IS NULL) = (amount IS NULL)
    AND (token IS NULL OR tx_hash IS NOT NULL) AND (refund_id IS NULL OR token IS NOT NULL)
  )
);

-- The payments of a recipient that have no name yet, and those of a refund.
CREATE INDEX unjournaled_payment ON unjournaled_transaction (chain_id, sender, recipient) WHERE recipient IS NOT NULL;

-- An older program pays refunds without looking here.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000003_unjournaled_transactions', '20261125000003_unjournaled_transactions');
