-- CreateEnum
CREATE TYPE "Asset" AS ENUM ('ETH', 'USDC', 'XCN');

-- CreateEnum
CREATE TYPE "Direction" AS ENUM ('ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM');

-- CreateEnum
CREATE TYPE "OperationKind" AS ENUM ('DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT', 'TRANSFER');

-- CreateEnum
CREATE TYPE "FailureReason" AS ENUM ('TRANSFER_UNMATCHED', 'SIGNATURE_REVOKED', 'REJECTED_BY_OPERATORS');

-- CreateEnum
CREATE TYPE "OperationStatus" AS ENUM ('PENDING_ORIGIN_TX', 'CONFIRMING', 'AWAITING_RELAY', 'PROCESSING_DESTINATION', 'COMPLETED', 'DELAYED', 'FAILED', 'EXPIRED');

-- CreateEnum
CREATE TYPE "DelayReason" AS ENUM ('FLOAT_SHORT', 'OUTFLOW_LIMIT', 'COLLATERAL_SHORT', 'BACKING_SHORT', 'PAUSED', 'NODE_UNAVAILABLE', 'NODE_REFUSED', 'FEES_ABOVE_CAP', 'ORIGIN_NOT_CONFIRMED', 'NONCE_TAKEN', 'DESTINATION_REVERTED', 'DELIVERY_CANCELLED');

-- CreateEnum
CREATE TYPE "DeliveryVerdict" AS ENUM ('MATCHED', 'UNKNOWN', 'ACCEPTED');

-- CreateEnum
CREATE TYPE "CallPurpose" AS ENUM ('DELIVERY', 'RETIREMENT', 'SWEEP', 'REFUND', 'NONCE_GAP');

-- CreateEnum
CREATE TYPE "CallState" AS ENUM ('PENDING', 'SUCCEEDED', 'REVERTED', 'CANCELLED', 'TAKEN');

-- CreateEnum
CREATE TYPE "UpkeepState" AS ENUM ('PENDING', 'CONFIRMED', 'FAILED');

-- CreateEnum
CREATE TYPE "RefundStatus" AS ENUM ('REQUESTED', 'APPROVED', 'PENDING', 'COMPLETED', 'REFUSED');

-- CreateEnum
CREATE TYPE "RequestState" AS ENUM ('AWAITING_APPROVAL', 'QUEUED', 'DONE', 'REFUSED', 'EXPIRED');

-- CreateEnum
CREATE TYPE "AdminRole" AS ENUM ('viewer', 'operator', 'admin');

