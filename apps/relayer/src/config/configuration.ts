import { readFileSync } from 'node:fs';
import { addressBookSchema, chainProfile, environmentSchema, type AddressBook } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';

const urls = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));
const count = (least: number) => z.coerce.number().int().min(least);

/** The environment variables of the relayer. Each is read once, here. */
const environmentVariables = z.object({
  /** Which profile of chains and defaults applies: local, testnet or mainnet. */
  ENVIRONMENT: environmentSchema,
  /** PostgreSQL connection string. */
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// connection string'),
  /** JSON-RPC addresses of Ethereum nodes, separated by commas; the first that answers is used. */
  ETHEREUM_RPC_URLS: urls,
  /** JSON-RPC addresses of partner-chain nodes, likewise. */
  PARTNER_RPC_URLS: urls,
  /** Path of the address book that the deployment wrote. */
  ADDRESS_BOOK: z.string().min(1),
  /** The relayer wallet's key, 0x and 64 hex digits. Only in the local profile. */
  RELAYER_PRIVATE_KEY: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'),
  /** Security hold of withdrawals in seconds; default from the profile (3600). */
  HOLD_SECONDS: count(0).optional(),
  /** Confirmations before a deposit is final; default from the profile (12). */
  ETHEREUM_CONFIRMATIONS: count(1).optional(),
  /** Confirmations before a burn or transfer is final; default from the profile (6). */
  PARTNER_CONFIRMATIONS: count(1).optional(),
  /** Pause between two runs of a stage, in milliseconds. */
  POLL_MS: count(50).default(1_000),
  /** How long the lease outlives its holder, in milliseconds: a stand-by takes over after this. */
  LEASE_MS: count(1_000).default(15_000),
  /** After how long an unmined transaction is replaced with higher fees, in milliseconds. */
  REPLACE_AFTER_MS: count(1_000).default(60_000),
  /** How long a completed withdrawal waits at least until what it handed in is retired, in milliseconds. */
  RETIRE_AFTER_MS: count(0).default(3_600_000),
  /** The most the relayer ever pays per gas, in gwei. */
  MAX_FEE_GWEI: count(1).default(500),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The relayer's configuration, checked. Durations in the unit of the name. */
export interface Configuration {
  readonly environment: z.infer<typeof environmentSchema>;
  readonly databaseUrl: string;
  readonly ethereumRpcUrls: readonly string[];
  readonly partnerRpcUrls: readonly string[];
  readonly addressBook: AddressBook;
  readonly relayerPrivateKey: Hex;
  readonly holdSeconds: number;
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly replaceAfterMs: number;
  readonly retireAfterMs: number;
  readonly maxFeePerGas: bigint;
  readonly logLevel: string;
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws Error that names every variable that is missing or wrong.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const parsed = environmentVariables.safeParse(variables);
  if (!parsed.success) throw new Error(`The relayer's configuration is wrong:\n${z.prettifyError(parsed.error)}`);
  const env = parsed.data;
  const addressBook = addressBookSchema.parse(JSON.parse(readFileSync(env.ADDRESS_BOOK, 'utf8')));
  if (addressBook.environment !== env.ENVIRONMENT) {
    throw new Error(`ENVIRONMENT is ${env.ENVIRONMENT}, but ${env.ADDRESS_BOOK} is of ${addressBook.environment}`);
  }
  if (env.ENVIRONMENT !== 'local') {
    throw new Error('RELAYER_PRIVATE_KEY is for the local profile only: a raw key in the environment is easily read');
  }
  const profile = chainProfile(env.ENVIRONMENT);
  return {
    environment: env.ENVIRONMENT,
    databaseUrl: env.DATABASE_URL,
    ethereumRpcUrls: env.ETHEREUM_RPC_URLS,
    partnerRpcUrls: env.PARTNER_RPC_URLS,
    addressBook,
    relayerPrivateKey: env.RELAYER_PRIVATE_KEY as Hex,
    holdSeconds: env.HOLD_SECONDS ?? profile.holdSeconds,
    ethereumConfirmations: env.ETHEREUM_CONFIRMATIONS ?? profile.requiredConfirmations.ethereum,
    partnerConfirmations: env.PARTNER_CONFIRMATIONS ?? profile.requiredConfirmations.partner,
    pollMs: env.POLL_MS,
    leaseMs: env.LEASE_MS,
    replaceAfterMs: env.REPLACE_AFTER_MS,
    retireAfterMs: env.RETIRE_AFTER_MS,
    maxFeePerGas: BigInt(env.MAX_FEE_GWEI) * 1_000_000_000n,
    logLevel: env.LOG_LEVEL,
  };
}
