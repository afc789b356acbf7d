import { z } from 'zod';
import { WARNING_CODES, type Warning } from '../answers/warnings.js';

/** Something that a wallet shows to its user before the transfer is signed. */
export const warningSchema = z.object({
  code: z.enum(WARNING_CODES).describe('New codes may follow: show the message of one that you do not know.'),
  message: z.string().describe('One sentence for the user.'),
  field: z.string().describe('The field of the request that the warning is about.'),
}) satisfies z.ZodType<Warning>;

/** The warnings of an answer. */
export const warningsSchema = z
  .array(warningSchema)
  .describe('What looks right and is not, for the user to read before signing. Empty when nothing was found.');
