import { wholeNumber } from '@causeway/service/configuration';
import type { Retained } from '@causeway/store';
import type { z } from 'zod';

/** How many days ended records are kept, by kind; null for ever. */
export type RetentionSettings = Readonly<Record<Retained, number | null>>;

/** A reorg deeper than this needs an operator, and the database's triggers refuse less. */
const LEAST_DAYS = 30;
const days = () => wholeNumber(LEAST_DAYS);

/** The variables of retention. */
export const retentionVariables = {
  KEEP_RAW_TRANSACTIONS_DAYS: days()
    .optional()
    .describe(
      'Days that the bytes of a signed transaction are kept after its call ended. Its hash stays. Default: for ever.',
    ),
  KEEP_JOURNAL_DAYS: days()
    .optional()
    .describe(
      'Days that ended deliveries stay in the journal. Refunds, retirements, sweeps, open calls and the last call of a ' +
        'wallet stay. Default: for ever.',
    ),
  KEEP_NOTIFICATIONS_DAYS: days().default(LEAST_DAYS).describe('Days that notifications are kept after their end.'),
  KEEP_REQUESTS_DAYS: days()
    .optional()
    .describe("Days that operators' requests are kept after their end. Default: for ever."),
  KEEP_VERDICTS_DAYS: days()
    .optional()
    .describe(
      "Days that attesters' answers and past delays are kept after the operation has ended. Default: for ever.",
    ),
  KEEP_AUDIT_DAYS: days()
    .optional()
    .describe(
      'Days that rows of the audit log are kept. A new row names the last removed one, so the rest stays provable. ' +
        'Default: for ever.',
    ),
};

export function readRetention(env: z.output<z.ZodObject<typeof retentionVariables>>): RetentionSettings {
  return {
    rawTransactions: env.KEEP_RAW_TRANSACTIONS_DAYS ?? null,
    journal: env.KEEP_JOURNAL_DAYS ?? null,
    notifications: env.KEEP_NOTIFICATIONS_DAYS,
    requests: env.KEEP_REQUESTS_DAYS ?? null,
    verdicts: env.KEEP_VERDICTS_DAYS ?? null,
    audit: env.KEEP_AUDIT_DAYS ?? null,
  };
}
