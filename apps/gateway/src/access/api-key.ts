import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigurationError } from '@causeway/service/configuration';
import { z } from 'zod';

/** A holder of a key, as the file of keys lists it. */
export type ApiKey = z.output<typeof apiKey>;

/** 256 bits. */
const KEY_BYTES = 32;
/** At least 128 bits in base64url, of which nothing needs to be escaped in an address. */
const KEY = /^[\w-]{22,200}$/;
/** Names are labels of metrics, so that their number stays small. */
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
    /** Calls a second and a minute, and WebSocket connections; those of every client when left out. */
    perSecond: limit,
    perMinute: limit,
    connections: limit,
    /** Neither a rate nor a number of connections applies. */
    unlimited: z.literal(true, 'must be true, or left out').optional(),
  })
  .refine(
    ({ unlimited, perSecond, perMinute, connections }) =>
      unlimited === undefined || [perSecond, perMinute, connections].every((each) => each === undefined),
    { path: ['unlimited'], error: 'must not stand beside a limit' },
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
 * Reads the file of keys.
 *
 * @throws ConfigurationError in one line that names API_KEYS_FILE, the file and the field. It contains no value, which
 *   may be a key that was written into the wrong place.
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
  const problem = issue?.code === 'unrecognized_keys' ? 'has a field that is not known' : (issue?.message ?? '');
  throw refuse(field === '' ? problem : `has a wrong entry: ${field} ${problem}`);
}

/** Makes a key, and its entry of the file of keys. The key itself is stored nowhere. */
export function createKey(holder: string): { readonly key: string; readonly entry: ApiKey } {
  const parsed = name.safeParse(holder);
  if (!parsed.success) throw new ConfigurationError([`The name of a key ${NAME_RULE}`]);
  const key = randomBytes(KEY_BYTES).toString('base64url');
  return { key, entry: { name: parsed.data, sha256: hashKey(key) ?? '' } };
}

/** The hash under which the file lists a key; null for a text that is too short to be one. */
export function hashKey(key: string): string | null {
  return KEY.test(key) ? createHash('sha256').update(key).digest('hex') : null;
}
