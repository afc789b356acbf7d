import { readFileSync } from 'node:fs';
import { addressBookSchema, chainProfile, type AddressBook, type Environment } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import { parseEnvironment } from './environment.js';

/** The validated configuration of the relayer. Durations in the unit of the name. */
export interface Configuration {
  readonly environment: Environment;
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
 * Reads and validates the whole configuration.
 *
 * @throws Error that names every variable that is missing or unusable, one line each.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const env = parseEnvironment(variables);
  const addressBook = readAddressBook(env.ADDRESS_BOOK);
  if (addressBook.environment !== env.ENVIRONMENT) {
    throw new Error(
      `ENVIRONMENT is ${env.ENVIRONMENT}, but ADDRESS_BOOK (${env.ADDRESS_BOOK}) is of ${addressBook.environment}: ` +
        'make them the same',
    );
  }
  if (env.ENVIRONMENT !== 'local') {
    throw new Error(
      'RELAYER_PRIVATE_KEY is for the local profile only, since a raw key in the environment is easily read: ' +
        'set ENVIRONMENT to local',
    );
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

function readAddressBook(path: string): AddressBook {
  const howTo = 'point ADDRESS_BOOK to the file that the deployment wrote';
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`ADDRESS_BOOK (${path}) cannot be read: ${reason}; ${howTo}`, { cause: error });
  }
  const parsed = addressBookSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ');
  throw new Error(`ADDRESS_BOOK (${path}) is not an address book: ${problems}; ${howTo}`);
}
