-- The block at which the API judged an intent. Those of before were judged at the block before the next one to be read.
ALTER TABLE "intent" ADD COLUMN "judged_at_block" BIGINT;
UPDATE "intent" SET "judged_at_block" = greatest(accepted_at_block - 1, 0);
ALTER TABLE "intent" ALTER COLUMN "judged_at_block" SET NOT NULL;
ALTER TABLE "intent" ADD CONSTRAINT intent_judged_at_block CHECK (judged_at_block >= 0);

CREATE TRIGGER intent_judged_block_is_fixed
  BEFORE UPDATE ON intent
  FOR EACH ROW WHEN (OLD.judged_at_block IS DISTINCT FROM NEW.judged_at_block)
  EXECUTE FUNCTION refuse_change_of_terms();

-- Programs before would begin intents without it.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261129000020_judged_block', '20261129000020_judged_block');
