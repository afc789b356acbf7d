-- Nonces of Sign-In with Ethereum are not stored until they are used. Those that were issued are void.
DELETE FROM "admin_nonce";
DROP INDEX "admin_nonce_client_idx";
ALTER TABLE "admin_nonce" DROP COLUMN "client";

CREATE TABLE "admin_nonce_key" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "key" BYTEA NOT NULL,

    CONSTRAINT "admin_nonce_key_pkey" PRIMARY KEY ("id")
);
ALTER TABLE admin_nonce_key ADD CONSTRAINT admin_nonce_key_is_one CHECK (id = 1 AND octet_length(key) = 32);

-- An older program stores nonces with their client.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000004_sign_in_nonces', '20261125000004_sign_in_nonces');
