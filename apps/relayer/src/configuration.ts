import {
  ConfigurationError,
  readAddressBook,
  readVariables,
  serviceVariables,
  wholeNumber,
} from '@causeway/chain/configuration';
import { chainProfile, type AddressBook } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';

const KEY_RULE = 'must be 0x and 64 hex digits';

/** Every environment variable of the relayer. */
export const relayerVariables = serviceVariables.extend({
  RELAYER_PRIVATE_KEY: z
    .string(KEY_RULE)
    .regex(/^0x[0-9a-fA-F]{64}$/, KEY_RULE)
    .transform((key) => key as Hex)
    .describe('Private key of the relayer wallet, 0x and 64 hex digits. Only in the environment local.'),
  POLL_MS: wholeNumber(50).default(1_000).describe('Pause between two runs of a stage, in milliseconds.'),
  LEASE_MS: wholeNumber(1_000)
    .default(15_000)
    .describe('How long the lease outlives its holder, in milliseconds. Then a standby takes over.'),
  REPLACE_AFTER_MS: wholeNumber(1_000)
    .default(60_000)
    .describe('Age at which a pending transaction is replaced with higher fees, in milliseconds.'),
  RETIRE_AFTER_MS: wholeNumber(0)
    .default(3_600_000)
    .describe('Age of a completed withdrawal at which its tokens are retired, in milliseconds.'),
  WORKING_BALANCE_XCN: wholeNumber(0)
    .default(10_000)
    .describe('XCN that the wallet keeps on the partner chain for gas. What final intents bring above it is swept.'),
  MAX_FEE_GWEI: wholeNumber(1).default(500).describe('Maximum fee per gas, in gwei.'),
});

/** The validated configuration of the relayer. Durations in the unit of the name. */
export interface Configuration {
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
  /** In 18-decimal units of XCN. */
  readonly workingBalance: bigint;
  readonly maxFeePerGas: bigint;
  readonly logLevel: string;
}

/**
 * Reads and validates the whole configuration.
 *
 * @throws ConfigurationError that names every variable that is missing or unusable, one line each.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const env = readVariables(relayerVariables, variables);
  const addressBook = readAddressBook(env.ADDRESS_BOOK, env.ENVIRONMENT);
  if (env.ENVIRONMENT !== 'local') {
    throw new ConfigurationError([
      'RELAYER_PRIVATE_KEY is for the environment local only, since a raw key in a variable is easily read: ' +
        'set ENVIRONMENT to local',
    ]);
  }
  const profile = chainProfile(env.ENVIRONMENT);
  return {
    databaseUrl: env.DATABASE_URL,
    ethereumRpcUrls: env.ETHEREUM_RPC_URLS,
    partnerRpcUrls: env.PARTNER_RPC_URLS,
    addressBook,
    relayerPrivateKey: env.RELAYER_PRIVATE_KEY,
    holdSeconds: env.HOLD_SECONDS ?? profile.holdSeconds,
    ethereumConfirmations: env.ETHEREUM_CONFIRMATIONS ?? profile.requiredConfirmations.ethereum,
    partnerConfirmations: env.PARTNER_CONFIRMATIONS ?? profile.requiredConfirmations.partner,
    pollMs: env.POLL_MS,
    leaseMs: env.LEASE_MS,
    replaceAfterMs: env.REPLACE_AFTER_MS,
    retireAfterMs: env.RETIRE_AFTER_MS,
    workingBalance: BigInt(env.WORKING_BALANCE_XCN) * 10n ** 18n,
    maxFeePerGas: BigInt(env.MAX_FEE_GWEI) * 1_000_000_000n,
    logLevel: env.LOG_LEVEL,
  };
}
