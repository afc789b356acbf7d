-- What the attesters answered about the operations and refunds that wait for them. A few hundred rows at most, without
-- a foreign key: the id is one of either table.
CREATE TYPE "AttesterVerdict" AS ENUM ('SIGN', 'NOT_YET', 'REFUSE');

CREATE TABLE "attester_answer" (
    "subject_id" TEXT NOT NULL,
    "attester" TEXT NOT NULL,
    "verdict" "AttesterVerdict",
    "reason" TEXT,
    "why" TEXT,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "attester_answer_pkey" PRIMARY KEY ("subject_id","attester")
);
ALTER TABLE attester_answer
  ADD CONSTRAINT attester_answer_formats CHECK (is_hex(subject_id, 32) AND is_hex(attester, 20)),
  ADD CONSTRAINT attester_answer_has_its_time CHECK ((verdict IS NULL) = (answered_at IS NULL)),
  ADD CONSTRAINT attester_answer_reason CHECK (
    CASE WHEN verdict = 'REFUSE' THEN reason ~ '^[A-Z_]{1,40}$' ELSE reason IS NULL END IS TRUE),
  ADD CONSTRAINT attester_answer_why CHECK (
    CASE WHEN verdict IN ('NOT_YET', 'REFUSE') THEN length(why) <= 500 ELSE why IS NULL END IS TRUE);

-- Programs before do not notice the table.
INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261128000040_attester_answers', '20261127000010_reopened_ids');
