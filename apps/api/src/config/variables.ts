import { environmentSchema } from '@causeway/protocol';
import { z } from 'zod';

/** An environment variable. The `rule` completes a sentence that begins with its name. */
interface Variable<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly about: string;
  readonly rule: string;
}

const define = <S extends z.ZodType>(schema: S, about: string, rule: string): Variable<S> => ({ schema, about, rule });

const urls = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));
const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);
const postgresUrl = z.string().refine((text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text));

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const URLS_RULE = 'must be http:// or https:// addresses, separated by commas';

/** Every environment variable of the API. Each is read once, by `readVariables`. */
export const VARIABLES = {
  ENVIRONMENT: define(environmentSchema, 'Selects the chains and the defaults.', 'must be local, testnet or mainnet'),
  DATABASE_URL: define(
    postgresUrl,
    'PostgreSQL connection string.',
    'must be a PostgreSQL connection string such as postgresql://user:password@localhost:5432/causeway',
  ),
  ETHEREUM_RPC_URLS: define(urls, 'JSON-RPC addresses of Ethereum nodes; the first that answers is used.', URLS_RULE),
  PARTNER_RPC_URLS: define(urls, 'JSON-RPC addresses of partner chain nodes, likewise.', URLS_RULE),
  ADDRESS_BOOK: define(z.string(), 'Address book of the deployment.', 'must be the path of the address book (JSON)'),
  HOST: define(z.string().default('127.0.0.1'), 'Address to listen on. Default: 127.0.0.1.', 'must be an address'),
  PORT: define(
    wholeNumber(0, 65_535).default(3_000),
    'Port to listen on; 0 picks a free one. Default: 3000.',
    'must be a whole number from 0 to 65535',
  ),
  HOLD_SECONDS: define(
    wholeNumber(0).optional(),
    'Hold of withdrawals as the relayer applies it, in seconds. Default: of the environment.',
    'must be a whole number of seconds',
  ),
  ETHEREUM_CONFIRMATIONS: define(
    wholeNumber(1).optional(),
    'Confirmations on Ethereum as the relayer requires them. Default: of the environment.',
    'must be a whole number from 1',
  ),
  PARTNER_CONFIRMATIONS: define(
    wholeNumber(1).optional(),
    'Confirmations on the partner chain as the relayer requires them. Default: of the environment.',
    'must be a whole number from 1',
  ),
  ETHEREUM_BLOCK_SECONDS: define(
    z.coerce.number().positive().optional(),
    'Seconds between blocks of Ethereum, for estimates. Default: of the environment.',
    'must be a number of seconds above 0',
  ),
  PARTNER_BLOCK_SECONDS: define(
    z.coerce.number().positive().optional(),
    'Seconds between blocks of the partner chain, for estimates. Default: of the environment.',
    'must be a number of seconds above 0',
  ),
  LOG_LEVEL: define(
    z.enum(LEVELS).default('info'),
    'Least severe level that is logged. Default: info.',
    `must be one of ${LEVELS.join(', ')}`,
  ),
};

/** The values of all variables, by name. */
export type Values = {
  readonly [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name]['schema']>;
};

/**
 * Reads all variables. An empty variable counts as not set.
 *
 * @returns the values, or one line for each problem. Lines never contain a value: connection strings hold passwords.
 */
export function readVariables(env: NodeJS.ProcessEnv): { values: Values } | { problems: string[] } {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, rule }] of Object.entries<Variable>(VARIABLES)) {
    const given = env[name] === '' ? undefined : env[name];
    const parsed = schema.safeParse(given);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(given === undefined ? `${name} is not set; it ${rule}` : `${name} ${rule}`);
  }
  return problems.length > 0 ? { problems } : { values: values as Values };
}

/** The text of `--help`. */
export function helpText(): string {
  const entries = Object.entries<Variable>(VARIABLES).map(([name, { schema, about, rule }]) => {
    const required = schema.safeParse(undefined).success ? '' : ' (required)';
    return `  ${name}${required}\n      ${about}\n      It ${rule}.\n`;
  });
  return `Usage: node apps/api/dist/main.js [--help]

Serves the public REST API of the bridge. Environment variables configure it
(apps/api/.env.example lists them as a file for node --env-file):

${entries.join('\n')}`;
}
