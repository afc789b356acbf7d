import { z } from 'zod';

/**
 * Text in hex, in either case, passed on in lower case.
 *
 * @param form source of the pattern of the whole text.
 * @param words what is wrong with anything else, after "params[0] (address):".
 */
export function hexText(form: string, words: string) {
  const pattern = new RegExp(`^${form}$`);
  return z.string(words).regex(pattern, words).toLowerCase();
}
