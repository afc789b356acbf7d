import { readFileSync } from 'node:fs';
import {
  addressBookSchema,
  chainProfile,
  environmentSchema,
  type AddressBook,
  type ChainProfile,
  type TimingTerms,
} from '@causeway/protocol';
import { z } from 'zod';

const urls = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));
const count = (least: number) => z.coerce.number().int().min(least);

/** The environment variables of the API. Each is read once, here. */
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
  /** Address to listen on. */
  HOST: z.string().default('127.0.0.1'),
  /** Port to listen on; 0 picks a free one. */
  PORT: count(0).default(3000),
  /** As the relayer's: the hold and the confirmations that are shown and estimated with. */
  HOLD_SECONDS: count(0).optional(),
  ETHEREUM_CONFIRMATIONS: count(1).optional(),
  PARTNER_CONFIRMATIONS: count(1).optional(),
  /** Seconds between blocks, for estimates; defaults from the profile. */
  ETHEREUM_BLOCK_SECONDS: z.coerce.number().positive().optional(),
  PARTNER_BLOCK_SECONDS: z.coerce.number().positive().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The API's configuration, checked. */
export interface Configuration {
  readonly profile: ChainProfile;
  readonly databaseUrl: string;
  readonly ethereumRpcUrls: readonly string[];
  readonly partnerRpcUrls: readonly string[];
  readonly addressBook: AddressBook;
  readonly host: string;
  readonly port: number;
  readonly timing: TimingTerms;
  readonly logLevel: string;
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws Error that names every variable that is missing or wrong.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const parsed = environmentVariables.safeParse(variables);
  if (!parsed.success) throw new Error(`The API's configuration is wrong:\n${z.prettifyError(parsed.error)}`);
  const env = parsed.data;
  const addressBook = addressBookSchema.parse(JSON.parse(readFileSync(env.ADDRESS_BOOK, 'utf8')));
  if (addressBook.environment !== env.ENVIRONMENT) {
    throw new Error(`ENVIRONMENT is ${env.ENVIRONMENT}, but ${env.ADDRESS_BOOK} is of ${addressBook.environment}`);
  }
  const profile = chainProfile(env.ENVIRONMENT);
  return {
    profile,
    databaseUrl: env.DATABASE_URL,
    ethereumRpcUrls: env.ETHEREUM_RPC_URLS,
    partnerRpcUrls: env.PARTNER_RPC_URLS,
    addressBook,
    host: env.HOST,
    port: env.PORT,
    timing: {
      ethereumConfirmations: env.ETHEREUM_CONFIRMATIONS ?? profile.requiredConfirmations.ethereum,
      partnerConfirmations: env.PARTNER_CONFIRMATIONS ?? profile.requiredConfirmations.partner,
      holdSeconds: env.HOLD_SECONDS ?? profile.holdSeconds,
      blockSeconds: {
        ethereum: env.ETHEREUM_BLOCK_SECONDS ?? profile.blockSeconds.ethereum,
        partner: env.PARTNER_BLOCK_SECONDS ?? profile.blockSeconds.partner,
      },
    },
    logLevel: env.LOG_LEVEL,
  };
}
