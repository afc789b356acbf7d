import { z } from 'zod';

/**
 * Text in hex, in either case, passed on in lower case.
 *
 * @param words what is wrong with anything else, after "params[0] (address):".
 */
export function hexText(pattern: RegExp, words: string) {
  return z.string(words).regex(pattern, words).toLowerCase();
}
