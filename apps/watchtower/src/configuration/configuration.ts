import { readAddressBook } from '@causeway/chain/configuration';
import { readNamedNodes, type NamedNodes } from '@causeway/chain/named-nodes';
import { chainProfile, type AddressBook, type Environment } from '@causeway/protocol';
import { readEach, readVariables } from '@causeway/service/configuration';
import { metricsAddress } from '@causeway/service/http';
import { readSettings, type Side, type VerifierSettings } from '@causeway/verifier';
import type { Address } from 'viem';
import { readPauserSettings, type PauserSettings } from './pauser-variables.js';
import { LEAST_NODES, watchtowerVariables } from './variables.js';

/** The checked configuration. */
export interface Configuration {
  readonly environment: Environment;
  readonly addressBook: AddressBook;
  readonly verifier: VerifierSettings;
  readonly pauser: PauserSettings;
  readonly chains: Readonly<Record<Side, NamedNodes>>;
  /** The contracts through which the pauser pauses. */
  readonly sentinels: Readonly<Record<Side, Address>>;
  /** How far nodes of a chain can lag and still know each operation whose delivery was honest. */
  readonly lagSeconds: Readonly<Record<Side, bigint>>;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  readonly dataDirectory: string;
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly logLevel: string;
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws ConfigurationError that names every missing or unusable variable, one line each.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const env = readVariables(watchtowerVariables, variables);
  const { addressBook, ethereum, partner, pauser } = readEach({
    addressBook: () => readAddressBook(env.ADDRESS_BOOK, env.ENVIRONMENT),
    ethereum: () => readNamedNodes(env, 'ETHEREUM', LEAST_NODES),
    partner: () => readNamedNodes(env, 'PARTNER', LEAST_NODES),
    pauser: () => readPauserSettings(env, env.ENVIRONMENT),
  });
  const { blockSeconds } = chainProfile(env.ENVIRONMENT);
  // Half of it, since block times vary and the clocks of the chains differ.
  const lagSeconds = (side: Side, { confirmations }: NamedNodes) =>
    BigInt(Math.floor(((confirmations - 1) * blockSeconds[side]) / 2));
  return {
    environment: env.ENVIRONMENT,
    addressBook,
    verifier: readSettings(addressBook, {
      holdSeconds: chainProfile(env.ENVIRONMENT).holdSeconds,
      // The watchtower judges no refund approvals: operators sign them off the chain.
      operators: { addresses: [], needed: 0 },
    }),
    pauser,
    chains: { ethereum, partner },
    sentinels: { ethereum: addressBook.ethereum.sentinel, partner: addressBook.partner.sentinel },
    lagSeconds: { ethereum: lagSeconds('ethereum', ethereum), partner: lagSeconds('partner', partner) },
    maxFeePerGas: BigInt(env.MAX_FEE_GWEI) * 1_000_000_000n,
    dataDirectory: env.DATA_DIRECTORY,
    metrics: metricsAddress(env),
    logLevel: env.LOG_LEVEL,
  };
}