-- CreateTable
CREATE TABLE "operation" (
    "id" TEXT NOT NULL,
    "kind" "OperationKind" NOT NULL,
    "direction" "Direction" NOT NULL,
    "asset" "Asset" NOT NULL,
    "status" "OperationStatus" NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "fee" DECIMAL(78,0) NOT NULL,
    "fee_bps" INTEGER NOT NULL,
    "output_amount" DECIMAL(78,0) NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "origin_chain_id" INTEGER NOT NULL,
    "destination_chain_id" INTEGER NOT NULL,
    "origin_nonce" DECIMAL(78,0),
    "origin_tx_hash" TEXT,
    "origin_log_index" INTEGER,
    "origin_block_number" BIGINT,
    "origin_block_hash" TEXT,
    "origin_confirmations" INTEGER NOT NULL DEFAULT 0,
    "required_confirmations" INTEGER NOT NULL,
    "finalized_at" TIMESTAMPTZ(3),
    "hold_until" TIMESTAMPTZ(3),
    "hold_released_at" TIMESTAMPTZ(3),
    "delayed_reason" "DelayReason",
    "delayed_since" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "destination_tx_hash" TEXT,
    "settled_at" TIMESTAMPTZ(3),
    "settled_block_number" BIGINT,
    "settled_credited" BOOLEAN,
    "failure_reason" "FailureReason",
    "refund_id" TEXT,
    "expired_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_in" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "intent" (
    "id" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "nonce" TEXT,
    "nonce_hash" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "deadline_seconds" BIGINT NOT NULL,
    "signature" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "proposed_origin_tx_hash" TEXT,
    "proposed_origin_nonce" BIGINT,
    "accepted_at_block" BIGINT NOT NULL,
    "client_ip" TEXT,
    "rejected_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "intent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation_party" (
    "address" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "direction" "Direction" NOT NULL,
    "direction_sequence" BIGINT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "is_unproven" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "operation_party_pkey" PRIMARY KEY ("address","sequence")
);

-- CreateTable
CREATE TABLE "party_counter" (
    "address" TEXT NOT NULL,
    "total" BIGINT NOT NULL DEFAULT 0,
    "deposits" BIGINT NOT NULL DEFAULT 0,
    "withdrawals" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "party_counter_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "chain_cursor" (
    "chain_id" INTEGER NOT NULL,
    "next_block" BIGINT NOT NULL,
    "head_block" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "halted_at" TIMESTAMPTZ(3),
    "halted_reason" TEXT,
    "deliveries_halted_at" TIMESTAMPTZ(3),
    "deliveries_halted_reason" TEXT,

    CONSTRAINT "chain_cursor_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "chain_block" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_block_pkey" PRIMARY KEY ("chain_id","number")
);

-- CreateTable
CREATE TABLE "chain_event" (
    "chain_id" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "args" JSONB NOT NULL,
    "verdict" "DeliveryVerdict",

    CONSTRAINT "chain_event_pkey" PRIMARY KEY ("chain_id","tx_hash","log_index")
);

-- CreateTable
CREATE TABLE "inbound_transfer" (
    "chain_id" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "asset" "Asset" NOT NULL,
    "call_index" INTEGER NOT NULL,
    "payer" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "is_to_former_wallet" BOOLEAN NOT NULL DEFAULT false,
    "amount" DECIMAL(78,0) NOT NULL,
    "memo" TEXT,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "mined_at" TIMESTAMPTZ(3) NOT NULL,
    "operation_id" TEXT,
    "has_failed" BOOLEAN NOT NULL DEFAULT false,
    "sweep_id" BIGINT,

    CONSTRAINT "inbound_transfer_pkey" PRIMARY KEY ("chain_id","tx_hash","asset","call_index")
);

-- CreateTable
CREATE TABLE "dust" (
    "chain_id" INTEGER NOT NULL,
    "wallet" TEXT NOT NULL,
    "asset" "Asset" NOT NULL,
    "payer" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "transfers" BIGINT NOT NULL,

    CONSTRAINT "dust_pkey" PRIMARY KEY ("chain_id","wallet","asset","payer","block_number")
);

-- CreateTable
CREATE TABLE "wallet_call" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "sender" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "to" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "purpose" "CallPurpose" NOT NULL,
    "state" "CallState" NOT NULL DEFAULT 'PENDING',
    "retirement_id" BIGINT,
    "sweep_id" BIGINT,
    "refund_id" TEXT,
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "tx_hash" TEXT,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "fee_paid" DECIMAL(78,0),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "wallet_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet_fee" (
    "chain_id" INTEGER NOT NULL,
    "sender" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "fee_paid" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "wallet_fee_pkey" PRIMARY KEY ("chain_id","sender","minute")
);

-- CreateTable
CREATE TABLE "signed_transaction" (
    "tx_hash" TEXT NOT NULL,
    "call_id" BIGINT NOT NULL,
    "raw" TEXT NOT NULL,
    "gas" BIGINT NOT NULL,
    "max_fee_per_gas" BIGINT NOT NULL,
    "max_priority_fee_per_gas" BIGINT NOT NULL,
    "is_cancellation" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signed_transaction_pkey" PRIMARY KEY ("tx_hash")
);

-- CreateTable
CREATE TABLE "call_operation" (
    "call_id" BIGINT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "freed_at" TIMESTAMPTZ(3),

    CONSTRAINT "call_operation_pkey" PRIMARY KEY ("call_id","operation_id")
);

-- CreateTable
CREATE TABLE "retirement" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "asset" "Asset" NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "state" "UpkeepState" NOT NULL DEFAULT 'PENDING',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "retirement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "retired_operation" (
    "operation_id" TEXT NOT NULL,
    "retirement_id" BIGINT NOT NULL,

    CONSTRAINT "retired_operation_pkey" PRIMARY KEY ("operation_id")
);

-- CreateTable
CREATE TABLE "unretired_burn" (
    "operation_id" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "asset" "Asset" NOT NULL,

    CONSTRAINT "unretired_burn_pkey" PRIMARY KEY ("operation_id")
);

