import { accessSync, constants, readFileSync } from 'node:fs';
import {
  ConfigurationError,
  filePath,
  isUrl,
  list,
  logLevel,
  postgresUrl,
  wholeNumber,
} from '@causeway/service/configuration';
import {
  chainProfile,
  parseAmount,
  setAssets,
  type AddressBook,
  type Asset,
  type Environment,
  type TimingTerms,
} from '@causeway/protocol';
import { addressBookSchema, environmentSchema } from '@causeway/protocol/rest';
import { ADMIN_ROLES, type AdminRole } from '@causeway/protocol/admin';
import { isAddress, type Address } from 'viem';
import { z } from 'zod';

// The entry point `@causeway/chain/configuration`: the environment variables that several services share.

export { declareSigner } from './signers/signer-variables.js';

const URLS_RULE = 'must be http://, https://, ws:// or wss:// addresses, separated by commas';

const MIRRORS_RULE = 'must be http:// or https:// addresses of different hosts, separated by commas';

const SECONDS_RULE = 'must be a number of seconds above 0';
const blockSeconds = z
  .string(SECONDS_RULE)
  .transform(Number)
  .pipe(z.number(SECONDS_RULE).positive(SECONDS_RULE))
  .optional();

const nodeUrls = list(URLS_RULE, (url) => isUrl(url, ['http:', 'https:', 'ws:', 'wss:']));

/** The variables of every service. */
export const serviceVariables = z.object({
  ENVIRONMENT: z
    .enum(environmentSchema.options, 'must be local, testnet or mainnet')
    .meta({ description: 'Selects the chains and their defaults.', example: 'local' }),
  DATABASE_URL: postgresUrl.meta({
    description: 'PostgreSQL database of the bridge. Outside local, a remote host needs sslmode=verify-full.',
    isSecret: true,
    example: 'postgresql://user:password@localhost:5432/causeway',
  }),
  ETHEREUM_RPC_URLS: nodeUrls.meta({
    description:
      'JSON-RPC URLs of Ethereum nodes of different operators, the preferred one first. ' +
      'URLs with ws:// or wss:// announce new blocks and do not count as nodes. ' +
      'A URL can contain a key for its node, as in https://name:key@host.',
    isSecret: true,
    example: 'http://127.0.0.1:8545',
  }),
  PARTNER_RPC_URLS: nodeUrls.meta({
    description: 'JSON-RPC URLs of partner chain nodes, in the form of ETHEREUM_RPC_URLS.',
    isSecret: true,
    example: 'http://127.0.0.1:7546',
  }),
  ETHEREUM_QUORUM: wholeNumber(1)
    .optional()
    .describe(
      'Number of Ethereum nodes that must agree before money moves. ' +
        'Default: the majority, at least 2 (1 for a single node in the environment local).',
    ),
  PARTNER_QUORUM: wholeNumber(1)
    .optional()
    .describe('Number of partner chain nodes that must agree. Default as for ETHEREUM_QUORUM.'),
  MIRROR_URL: list(MIRRORS_RULE, (url) => isUrl(url, ['http:', 'https:']))
    .refine((urls) => new Set(urls.map((url) => URL.parse(url)?.host)).size === urls.length, MIRRORS_RULE)
    .optional()
    .meta({
      description:
        'URLs of mirror nodes of the partner chain, without /api/v1. A majority of them must give the same answer. ' +
        'They show payments by smart accounts; without one, only plain transfers count. A URL can contain a key.',
      isSecret: true,
    }),
  ADDRESS_BOOK: filePath('an address book (JSON)').meta({
    description: 'Address book that the deployment wrote.',
    example: 'contracts/deployments/local.json',
  }),
  HOLD_SECONDS: wholeNumber(0).optional().describe('Security hold of withdrawals, in seconds. Default: 3600.'),
  ETHEREUM_CONFIRMATIONS: wholeNumber(1).optional().describe('Confirmations before a deposit is final. Default: 12.'),
  PARTNER_CONFIRMATIONS: wholeNumber(1)
    .optional()
    .describe('Confirmations before a burn or transfer is final. Default: 6.'),
  ETHEREUM_BLOCK_SECONDS: blockSeconds.describe(
    'Seconds between blocks of Ethereum, for estimates and quoted end times. Default: 12.',
  ),
  PARTNER_BLOCK_SECONDS: blockSeconds.describe(
    'Seconds between blocks of the partner chain, for estimates and quoted end times. Default: 2.',
  ),
  LOG_LEVEL: logLevel.describe('Least severe level to log.'),
});

