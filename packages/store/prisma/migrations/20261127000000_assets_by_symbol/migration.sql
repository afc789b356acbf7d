-- The table of assets and the address book say which symbols exist. The database checks their form alone.
ALTER TYPE "Asset" RENAME TO "SpecifiedAsset";
CREATE DOMAIN "Asset" AS text CHECK (VALUE ~ '^[A-Z0-9]{1,12}$');

-- They compare with a value of the enum.
ALTER TABLE operation DROP CONSTRAINT operation_kind_fits;
ALTER TABLE inbound_transfer DROP CONSTRAINT inbound_transfer_use;
ALTER TABLE retirement DROP CONSTRAINT retirement_asset;
DROP INDEX inbound_transfer_unbound, inbound_transfer_kept;
-- They name the column.
DROP TRIGGER operation_terms_are_fixed ON operation;
DROP TRIGGER ended_retirement_is_frozen ON retirement;
DROP TRIGGER refund_is_fixed ON refund;

ALTER TABLE operation ALTER COLUMN asset TYPE "Asset" USING asset::text;
ALTER TABLE inbound_transfer ALTER COLUMN asset TYPE "Asset" USING asset::text;
ALTER TABLE dust ALTER COLUMN asset TYPE "Asset" USING asset::text;
ALTER TABLE unretired_burn ALTER COLUMN asset TYPE "Asset" USING asset::text;
ALTER TABLE retirement ALTER COLUMN asset TYPE "Asset" USING asset::text;
ALTER TABLE refund ALTER COLUMN asset TYPE "Asset" USING asset::text;
DROP TYPE "SpecifiedAsset";

ALTER TABLE operation ADD CONSTRAINT operation_kind_fits CHECK (
  (kind = 'TRANSFER' OR (
    (kind = 'DEPOSIT') = (direction = 'ETHEREUM_TO_PARTNER')
    AND (kind IN ('INTENT', 'NATIVE_WITHDRAWAL')) = (direction = 'PARTNER_TO_ETHEREUM' AND asset = 'XCN')))
  AND (kind IN ('INTENT', 'TRANSFER')) = (origin_nonce IS NULL)
);
ALTER TABLE inbound_transfer ADD CONSTRAINT inbound_transfer_use CHECK (asset = 'XCN' OR sweep_id IS NULL);
ALTER TABLE retirement ADD CONSTRAINT retirement_asset CHECK (asset <> 'XCN');
CREATE INDEX inbound_transfer_unbound ON inbound_transfer (payer, amount) WHERE operation_id IS NULL AND asset = 'XCN';
CREATE INDEX inbound_transfer_kept ON inbound_transfer (chain_id, wallet) INCLUDE (amount)
  WHERE operation_id IS NULL AND asset = 'XCN';

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
CREATE TRIGGER ended_retirement_is_frozen
  BEFORE UPDATE ON retirement FOR EACH ROW WHEN (
    OLD.state <> 'PENDING'
    OR (OLD.id, OLD.chain_id, OLD.asset, OLD.amount, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.chain_id, NEW.asset, NEW.amount, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_retirement();
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

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261127000000_assets_by_symbol', '20261127000000_assets_by_symbol');
