ALTER TYPE "DelayReason" ADD VALUE 'ATTESTERS_UNAVAILABLE';
ALTER TYPE "DelayReason" ADD VALUE 'ATTESTERS_DISAGREE';

-- Only a relayer that serves an exchange writes the new reasons, and programs before have none.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261128000030_attester_delays', '20261127000010_reopened_ids');
