-- What completed lately, with its sums: see `OverviewRepository`. An operation enters it once, when it ends.
CREATE INDEX operation_completed ON operation (settled_at) INCLUDE (asset, output_amount, fee)
  WHERE status = 'COMPLETED';

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261125000020_completed_lately', '20261125000010_number_used_up');
