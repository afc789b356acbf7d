import { readFileSync } from 'node:fs';
import { addressBookSchema, environmentSchema, type AddressBook, type Environment } from '@causeway/protocol';
import { z } from 'zod';

// The entry point `@causeway/chain/configuration`: how the services of the bridge read and check their environment
// variables. Every message of a schema completes a sentence that begins with the variable's name.

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const POSTGRES_RULE =
  'must be a PostgreSQL connection string such as postgresql://user:password@localhost:5432/causeway';
const URLS_RULE = 'must be http:// or https:// addresses, separated by commas';

/** A whole number in plain digits, within a range. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  const rule = `must be a whole number ${range}`;
  return z
    .string(rule)
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

const urls = z
  .string(URLS_RULE)
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: URLS_RULE })));

/**
 * The variables of every service, each with its meaning for `--help` and `.env.example`. A variable without a default
 * value is required, unless its description names a default of the environment.
 */
export const serviceVariables = z.object({
  ENVIRONMENT: z
    .enum(environmentSchema.options, 'must be local, testnet or mainnet')
    .describe('Selects the chains and their defaults: local, testnet or mainnet.'),
  DATABASE_URL: z
    .string(POSTGRES_RULE)
    .refine((text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text), POSTGRES_RULE)
    .describe('PostgreSQL connection string.'),
  ETHEREUM_RPC_URLS: urls.describe(
    'JSON-RPC addresses of Ethereum nodes, separated by commas; the next one is the failover.',
  ),
  PARTNER_RPC_URLS: urls.describe('JSON-RPC addresses of partner chain nodes, likewise.'),
  ADDRESS_BOOK: z
    .string('must be the path of an address book (JSON)')
    .describe('Path of the address book that the deployment wrote.'),
  HOLD_SECONDS: wholeNumber(0)
    .optional()
    .describe('Security hold of withdrawals, in seconds. Default of the environment: 3600.'),
  ETHEREUM_CONFIRMATIONS: wholeNumber(1)
    .optional()
    .describe('Confirmations before a deposit is final. Default of the environment: 12.'),
  PARTNER_CONFIRMATIONS: wholeNumber(1)
    .optional()
    .describe('Confirmations before a burn or transfer is final. Default of the environment: 6.'),
  LOG_LEVEL: z
    .enum(LEVELS, `must be one of ${LEVELS.join(', ')}`)
    .default('info')
    .describe(`Least severe log level: ${LEVELS.slice(0, -1).join(', ')} or silent.`),
});

/**
 * The configuration cannot be used. The message has a title and one line for each problem. The problems come last: the
 * stack shows the last line of a process that failed.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(['The configuration cannot be used (--help lists all variables):', ...problems].join('\n'), options);
  }
}

/**
 * Reads and checks all variables of a service. An empty variable counts as not set.
 *
 * @throws ConfigurationError with a line for each variable that is missing or wrong. It never contains a value: those
 *   may be secrets.
 */
export function readVariables<S extends z.ZodObject>(
  variables: S,
  env: Readonly<Record<string, string | undefined>>,
): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = new Map<string, string>();
  for (const { path, message } of parsed.error.issues) {
    const name = String(path[0]);
    if (problems.has(name)) continue;
    problems.set(name, given[name] === undefined ? `${name} is not set; it ${message}` : `${name} ${message}`);
  }
  throw new ConfigurationError([...problems.values()]);
}

/** Lists the variables in the order of their definition. `defaultValue`: undefined when there is none. */
export function describeVariables(variables: z.ZodObject) {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const absent = z.safeParse(schema, undefined);
    const defaultValue = absent.success && absent.data !== undefined ? String(absent.data) : undefined;
    const { description = '' } = z.globalRegistry.get(schema) ?? {};
    return { name, description, isRequired: !absent.success, defaultValue };
  });
}

/** The part of `--help` that lists the variables. */
export function variablesHelp(variables: z.ZodObject): string {
  const lines = describeVariables(variables).flatMap(({ name, description, isRequired, defaultValue }) => {
    const note = isRequired ? ' Required.' : defaultValue === undefined ? '' : ` Default: ${defaultValue}.`;
    return [`  ${name}`, `      ${description}${note}`];
  });
  return ['Environment variables:', ...lines].join('\n');
}

/**
 * Reads the address book and compares its environment with the configured one.
 *
 * @throws ConfigurationError in one line that names ADDRESS_BOOK and the file.
 */
export function readAddressBook(path: string, environment: Environment): AddressBook {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ');
    throw new ConfigurationError([`ADDRESS_BOOK must be a readable JSON file, not ${path} (${reason})`], { cause });
  }
  const parsed = addressBookSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigurationError([
      `ADDRESS_BOOK must be an address book that the deployment wrote; in ${path} the field ` +
        `"${issue?.path.join('.') ?? ''}" is wrong: ${issue?.message}`,
    ]);
  }
  const book = parsed.data;
  if (book.environment === environment) return book;
  throw new ConfigurationError([
    `ADDRESS_BOOK must be of the environment ${environment} (ENVIRONMENT), but ${path} is of ${book.environment}`,
  ]);
}