-- CreateTable
CREATE TABLE "sweep" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "state" "UpkeepState" NOT NULL DEFAULT 'PENDING',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "sweep_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund" (
    "id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "asset" "Asset" NOT NULL,
    "wallet" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "status" "RefundStatus" NOT NULL DEFAULT 'REQUESTED',
    "recipient" TEXT,
    "approved_by" TEXT,
    "paid_amount" DECIMAL(78,0),
    "gas_fee" DECIMAL(78,0),
    "dust" DECIMAL(78,0),
    "tx_hash" TEXT,
    "settled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refund_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_request" (
    "id" TEXT NOT NULL,
    "terms" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "decided_on" JSONB NOT NULL,
    "requested_by" TEXT NOT NULL,
    "approvals_needed" INTEGER NOT NULL,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "state" "RequestState" NOT NULL,
    "outcome" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_approval" (
    "request_id" TEXT NOT NULL,
    "operator" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_approval_pkey" PRIMARY KEY ("request_id","operator")
);

-- CreateTable
CREATE TABLE "xcn_total" (
    "partner_chain_id" INTEGER NOT NULL,
    "partner_block" BIGINT NOT NULL,
    "ethereum_chain_id" INTEGER NOT NULL,
    "ethereum_block" BIGINT NOT NULL,
    "minted" DECIMAL(78,0) NOT NULL,
    "withdrawn" DECIMAL(78,0) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "xcn_total_pkey" PRIMARY KEY ("partner_block")
);

-- CreateTable
CREATE TABLE "wallet_audit" (
    "chain_id" INTEGER NOT NULL,
    "wallet" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "balance" DECIMAL(78,0) NOT NULL,
    "nonce" BIGINT NOT NULL,

    CONSTRAINT "wallet_audit_pkey" PRIMARY KEY ("chain_id","wallet","block_number")
);

-- CreateTable
CREATE TABLE "balance_difference" (
    "chain_id" INTEGER NOT NULL,
    "wallet" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "explanation" TEXT,

    CONSTRAINT "balance_difference_pkey" PRIMARY KEY ("chain_id","wallet","block_number")
);

-- CreateTable
CREATE TABLE "rebuild" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "rebuild_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "token" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "admin_session" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "token_hash" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "client_ip" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "admin_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_nonce" (
    "nonce" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_nonce_pkey" PRIMARY KEY ("nonce")
);

-- CreateTable
CREATE TABLE "admin_member" (
    "address" TEXT NOT NULL,
    "role" "AdminRole" NOT NULL,
    "request_id" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "approvals" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "admin_member_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "admin_audit" (
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT,
    "role" "AdminRole",
    "session_id" UUID,
    "action" TEXT NOT NULL,
    "subject" TEXT,
    "before" JSONB,
    "after" JSONB,
    "reason" TEXT,
    "tx_hash" TEXT,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "admin_audit_pkey" PRIMARY KEY ("sequence")
);

-- CreateIndex
CREATE INDEX "operation_origin_tx_hash_origin_log_index_idx" ON "operation"("origin_tx_hash", "origin_log_index");

-- CreateIndex
CREATE INDEX "operation_changed_in_idx" ON "operation"("changed_in");

-- CreateIndex
CREATE INDEX "operation_listing" ON "operation"("status", "kind", "asset", "direction", "created_at", "id");

-- CreateIndex
CREATE INDEX "intent_sender_expires_at_idx" ON "intent"("sender", "expires_at");

