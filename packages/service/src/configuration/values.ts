import { z } from 'zod';
import { parseEndpoint } from './endpoint.js';

// Every message completes a sentence that begins with the variable's name.

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const POSTGRES_RULE =
  'must be a PostgreSQL connection string such as postgresql://user:password@localhost:5432/causeway, ' +
  'with @ / ? # % of a password as %40 %2F %3F %23 %25';
/** Credentials without reserved characters, and no `@` or `#` after them. */
const ESCAPED = /^[a-z]+:\/\/((?:[^\s@/?#%]|%[\da-f]{2})*@)?[^\s@#]*$/i;
const DOCS_RULE = 'must be the http:// or https:// address of a site, or a folder, without spaces';
const KEY_RULE = 'must be 0x and 64 hex digits';

/** An integer in plain digits, within a range. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  const rule = `must be a whole number ${range}`;
  return z
    .string(rule)
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

/** Comma-separated entries, at least one. */
export function list(rule: string, isEntry: (entry: string) => boolean) {
  return z
    .string(rule)
    .transform(splitList)
    .refine((entries) => entries.every(isEntry), rule);
}

/** Comma-separated entries; none by default. Empty entries are ignored. */
export function optionalList(rule: string, isEntry: (entry: string) => boolean) {
  return z
    .string(rule)
    .transform((text) => splitList(text).filter((entry) => entry !== ''))
    .refine((entries) => entries.every(isEntry), rule)
    .prefault('');
}

const splitList = (text: string) => text.split(',').map((entry) => entry.trim());

/** Returns whether a text is a URL with one of these protocols, such as `https:`, and percent-encoded credentials. */
export function isUrl(text: string, protocols: readonly string[]): boolean {
  if (!protocols.includes(URL.parse(text)?.protocol ?? '')) return false;
  try {
    parseEndpoint(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the credentials of a URL are unambiguous. Otherwise a part of a password could be parsed as the host,
 * which errors show.
 */
export function hasEscapedCredentials(address: string): boolean {
  return ESCAPED.test(address);
}

/** A database URL with credentials. */
export const postgresUrl = z
  .string(POSTGRES_RULE)
  .refine(
    (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text) && hasEscapedCredentials(text),
    POSTGRES_RULE,
  );

/** Returns whether a text is a web origin, such as https://app.example. */
export function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text;
}

/** An address to listen on. The default accepts connections from the same machine only. */
export const listenHost = z.string('must be a host name or an IP address').default('127.0.0.1');

/** A port to listen on. */
export const listenPort = wholeNumber(0, 65_535);

/** The path of a file or a directory. */
export const filePath = (content: string) => z.string(`must be the path of ${content}`);

/** The private key of an account. */
export const privateKey = z
  .string(KEY_RULE)
  .regex(/^0x[0-9a-fA-F]{64}$/, KEY_RULE)
  .transform((key) => key as `0x${string}`);

/** The lowest logged level, one of pino's. */
export const logLevel = z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`).default('info');

/** Where the links of errors, alerts and notifications lead: see `linkToDocs` of the protocol. */
export const docsUrl = z
  .string(DOCS_RULE)
  // A link is also written into a header, between < and >.
  .regex(/^[\x21-\x7e]+$/, DOCS_RULE)
  .refine((text) => !/[<>"]/.test(text) && (!text.includes('://') || isUrl(text, ['http:', 'https:'])), DOCS_RULE)
  .default('docs')
  .describe(
    'URL of the documentation site that errors, alerts and notifications link to; by default, paths of the repository.',
  );
