-- The end that was usual when an operation began, and the wallet that an intent was told to pay.
ALTER TABLE "operation" ADD COLUMN "quoted_completion_at" TIMESTAMPTZ(3);
ALTER TABLE "intent" ADD COLUMN "relayer_wallet" TEXT;

ALTER TABLE "operation" ADD CONSTRAINT operation_quoted_end CHECK (quoted_completion_at >= created_at);
ALTER TABLE "intent" ADD CONSTRAINT intent_relayer_wallet CHECK (is_hex(relayer_wallet, 20));

-- Both are fixed when it begins, like its terms.
CREATE TRIGGER operation_quoted_end_is_fixed
  BEFORE UPDATE ON operation
  FOR EACH ROW WHEN (OLD.quoted_completion_at IS DISTINCT FROM NEW.quoted_completion_at)
  EXECUTE FUNCTION refuse_change_of_terms();
CREATE TRIGGER intent_relayer_wallet_is_fixed
  BEFORE UPDATE ON intent
  FOR EACH ROW WHEN (OLD.relayer_wallet IS DISTINCT FROM NEW.relayer_wallet)
  EXECUTE FUNCTION refuse_change_of_terms();

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000005_quoted_end', '20261125000002_oldest_program');