-- CreateIndex
CREATE INDEX "intent_client_ip_expires_at_idx" ON "intent"("client_ip", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "intent_sender_idempotency_key_key" ON "intent"("sender", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "intent_sender_nonce_hash_key" ON "intent"("sender", "nonce_hash");

-- CreateIndex
CREATE INDEX "operation_party_operation_id_idx" ON "operation_party"("operation_id");

-- CreateIndex
CREATE UNIQUE INDEX "operation_party_address_direction_direction_sequence_key" ON "operation_party"("address", "direction", "direction_sequence");

-- CreateIndex
CREATE INDEX "chain_event_operation_id_name_idx" ON "chain_event"("operation_id", "name");

-- CreateIndex
CREATE INDEX "chain_event_chain_id_block_number_idx" ON "chain_event"("chain_id", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "inbound_transfer_operation_id_key" ON "inbound_transfer"("operation_id");

-- CreateIndex
CREATE INDEX "inbound_transfer_payer_amount_idx" ON "inbound_transfer"("payer", "amount");

-- CreateIndex
CREATE INDEX "inbound_transfer_chain_id_block_number_idx" ON "inbound_transfer"("chain_id", "block_number");

-- CreateIndex
CREATE INDEX "inbound_transfer_sweep_id_idx" ON "inbound_transfer"("sweep_id");

-- CreateIndex
CREATE INDEX "dust_chain_id_wallet_block_number_idx" ON "dust"("chain_id", "wallet", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "wallet_call_retirement_id_key" ON "wallet_call"("retirement_id");

-- CreateIndex
CREATE UNIQUE INDEX "wallet_call_sweep_id_key" ON "wallet_call"("sweep_id");

-- CreateIndex
CREATE UNIQUE INDEX "wallet_call_chain_id_sender_nonce_key" ON "wallet_call"("chain_id", "sender", "nonce");

-- CreateIndex
CREATE INDEX "signed_transaction_call_id_idx" ON "signed_transaction"("call_id");

-- CreateIndex
CREATE INDEX "call_operation_operation_id_idx" ON "call_operation"("operation_id");

-- CreateIndex
CREATE INDEX "retired_operation_retirement_id_idx" ON "retired_operation"("retirement_id");

-- CreateIndex
CREATE INDEX "unretired_burn_chain_id_asset_idx" ON "unretired_burn"("chain_id", "asset");

-- CreateIndex
CREATE UNIQUE INDEX "refund_operation_id_key" ON "refund"("operation_id");

-- CreateIndex
CREATE INDEX "refund_listing" ON "refund"("status", "created_at", "id");

-- CreateIndex
CREATE INDEX "admin_request_created_at_id_idx" ON "admin_request"("created_at", "id");

-- CreateIndex
CREATE INDEX "admin_request_state_created_at_id_idx" ON "admin_request"("state", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "admin_session_token_hash_key" ON "admin_session"("token_hash");

-- CreateIndex
CREATE INDEX "admin_session_address_created_at_idx" ON "admin_session"("address", "created_at" DESC);

-- CreateIndex
CREATE INDEX "admin_nonce_client_idx" ON "admin_nonce"("client");

-- CreateIndex
CREATE INDEX "admin_nonce_expires_at_idx" ON "admin_nonce"("expires_at");

-- CreateIndex
CREATE INDEX "admin_audit_actor_sequence_idx" ON "admin_audit"("actor", "sequence");

-- CreateIndex
CREATE INDEX "admin_audit_action_sequence_idx" ON "admin_audit"("action", "sequence");

-- CreateIndex
CREATE INDEX "admin_audit_subject_sequence_idx" ON "admin_audit"("subject", "sequence");

-- CreateIndex
CREATE INDEX "admin_audit_actor_action_sequence_idx" ON "admin_audit"("actor", "action", "sequence");

-- AddForeignKey
ALTER TABLE "intent" ADD CONSTRAINT "intent_id_fkey" FOREIGN KEY ("id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation_party" ADD CONSTRAINT "operation_party_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_transfer" ADD CONSTRAINT "inbound_transfer_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_transfer" ADD CONSTRAINT "inbound_transfer_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_call" ADD CONSTRAINT "wallet_call_retirement_id_fkey" FOREIGN KEY ("retirement_id") REFERENCES "retirement"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_call" ADD CONSTRAINT "wallet_call_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_call" ADD CONSTRAINT "wallet_call_refund_id_fkey" FOREIGN KEY ("refund_id") REFERENCES "refund"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signed_transaction" ADD CONSTRAINT "signed_transaction_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "wallet_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "call_operation" ADD CONSTRAINT "call_operation_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "wallet_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "call_operation" ADD CONSTRAINT "call_operation_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retired_operation" ADD CONSTRAINT "retired_operation_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retired_operation" ADD CONSTRAINT "retired_operation_retirement_id_fkey" FOREIGN KEY ("retirement_id") REFERENCES "retirement"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unretired_burn" ADD CONSTRAINT "unretired_burn_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refund" ADD CONSTRAINT "refund_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "admin_approval" ADD CONSTRAINT "admin_approval_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "admin_request"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
