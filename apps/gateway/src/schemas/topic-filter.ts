import { z } from 'zod';
import { hash } from './hash.js';

/** Topics one position may name. */
const MOST_TOPICS = 1_000;
/** Topics a log has at most. */
const POSITIONS = 4;
const WORDS = 'must be a topic (0x and 64 hex digits), null for any, or an array of at most 1,000 topics';

const position = z.union([hash, z.null(), z.array(hash.nullable()).max(MOST_TOPICS, WORDS)], WORDS);

/**
 * Topics that wanted logs have, by position; passed on with a list or null (any) for each. A list that is empty or holds null takes any, as with geth.
 * A log with fewer topics than positions does not match.
 */
export const topicFilter = z
  .array(position, 'must be an array')
  .max(POSITIONS, 'must have at most 4 positions')
  .nullish()
  .transform((positions): readonly (readonly string[] | null)[] | undefined => {
    if ((positions ?? []).length === 0) return undefined;
    return positions?.map((topics) => anyOf(typeof topics === 'string' ? [topics] : topics));
  })
  .describe('By position: a topic, null for any, or an array of alternatives.');

function anyOf(topics: readonly (string | null)[] | null): readonly string[] | null {
  if (topics === null || topics.length === 0) return null;
  const known = topics.filter((topic) => topic !== null);
  return known.length < topics.length ? null : [...new Set(known)];
}
