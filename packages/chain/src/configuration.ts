import { readFileSync } from 'node:fs';
import {
  addressBookSchema,
  ASSETS,
  chainProfile,
  environmentSchema,
  parseAmount,
  type AddressBook,
  type Asset,
  type Environment,
} from '@causeway/protocol';
import { ADMIN_ROLES, type AdminRole } from '@causeway/protocol/admin';
import { isAddress, type Address } from 'viem';
import { z } from 'zod';

// The entry point `@causeway/chain/configuration`: how the services of the bridge read and check their environment
// variables. Every message of a schema completes a sentence that begins with the variable's name.

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const POSTGRES_RULE =
  'must be a PostgreSQL connection string such as postgresql://user:password@localhost:5432/causeway';
const URLS_RULE = 'must be http://, https://, ws:// or wss:// addresses, separated by commas';

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

const urlList = z
  .string(URLS_RULE)
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^(https?|wss?)$/, error: URLS_RULE })));

const MIRRORS_RULE = 'must be http:// or https:// addresses of different hosts, separated by commas';
const mirrorList = z
  .string(MIRRORS_RULE)
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: MIRRORS_RULE })))
  .refine((urls) => new Set(urls.map((url) => new URL(url).host)).size === urls.length, MIRRORS_RULE);

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
  ETHEREUM_RPC_URLS: urlList.describe(
    'JSON-RPC addresses of Ethereum nodes of different operators, separated by commas, the preferred one first. ' +
      'Addresses with ws:// or wss:// announce new blocks, and do not count as nodes.',
  ),
  PARTNER_RPC_URLS: urlList.describe('JSON-RPC addresses of partner chain nodes, likewise.'),
  ETHEREUM_QUORUM: wholeNumber(1)
    .optional()
    .describe(
      'Number of Ethereum nodes that must agree before money moves. ' +
        'By default the majority, and at least 2 (1 for a single node in the environment local).',
    ),
  PARTNER_QUORUM: wholeNumber(1).optional().describe('Number of partner chain nodes that must agree, likewise.'),
  MIRROR_URL: mirrorList
    .optional()
    .describe(
      'Addresses of mirror nodes of the partner chain, before /api/v1, separated by commas. Of several, the majority ' +
        'must give the same answer. They show payments by smart accounts; without one, only plain transfers pay.',
    ),
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

const ALLOW_LIST_RULE = `must be members such as 0xabc…:admin, separated by commas, each once, with ${ADMIN_ROLES.join(', ')}`;

/** The root members of the admin API, by their addresses in lower case. No request can change them. */
export type AllowList = ReadonlyMap<Address, AdminRole>;

/** The variable ADMIN_ALLOW_LIST, which the API and the relayer read alike. */
export const allowListVariable = z
  .string(ALLOW_LIST_RULE)
  .transform((list, context): AllowList => {
    const members = new Map<Address, AdminRole>();
    for (const entry of list.split(',').map((each) => each.trim())) {
      const [address = '', role] = entry.split(':');
      const known = ADMIN_ROLES.find((each) => each === role);
      const member = address.toLowerCase() as Address;
      if (known === undefined || entry.split(':').length !== 2 || !isAddress(address) || members.has(member)) {
        context.addIssue(ALLOW_LIST_RULE);
        return z.NEVER;
      }
      members.set(member, known);
    }
    return members;
  })
  .optional()
  .describe(
    'Root members of the admin API: address:role, separated by commas. The roles are viewer, operator and admin. ' +
      'No request can change them.',
  );

const AMOUNT_RULE = 'must be an amount such as 0.5';
const oneApproval = (asset: Asset) =>
  z
    .string(AMOUNT_RULE)
    .regex(/^\d{1,12}(\.\d{1,6})?$/, AMOUNT_RULE)
    .default('0')
    .transform((text) => parseAmount(asset, text))
    .describe(`Refunds of up to this much ${asset} need one approval, others two. Only in the environment local.`);

/** The variables of refunds for which one approval is enough, which the API and the relayer read alike. */
export const oneApprovalVariables = {
  REFUND_ONE_APPROVAL_ETH: oneApproval('ETH'),
  REFUND_ONE_APPROVAL_USDC: oneApproval('USDC'),
  REFUND_ONE_APPROVAL_XCN: oneApproval('XCN'),
};

/**
 * Reads the amounts up to which a refund needs one approval, in atomic units.
 *
 * @throws ConfigurationError when one approval would be enough outside `local`.
 */
