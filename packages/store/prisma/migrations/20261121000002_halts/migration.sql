-- AlterTable
ALTER TABLE "chain_cursor" ADD COLUMN     "halted_at" TIMESTAMPTZ(3),
ADD COLUMN     "halted_reason" TEXT;

ALTER TABLE chain_cursor ADD CONSTRAINT chain_cursor_halt_has_reason CHECK ((halted_at IS NULL) = (halted_reason IS NULL));
