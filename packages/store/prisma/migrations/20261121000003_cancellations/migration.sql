-- CreateEnum
CREATE TYPE "JournalPurpose" AS ENUM ('DELIVERY', 'CANCELLATION');

-- AlterTable
ALTER TABLE "journal_entry" ADD COLUMN     "purpose" "JournalPurpose" NOT NULL DEFAULT 'DELIVERY';