export function readOneApprovalUpTo(
  env: Readonly<Record<keyof typeof oneApprovalVariables, bigint>>,
  environment: Environment,
): Readonly<Record<Asset, bigint>> {
  const oneApprovalUpTo = {
    ETH: env.REFUND_ONE_APPROVAL_ETH,
    USDC: env.REFUND_ONE_APPROVAL_USDC,
    XCN: env.REFUND_ONE_APPROVAL_XCN,
  };
  const tooHigh = environment === 'local' ? [] : ASSETS.filter((asset) => oneApprovalUpTo[asset] > 0n);
  if (tooHigh.length === 0) return oneApprovalUpTo;
  throw new ConfigurationError(
    tooHigh.map((asset) => `REFUND_ONE_APPROVAL_${asset} is for the environment local only: two must approve`),
  );
}

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

/** The exit code of a program that an error ends: 1, unless the error has one of its own. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : 1;
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

/** The nodes of a chain, as `connectChain` wants them. */
export interface NodeConfiguration {
  /** HTTP addresses, each with another host. */
  readonly urls: readonly string[];
  /** WebSocket addresses, for new heads only. */
  readonly headUrls: readonly string[];
  /** The number of nodes that must agree. */
  readonly quorum: number;
  /** For operators, when a single node decides outside the environment `local`. */
  readonly warning: string | null;
}

/** The values of the variables that describe the nodes of both chains. */
interface NodeVariables {
  readonly ENVIRONMENT: Environment;
  readonly ETHEREUM_RPC_URLS: readonly string[];
  readonly PARTNER_RPC_URLS: readonly string[];
  readonly ETHEREUM_QUORUM?: number | undefined;
  readonly PARTNER_QUORUM?: number | undefined;
}

/**
 * Derives the nodes of one chain and how many of them must agree: the given number, else the majority and at least 2.
 * A single node decides alone only in the environment `local`, or when the quorum is written as 1.
 *
 * @throws ConfigurationError naming the variable, and never a path of an address.
 */
export function nodesOf(variables: NodeVariables, chain: 'ETHEREUM' | 'PARTNER'): NodeConfiguration {
  const given = variables[`${chain}_RPC_URLS`];
  const isWebSocket = (url: string) => /^wss?:/i.test(url);
  const urls = given.filter((url) => !isWebSocket(url));
  if (urls.length === 0)
    throw new ConfigurationError([`${chain}_RPC_URLS must have an http:// or https:// address: it answers requests`]);
  const hosts = urls.map((url) => new URL(url).host);
  const repeated = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (repeated !== undefined)
    throw new ConfigurationError([
      `${chain}_RPC_URLS names ${repeated} twice: one operator must not count as two nodes`,
    ]);
  const isSingleLocal = variables.ENVIRONMENT === 'local' && urls.length === 1;
  const majority = isSingleLocal ? 1 : Math.max(2, Math.floor(urls.length / 2) + 1);
  const chosen = variables[`${chain}_QUORUM`];
  const quorum = chosen ?? majority;
  if (quorum > urls.length) {
    throw new ConfigurationError([
      `${chain}_QUORUM is ${quorum}${chosen === undefined ? ' by default' : ''}, ` +
        `but ${chain}_RPC_URLS has ${urls.length} node${urls.length === 1 ? '' : 's'}: ` +
        `add nodes of other operators, or set ${chain}_QUORUM to trust fewer`,
    ]);
  }
  const warning =
    quorum > 1 || variables.ENVIRONMENT === 'local'
      ? null
      : `${chain}_QUORUM is 1: a single node that lies can make the bridge pay what nobody deposited`;
  return { urls, headUrls: given.filter(isWebSocket), quorum, warning };
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
 * Reads the address book and compares its environment and its chains with the configured environment.
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
  if (book.environment !== environment) {
    throw new ConfigurationError([
      `ADDRESS_BOOK must be of the environment ${environment} (ENVIRONMENT), but ${path} is of ${book.environment}`,
    ]);
  }
  const { ethereumChainId, partnerChainId } = chainProfile(environment);
  if (book.ethereum.chainId === ethereumChainId && book.partner.chainId === partnerChainId) return book;
  throw new ConfigurationError([
    `ADDRESS_BOOK must have the chain ids of ${environment}, ${ethereumChainId} and ${partnerChainId}, but ${path} has ` +
      `${book.ethereum.chainId} and ${book.partner.chainId}`,
  ]);
}