/** Returns the terms that decide how long a transfer takes: the given values, else the defaults of the environment. */
export function readTiming(values: z.infer<typeof serviceVariables>): TimingTerms {
  const { requiredConfirmations, holdSeconds, blockSeconds: usual } = chainProfile(values.ENVIRONMENT);
  return {
    ethereumConfirmations: values.ETHEREUM_CONFIRMATIONS ?? requiredConfirmations.ethereum,
    partnerConfirmations: values.PARTNER_CONFIRMATIONS ?? requiredConfirmations.partner,
    holdSeconds: values.HOLD_SECONDS ?? holdSeconds,
    blockSeconds: {
      ethereum: values.ETHEREUM_BLOCK_SECONDS ?? usual.ethereum,
      partner: values.PARTNER_BLOCK_SECONDS ?? usual.partner,
    },
  };
}

/** Hosts that mean this machine: loopback addresses and folders of Unix sockets. */
const THIS_MACHINE = /^(localhost$|127(\.\d{1,3}){3}$|\[?::1\]?$|\/|%2f)/i;

/**
 * Reads the connection string of the database. Outside `local` a server on another machine must prove its identity,
 * because it receives the password and every row.
 *
 * @throws ConfigurationError with one line for each problem, without the connection string.
 */
export function readDatabaseUrl({
  ENVIRONMENT: environment,
  DATABASE_URL: databaseUrl,
}: Readonly<Record<'ENVIRONMENT' | 'DATABASE_URL', string>>): string {
  const { hostname, searchParams } = new URL(databaseUrl);
  // As in the driver: the last parameter of a name wins, and the parameter `host` overrides the host of the URL.
  const find = (name: string) => searchParams.getAll(name).at(-1) ?? '';
  const problems = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => {
    const file = find(name);
    return file === '' || isReadable(file) ? [] : [`DATABASE_URL names the ${name} ${file}, which cannot be read`];
  });
  const isOpen = !THIS_MACHINE.test(find('host') || hostname) && find('sslmode') !== 'verify-full';
  if (environment !== 'local' && isOpen)
    problems.push(
      'DATABASE_URL must have sslmode=verify-full because its host is another machine: ' +
        'also add sslrootcert=<file> unless a public authority signed the certificate of the server',
    );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return databaseUrl;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const ALLOW_LIST_RULE = `must be members such as 0xabc…:admin, separated by commas, without duplicates, with a role of ${ADMIN_ROLES.join(', ')}`;

/** Root members of the admin API by lower-case address. No request can change them. */
export type AllowList = ReadonlyMap<Address, AdminRole>;

