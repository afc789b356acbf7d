-- CreateEnum
CREATE TYPE "RetirementState" AS ENUM ('PENDING', 'CONFIRMED', 'FAILED');

-- AlterEnum
ALTER TYPE "JournalPurpose" ADD VALUE 'RETIREMENT';

-- AlterTable
ALTER TABLE "journal_entry" ADD COLUMN     "retirement_id" BIGINT,
ALTER COLUMN "operation_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "retirement" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "asset" "Asset" NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "state" "RetirementState" NOT NULL DEFAULT 'PENDING',
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

-- CreateIndex
CREATE INDEX "retired_operation_retirement_id_idx" ON "retired_operation"("retirement_id");

-- CreateIndex
CREATE INDEX "journal_entry_retirement_id_idx" ON "journal_entry"("retirement_id");

-- AddForeignKey
ALTER TABLE "journal_entry" ADD CONSTRAINT "journal_entry_retirement_id_fkey" FOREIGN KEY ("retirement_id") REFERENCES "retirement"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retired_operation" ADD CONSTRAINT "retired_operation_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retired_operation" ADD CONSTRAINT "retired_operation_retirement_id_fkey" FOREIGN KEY ("retirement_id") REFERENCES "retirement"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What must hold whatever the code does.

-- As text: the new value of the enum cannot be used in the transaction that adds it.
ALTER TABLE journal_entry
  ADD CONSTRAINT journal_entry_is_for_one CHECK (num_nonnulls(operation_id, retirement_id) = 1),
  ADD CONSTRAINT journal_entry_purpose_fits CHECK (
    CASE purpose::text
      WHEN 'DELIVERY' THEN operation_id IS NOT NULL
      WHEN 'RETIREMENT' THEN retirement_id IS NOT NULL
      ELSE true
    END
  );

ALTER TABLE retirement
  ADD CONSTRAINT retirement_amount CHECK (amount > 0),
  ADD CONSTRAINT retirement_asset CHECK (asset <> 'XCN'),
  ADD CONSTRAINT retirement_end CHECK ((state = 'PENDING') = (ended_at IS NULL));

-- One at a time per token.
CREATE UNIQUE INDEX retirement_on_its_way ON retirement (chain_id, asset) WHERE state = 'PENDING';

-- One that has ended does not change again, and what it is of never does.
CREATE FUNCTION refuse_change_of_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'retirement % is %: it cannot change so', OLD.id, OLD.state USING ERRCODE = 'integrity_constraint_violation';
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

-- Only a completed burn of the same token is ever in a retirement, joins it before it has ended, and leaves it only when it failed.
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

-- A retirement is of exactly what its operations handed in.
CREATE FUNCTION check_retirement_amount() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE handed_in numeric;
BEGIN
  SELECT coalesce(sum(o.amount), 0) INTO handed_in
  FROM retired_operation t JOIN operation o ON o.id = t.operation_id WHERE t.retirement_id = NEW.id;
  IF handed_in = NEW.amount OR EXISTS (SELECT 1 FROM retirement r WHERE r.id = NEW.id AND r.state = 'FAILED') THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'retirement % is of %, but its operations handed in %', NEW.id, NEW.amount, handed_in
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE CONSTRAINT TRIGGER retirement_is_of_its_operations
  AFTER INSERT ON retirement DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_retirement_amount();

-- What may be waiting for a retirement.
CREATE INDEX operation_completed_burn ON operation (origin_chain_id, asset, settled_at)
  WHERE status = 'COMPLETED' AND kind = 'BURN';
