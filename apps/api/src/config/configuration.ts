import { readFileSync } from 'node:fs';
import {
  addressBookSchema,
  chainProfile,
  type AddressBook,
  type ChainProfile,
  type TimingTerms,
} from '@causeway/protocol';
import { readVariables } from './variables.js';

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

/** The configuration cannot be used. The message has one line for each problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super([...problems, 'Run with --help for a list of all variables.'].join('\n'), options);
  }
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws ConfigurationError that names every variable that is missing or wrong.
 */
export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const read = readVariables(env);
  if ('problems' in read) throw new ConfigurationError(read.problems);
  const { values } = read;
  const addressBook = readAddressBook(values.ADDRESS_BOOK);
  if (addressBook.environment !== values.ENVIRONMENT) {
    throw new ConfigurationError([
      `ADDRESS_BOOK must be of the environment ${values.ENVIRONMENT} (ENVIRONMENT), but ${values.ADDRESS_BOOK} is of ${addressBook.environment}`,
    ]);
  }
  const profile = chainProfile(values.ENVIRONMENT);
  return {
    profile,
    databaseUrl: values.DATABASE_URL,
    ethereumRpcUrls: values.ETHEREUM_RPC_URLS,
    partnerRpcUrls: values.PARTNER_RPC_URLS,
    addressBook,
    host: values.HOST,
    port: values.PORT,
    timing: {
      ethereumConfirmations: values.ETHEREUM_CONFIRMATIONS ?? profile.requiredConfirmations.ethereum,
      partnerConfirmations: values.PARTNER_CONFIRMATIONS ?? profile.requiredConfirmations.partner,
      holdSeconds: values.HOLD_SECONDS ?? profile.holdSeconds,
      blockSeconds: {
        ethereum: values.ETHEREUM_BLOCK_SECONDS ?? profile.blockSeconds.ethereum,
        partner: values.PARTNER_BLOCK_SECONDS ?? profile.blockSeconds.partner,
      },
    },
    logLevel: values.LOG_LEVEL,
  };
}

function readAddressBook(path: string): AddressBook {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ');
    throw new ConfigurationError([`ADDRESS_BOOK must be a readable JSON file, not ${path} (${reason})`], { cause });
  }
  const parsed = addressBookSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new ConfigurationError([
    `ADDRESS_BOOK must be an address book that the deployment wrote; in ${path} the field "${field}" is wrong: ${issue?.message}`,
  ]);
}
