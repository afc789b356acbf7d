import { z } from 'zod';
import { address } from './address.js';

/** Contracts one question may name. */
const MOST_ADDRESSES = 1_000;
const WORDS = 'must be an address or an array of at most 1,000 addresses';

/** Contracts whose logs are wanted; passed on as a list, or undefined for all. */
export const addressFilter = z
  .union([address, z.array(address).max(MOST_ADDRESSES, WORDS)], WORDS)
  .nullish()
  .transform((value): readonly string[] | undefined => {
    if (typeof value === 'string') return [value];
    return (value ?? []).length === 0 ? undefined : [...new Set(value)];
  })
  .describe('A contract, or any of several; all when left out.');
