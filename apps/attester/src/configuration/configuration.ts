import { readAddressBook } from '@causeway/chain/configuration';
import { readNamedNodes, type NamedNodes } from '@causeway/chain/named-nodes';
import type { SignerSettings } from '@causeway/chain/signers';
import { ConfigurationError, readEach, readVariables } from '@causeway/service/configuration';
import { metricsAddress } from '@causeway/service/http';
import { chainProfile, listAssets, parseAmount, type AddressBook, type Environment } from '@causeway/protocol';
import { readSettings, type Side, type VerifierSettings } from '@causeway/verifier';
import type { Address } from 'viem';
import type { z } from 'zod';
import { attesterSigner, attesterVariables, LEAST_NODES } from './variables.js';

/** The attester's own limits of an asset, in atomic units. */
export interface AssetLimits {
  readonly hour: bigint;
  readonly delivery: bigint;
}

/** The checked configuration. */
export interface Configuration {
  readonly environment: Environment;
  readonly addressBook: AddressBook;
  readonly verifier: VerifierSettings;
  readonly address: Address;
  readonly signer: SignerSettings;
  readonly chains: Readonly<Record<Side, NamedNodes>>;
  readonly exchangeUrls: readonly string[];
  readonly dataDirectory: string;
  /** By symbol. An asset without an entry, possible only in `local`, has no limit. */
  readonly limits: ReadonlyMap<string, AssetLimits>;
  readonly validitySeconds: number;
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly logLevel: string;
}

type Variables = z.output<typeof attesterVariables>;

/** The longest validity that the contracts accept (Attestations.sol). */
const LONGEST_VALIDITY_SECONDS = 600;
/** Hosts of this machine. */
const THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads and checks the whole configuration.
 *
 * @throws ConfigurationError that names every missing or unusable variable, one line each.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const env = readVariables(attesterVariables, variables);
  const profile = chainProfile(env.ENVIRONMENT);
  const { addressBook, ...parts } = readEach({
    addressBook: () => readAddressBook(env.ADDRESS_BOOK, env.ENVIRONMENT),
    ethereum: () => readNamedNodes(env, 'ETHEREUM', LEAST_NODES),
    partner: () => readNamedNodes(env, 'PARTNER', LEAST_NODES),
    signer: () => attesterSigner.read(env, profile),
    exchangeUrls: () => readExchanges(env),
    validitySeconds: () => readValidity(env),
    operatorsNeeded: () => readOperatorsNeeded(env),
  });
  const { ethereum, partner, signer, exchangeUrls, validitySeconds, operatorsNeeded } = parts;
  return {
    environment: env.ENVIRONMENT,
    addressBook,
    verifier: readSettings(addressBook, {
      holdSeconds: env.HOLD_SECONDS ?? profile.holdSeconds,
      operators: { addresses: env.OPERATORS, needed: operatorsNeeded },
    }),
    address: env.ATTESTER_ADDRESS,
    signer,
    chains: { ethereum, partner },
    exchangeUrls,
    dataDirectory: env.DATA_DIRECTORY,
    limits: readLimits(env),
    validitySeconds,
    metrics: metricsAddress(env),
    logLevel: env.LOG_LEVEL,
  };
}

function readExchanges({ ENVIRONMENT, EXCHANGE_URLS }: Variables): readonly string[] {
  const isOpen = (url: string) => {
    const { protocol, hostname } = new URL(url);
    return protocol === 'http:' && !THIS_MACHINE.test(hostname);
  };
  if (ENVIRONMENT !== 'local' && EXCHANGE_URLS.some(isOpen))
    throw new ConfigurationError(['EXCHANGE_URLS must be https:// addresses: http:// is for this machine only']);
  return EXCHANGE_URLS;
}

function readValidity({ ENVIRONMENT, ATTEST_VALIDITY_SECONDS: seconds }: Variables): number {
  if (ENVIRONMENT !== 'local' && seconds !== undefined)
    throw new ConfigurationError(['ATTEST_VALIDITY_SECONDS is for the environment local only: unset it']);
  return seconds ?? LONGEST_VALIDITY_SECONDS;
}

function readOperatorsNeeded({ ENVIRONMENT, OPERATORS, OPERATORS_NEEDED: needed }: Variables): number {
  if (ENVIRONMENT !== 'local' && needed < 2)
    throw new ConfigurationError(['OPERATORS_NEEDED must be at least 2 outside local']);
  if (needed > OPERATORS.length)
    throw new ConfigurationError([`OPERATORS_NEEDED is ${needed}, but OPERATORS has ${OPERATORS.length}`]);
  return needed;
}

/** Call after reading the address book, which defines the assets. */
function readLimits(env: Variables): ReadonlyMap<string, AssetLimits> {
  const problems: string[] = [];
  const read = (name: 'LIMITS_PER_HOUR' | 'LIMITS_PER_DELIVERY') => {
    const given = env[name] ?? new Map<string, string>();
    const amounts = new Map<string, bigint>();
    for (const [symbol, text] of given) {
      if (!listAssets().includes(symbol)) {
        problems.push(`${name} names ${symbol}, which ADDRESS_BOOK does not have`);
        continue;
      }
      try {
        amounts.set(symbol, parseAmount(symbol, text));
      } catch (error) {
        problems.push(`${name}, ${symbol}: ${(error as Error).message}`);
      }
    }
    const missing = listAssets().filter((symbol) => !given.has(symbol));
    if (env.ENVIRONMENT !== 'local' && missing.length > 0)
      problems.push(`${name} must have a limit of each asset outside local: ${missing.join(', ')} is missing`);
    return amounts;
  };
  const [hour, delivery] = [read('LIMITS_PER_HOUR'), read('LIMITS_PER_DELIVERY')];
  const isHalf = hour.size !== delivery.size || [...hour.keys()].some((symbol) => !delivery.has(symbol));
  if (problems.length === 0 && isHalf)
    problems.push('LIMITS_PER_HOUR and LIMITS_PER_DELIVERY must name the same assets');
  if (problems.length > 0) throw new ConfigurationError(problems);
  return new Map([...hour].map(([symbol, most]) => [symbol, { hour: most, delivery: delivery.get(symbol) ?? 0n }]));
}
