-- The same moments, by a function that a search path can replace: CURRENT_TIMESTAMP is part of the grammar.
ALTER TABLE "operation" ALTER COLUMN "created_at" SET DEFAULT now(), ALTER COLUMN "updated_at" SET DEFAULT now();
ALTER TABLE "intent" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "chain_cursor" ALTER COLUMN "read_at" SET DEFAULT now(), ALTER COLUMN "updated_at" SET DEFAULT now();
ALTER TABLE "wallet_call" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "signed_transaction" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "retirement" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "sweep" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "refund" ALTER COLUMN "created_at" SET DEFAULT now(), ALTER COLUMN "updated_at" SET DEFAULT now();
ALTER TABLE "balance_difference" ALTER COLUMN "found_at" SET DEFAULT now();
ALTER TABLE "rebuild" ALTER COLUMN "started_at" SET DEFAULT now();
ALTER TABLE "admin_session" ALTER COLUMN "created_at" SET DEFAULT now(), ALTER COLUMN "last_used_at" SET DEFAULT now();
ALTER TABLE "admin_member" ALTER COLUMN "created_at" SET DEFAULT now();
ALTER TABLE "unjournaled_transaction" ALTER COLUMN "found_at" SET DEFAULT now();

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261126000000_defaults_of_now', '20261125000030_operation_delays');
