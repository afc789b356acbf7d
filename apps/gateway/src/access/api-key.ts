import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigurationError } from '@causeway/service/configuration';
import { z } from 'zod';

/** An entry of the API key file. */
export type ApiKey = z.output<typeof apiKey>;

/** Key length: 256 bits. */
const KEY_BYTES = 32;
/** At least 128 bits in base64url, which needs no escaping in a URL. */
const KEY = /^[\w-]{22,200}$/;
/** Names become metric labels, so their number must stay small. */
const MOST_KEYS = 1_000;
const MOST = 1e9;
const NAME_RULE = 'must have 1 to 63 lower-case letters, digits and hyphens, and begin with a letter';
const HASH_RULE = 'must be the SHA-256 of a key, in 64 lower-case hex digits';
const NUMBER_RULE = `must be a whole number from 1 to ${MOST}`;

const name = z.string(NAME_RULE).regex(/^[a-z][a-z0-9-]{0,62}$/, NAME_RULE);
const limit = z.int(NUMBER_RULE).min(1, NUMBER_RULE).max(MOST, NUMBER_RULE).optional();

const apiKey = z
  .strictObject({
    name,
    sha256: z.string(HASH_RULE).regex(/^[0-9a-f]{64}$/, HASH_RULE),
    /** Calls per second and per minute, and WebSocket connections. Default: the limits of clients without a key. */
    perSecond: limit,
    perMinute: limit,
    connections: limit,
    /** Exempts the key from the rate and connection limits. */
    unlimited: z.literal(true, 'must be true or omitted').optional(),
  })
  .refine(
    ({ unlimited, perSecond, perMinute, connections }) =>
      unlimited === undefined || [perSecond, perMinute, connections].every((each) => each === undefined),
    { path: ['unlimited'], error: 'cannot be combined with a limit' },
  );

const keyFile = z
  .array(apiKey, 'must be a list')
  .max(MOST_KEYS, `must have at most ${MOST_KEYS} keys`)
  .superRefine((keys, context) => {
    for (const field of ['name', 'sha256'] as const) {
      const seen = new Set<string>();
      for (const [index, key] of keys.entries()) {
        if (seen.has(key[field])) context.addIssue({ code: 'custom', path: [index, field], message: 'must be unique' });
        seen.add(key[field]);
      }
    }
  });

/**
 * Reads the API key file.
 *
 * @throws ConfigurationError in one line that names API_KEYS_FILE, the file and the field. It contains no value,
 *   because a value can be a misplaced key.
 */
export function readKeyFile(path: string): readonly ApiKey[] {
  const refuse = (problem: string, cause?: unknown) =>
    new ConfigurationError([`API_KEYS_FILE must be a list of API keys (JSON); ${path} ${problem}`], { cause });
  let text: string;
  let content: unknown;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw refuse(`cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw refuse('is not JSON', cause);
  }
  const parsed = keyFile.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = z.core.toDotPath(issue?.path ?? []);
  const problem = issue?.code === 'unrecognized_keys' ? 'has an unknown field' : (issue?.message ?? '');
  throw refuse(field === '' ? problem : `has an invalid entry: ${field} ${problem}`);
}

/** Makes a key and its file entry. The key itself is not stored. */
export function createKey(holder: string): { readonly key: string; readonly entry: ApiKey } {
  const parsed = name.safeParse(holder);
  if (!parsed.success) throw new ConfigurationError([`The name of a key ${NAME_RULE}`]);
  const key = randomBytes(KEY_BYTES).toString('base64url');
  return { key, entry: { name: parsed.data, sha256: hashKey(key) ?? '' } };
}

/** Returns the hash under which the file lists a key; null for a malformed key. */
export function hashKey(key: string): string | null {
  return KEY.test(key) ? createHash('sha256').update(key).digest('hex') : null;
}
