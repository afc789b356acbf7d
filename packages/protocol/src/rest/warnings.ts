import { z } from 'zod';
import { WARNING_CODES, type Warning } from '../answers/warnings.js';

/** A warning that a wallet shows to its user before signing. */
export const warningSchema = z.object({
  code: z.enum(WARNING_CODES).describe('New codes may be added: show the message of an unknown code.'),
  message: z.string().describe('One sentence for the user.'),
  field: z.string().describe('The request field that the warning concerns.'),
}) satisfies z.ZodType<Warning>;

export const warningsSchema = z
  .array(warningSchema)
  .describe('Warnings for the user to read before signing. Empty if the checks found no problem.');
