-- The deployment whose records the database holds. Its first relayer claims it, and no other one starts on it.
CREATE TABLE "deployment" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "environment" TEXT NOT NULL,
    "ethereum_chain_id" INTEGER NOT NULL,
    "partner_chain_id" INTEGER NOT NULL,
    "bridge_lock" TEXT NOT NULL,
    "bridge_mint" TEXT NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "deployment_pkey" PRIMARY KEY ("id")
);
ALTER TABLE deployment
  ADD CONSTRAINT deployment_is_one CHECK (id = 1),
  ADD CONSTRAINT deployment_formats CHECK (is_hex(bridge_lock, 20) AND is_hex(bridge_mint, 20));

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261128000010_deployment', '20261127000010_reopened_ids');
