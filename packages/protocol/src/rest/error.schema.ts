import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';

/** The body of every failing request. */
export const errorResponseSchema = z.object({
  error: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});
/** The body of a failing request. */
export type ErrorResponse = z.output<typeof errorResponseSchema>;
