import { environmentSchema } from '@causeway/protocol';
import { z } from 'zod';

const urls = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(
    z.array(z.url({ protocol: /^https?$/, error: 'must be http:// or https:// URLs, separated by commas' })).min(1),
  );
const count = (least: number) =>
  z.coerce.number({ error: 'must be a number' }).int('must be a whole number').min(least, `must be ${least} or more`);

/**
 * The environment variables of the relayer, each with its meaning. `--help` and `.env.example` print these
 * descriptions. A variable without a default value is required, unless its description names a default of the profile.
 */
const environmentVariables = z.object({
  ENVIRONMENT: environmentSchema.describe('Chain profile with its defaults: local, testnet or mainnet.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./, 'must look like postgresql://user:password@host:5432/database')
    .refine((url) => URL.canParse(url), 'must look like postgresql://user:password@host:5432/database')
    .describe('PostgreSQL connection string.'),
  ETHEREUM_RPC_URLS: urls.describe(
    'JSON-RPC URLs of Ethereum nodes, separated by commas; the next one is the failover.',
  ),
  PARTNER_RPC_URLS: urls.describe('JSON-RPC URLs of partner-chain nodes, likewise.'),
  ADDRESS_BOOK: z.string().min(1).describe('Path of the address book that the deployment wrote.'),
  RELAYER_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
    .describe('Private key of the relayer wallet, 0x and 64 hex digits. Only in the local profile.'),
  HOLD_SECONDS: count(0).optional().describe('Security hold of withdrawals, in seconds. Default of the profile: 3600.'),
  ETHEREUM_CONFIRMATIONS: count(1)
    .optional()
    .describe('Confirmations before a deposit is final. Default of the profile: 12.'),
  PARTNER_CONFIRMATIONS: count(1)
    .optional()
    .describe('Confirmations before a burn or transfer is final. Default of the profile: 6.'),
  POLL_MS: count(50).default(1_000).describe('Pause between two runs of a stage, in milliseconds.'),
  LEASE_MS: count(1_000)
    .default(15_000)
    .describe('How long the lease outlives its holder, in milliseconds. Then a standby takes over.'),
  REPLACE_AFTER_MS: count(1_000)
    .default(60_000)
    .describe('Age at which a pending transaction is replaced with higher fees, in milliseconds.'),
  RETIRE_AFTER_MS: count(0)
    .default(3_600_000)
    .describe('Age of a completed withdrawal at which its tokens are retired, in milliseconds.'),
  MAX_FEE_GWEI: count(1).default(500).describe('Maximum fee per gas, in gwei.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe log level: fatal, error, warn, info, debug, trace or silent.'),
});

/** The parsed environment variables. */
type Environment = z.output<typeof environmentVariables>;

/** A variable as `--help` and `.env.example` show it. `defaultValue`: undefined when there is none. */
interface VariableDescription {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly defaultValue: string | undefined;
}

/** Lists the variables in the order of their definition. */
export function describeVariables(): VariableDescription[] {
  return Object.entries(environmentVariables.shape).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    const defaultValue = absent.success && absent.data !== undefined ? String(absent.data) : undefined;
    return { name, description: schema.description ?? '', isRequired: !absent.success, defaultValue };
  });
}

/**
 * Parses the environment variables. An empty variable counts as missing.
 *
 * @throws Error with one line per variable that is missing or invalid. It never contains a value: those may be secrets.
 */
export function parseEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environmentVariables.safeParse(given);
  if (parsed.success) return parsed.data;
  const descriptions = new Map(describeVariables().map(({ name, description }) => [name, description]));
  const messages = new Map<string, string>();
  for (const { path, message } of parsed.error.issues) {
    const name = String(path[0]);
    const problem = given[name] === undefined ? 'is missing' : message.replace(/^Invalid option: expected/, 'must be');
    if (!messages.has(name)) messages.set(name, `  ${name} ${problem}. ${descriptions.get(name) ?? ''}`);
  }
  throw new Error(['Set these environment variables of the relayer (see --help):', ...messages.values()].join('\n'));
}