/** The variable ADMIN_ALLOW_LIST of the API and the relayer. */
export const allowListVariable = z
  .string(ALLOW_LIST_RULE)
  .transform((text, context): AllowList => {
    const members = new Map<Address, AdminRole>();
    for (const entry of text.split(',').map((each) => each.trim())) {
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
  .describe('Root members of the admin API, each as address:role. No request can change them.');

const AMOUNT_RULE = 'must be an amount such as 0.5';
const oneApproval = (asset: Asset) =>
  z
    .string(AMOUNT_RULE)
    .regex(/^\d{1,12}(\.\d{1,6})?$/, AMOUNT_RULE)
    .default('0')
    .transform((text) => parseAmount(asset, text))
    .describe(
      `Refunds of up to this many ${asset} need one approval, larger ones two. Only in the environment local, without attesters.`,
    );

/** The variables of the API and the relayer for refunds that need only one approval. */
export const oneApprovalVariables = {
  REFUND_ONE_APPROVAL_ETH: oneApproval('ETH'),
  REFUND_ONE_APPROVAL_USDC: oneApproval('USDC'),
  REFUND_ONE_APPROVAL_XCN: oneApproval('XCN'),
};

/**
 * Reads the amounts up to which a refund needs only one approval, in atomic units.
 *
 * @throws ConfigurationError if an amount is above 0 outside `local`.
 */
export function readOneApprovalUpTo(
  env: Readonly<Record<keyof typeof oneApprovalVariables, bigint>>,
  environment: Environment,
): Readonly<Record<Asset, bigint>> {
  const oneApprovalUpTo: Readonly<Record<Asset, bigint>> = {
    ETH: env.REFUND_ONE_APPROVAL_ETH,
    USDC: env.REFUND_ONE_APPROVAL_USDC,
    XCN: env.REFUND_ONE_APPROVAL_XCN,
  };
  const tooHigh =
    environment === 'local' ? [] : Object.keys(oneApprovalUpTo).filter((asset) => oneApprovalUpTo[asset] !== 0n);
  if (tooHigh.length === 0) return oneApprovalUpTo;
  throw new ConfigurationError(
    tooHigh.map(
      (asset) =>
        `REFUND_ONE_APPROVAL_${asset} is for the environment local only: unset it, because two members must approve`,
    ),
  );
}

/** The nodes of a chain for `connectChain`. */
export interface NodeConfiguration {
  /** HTTP URLs of distinct hosts. */
  readonly urls: readonly string[];
  /** WebSocket URLs, for new heads only. */
  readonly headUrls: readonly string[];
  /** The number of nodes that must agree. */
  readonly quorum: number;
  /** Warning for operators if a single node decides outside the environment `local`. */
  readonly warning: string | null;
}

/** Values of the variables about the nodes of both chains. */
interface NodeVariables {
  readonly ENVIRONMENT: Environment;
  readonly ETHEREUM_RPC_URLS: readonly string[];
  readonly PARTNER_RPC_URLS: readonly string[];
  readonly ETHEREUM_QUORUM?: number | undefined;
  readonly PARTNER_QUORUM?: number | undefined;
}

/**
 * Derives the nodes of one chain and how many of them must agree: the given number, else the majority, at least 2. A
 * single node decides alone only in the environment `local`, or if the quorum is explicitly 1.
 *
 * @throws ConfigurationError naming the variable, without the path of a URL.
 */
export function readNodes(variables: NodeVariables, chain: 'ETHEREUM' | 'PARTNER'): NodeConfiguration {
  const given = variables[`${chain}_RPC_URLS`];
  const isWebSocket = (url: string) => /^wss?:/i.test(url);
  const urls = given.filter((url) => !isWebSocket(url));
  if (urls.length === 0)
    throw new ConfigurationError([
      `${chain}_RPC_URLS must have an http:// or https:// address, which answers requests`,
    ]);
  const hosts = urls.map((url) => new URL(url).host);
  const repeated = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (repeated !== undefined)
    throw new ConfigurationError([
      `${chain}_RPC_URLS names ${repeated} twice, and one operator must not count as two nodes: remove one`,
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
      : `${chain}_QUORUM is 1: one lying node can make the bridge pay for a deposit that does not exist`;
  return { urls, headUrls: given.filter(isWebSocket), quorum, warning };
}

/**
 * Reads the address book and checks its environment and chain ids against the configured environment. Its assets become
 * the assets of this process.
 *
 * @throws ConfigurationError with one line that names ADDRESS_BOOK and the file.
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
      `ADDRESS_BOOK must be of the environment ${environment} (ENVIRONMENT), but ${path} is for ${book.environment}`,
    ]);
  }
  const { ethereumChainId, partnerChainId } = chainProfile(environment);
  if (book.ethereum.chainId === ethereumChainId && book.partner.chainId === partnerChainId) {
    setAssets(book.assets);
    return book;
  }
  throw new ConfigurationError([
    `ADDRESS_BOOK must have the chain ids of ${environment}, ${ethereumChainId} and ${partnerChainId}, but ${path} has ` +
      `${book.ethereum.chainId} and ${book.partner.chainId}`,
  ]);
}
