import { hostname } from 'node:os';
import {
  declareSigner,
  readAddressBook,
  readDatabaseUrl,
  readNodes,
  readTiming,
  serviceVariables,
  type NodeConfiguration,
} from '@causeway/chain/configuration';
import type { SignerSettings, SpendingLimits } from '@causeway/chain';
import { ConfigurationError, list, readEach, readVariables, wholeNumber } from '@causeway/service/configuration';
import {
  metricsAddress,
  metricsVariables,
  readTracing,
  tracingVariables,
  type TracingOptions,
} from '@causeway/service/http';
import {
  chainProfile,
  parseAmount,
  type AddressBook,
  type ChainProfile,
  type Environment,
  type Side,
  type TimingTerms,
} from '@causeway/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import { approvalVariables, operatorVariables, readApprovalPolicy, type ApprovalPolicy } from './approval-variables.js';
import { exchangeVariables, readExchangeSettings, type ExchangeSettings } from './exchange-variables.js';
import {
  notificationVariables,
  readNotificationSettings,
  type NotificationSettings,
} from './notification-variables.js';
import { pauserVariables, readPauserSettings, type PauserSettings } from './pauser-variables.js';

/** An amount such as 0.5. Eight digits after the point fit every native coin. */
function decimalAmount(byDefault: string) {
  const rule = `must be an amount such as ${byDefault}`;
  return z
    .string(rule)
    .regex(/^\d{1,12}(\.\d{1,8})?$/, rule)
    .default(byDefault);
}

const addresses = () =>
  list('must be addresses, separated by commas', (address) => /^0x[0-9a-fA-F]{40}$/.test(address))
    .transform((items) => items.map((address) => address.toLowerCase() as Address))
    .optional();
const NAME_RULE = 'must have 1 to 63 letters, digits, dots, hyphens and underscores';

/** Where the key of the wallet is. A web3signer signs transactions of one chain. */
const walletSigner = declareSigner('RELAYER', {
  SIGNER_ETHEREUM_URL: 'remote: HTTPS address of the signer for Ethereum (eth_signTransaction, as web3signer).',
  SIGNER_PARTNER_URL: 'remote: the same for the partner chain. A web3signer signs for one chain.',
});

/** Every environment variable of the relayer. */
export const relayerVariables = serviceVariables.extend({
  ...walletSigner.variables,
  ...pauserVariables,
  ...approvalVariables,
  ...operatorVariables,
  FORMER_WALLETS: addresses().describe(
    'Addresses of former relayer wallets. What still arrives there is recorded, and pays nothing.',
  ),
  PAY_FOR_WALLETS: addresses().describe(
    'Those of them whose unswept intents this wallet pays for. One with a stolen key: after a look at each intent.',
  ),
  POLL_MS: wholeNumber(50)
    .default(1_000)
    .describe('Period after which a stage runs that nothing has woken, in milliseconds.'),
  RELAYER_NAME: z
    .string(NAME_RULE)
    .regex(/^[\w.-]{1,63}$/, NAME_RULE)
    .optional()
    .describe("Name of this relayer in the lease, as the console shows its holder. Without it the host's name."),
  LEASE_MS: wholeNumber(1_000)
    .default(6_000)
    .describe('How long the lease outlives its holder, in milliseconds. Then a passive relayer takes over.'),
  REPLACE_AFTER_MS: wholeNumber(1_000)
    .default(60_000)
    .describe('Age at which a pending transaction is replaced with higher fees, in milliseconds.'),
  RETIRE_AFTER_MS: wholeNumber(0)
    .default(3_600_000)
    .describe('Age of a completed withdrawal at which its tokens are retired, in milliseconds.'),
  WORKING_BALANCE_XCN: wholeNumber(0)
    .default(10_000)
    .describe('XCN that the wallet keeps on the partner chain for gas: no mint takes it.'),
  GAS_RESERVE_ETH: decimalAmount('0.1').describe(
    'ETH that the wallet keeps on Ethereum for gas: no call with value takes it.',
  ),
  MAX_FEE_GWEI: wholeNumber(1).default(500).describe('Maximum fee per gas, in gwei.'),
  MAX_FEE_PER_DELIVERY_ETH: decimalAmount('0.1').describe(
    'Maximum gas fee of a delivery to Ethereum, in ETH, at its gas limit. A batch may cost so much for each delivery.',
  ),
  MAX_FEE_PER_DELIVERY_XCN: decimalAmount('100').describe(
    'Maximum gas fee of a delivery to the partner chain, in XCN, likewise.',
  ),
  MAX_DAILY_FEES_ETH: decimalAmount('10').describe(
    'Maximum gas fees of any 24 hours on Ethereum, in ETH: paid ones, and the most that calls in flight can cost.',
  ),
  MAX_DAILY_FEES_XCN: decimalAmount('10000').describe(
    'Maximum gas fees of any 24 hours on the partner chain, in XCN, likewise.',
  ),
  ...exchangeVariables,
  ...notificationVariables,
  ...metricsVariables,
  ...tracingVariables('causeway-relayer'),
});

/** The validated configuration of the relayer. Durations in the unit of the name. */
export interface Configuration extends TimingTerms {
  readonly environment: Environment;
  readonly databaseUrl: string;
  readonly ethereumNodes: NodeConfiguration;
  readonly partnerNodes: NodeConfiguration;
  /** Mirror nodes of the partner chain; empty when call trees are not read. */
  readonly mirrorUrls: readonly string[];
  readonly addressBook: AddressBook;
  /** The relayer wallet, and former ones, whose arrivals are recorded. Lower-case. */
  readonly wallets: readonly Address[];
  /** The former wallets whose unswept intents this one pays for. Lower-case. */
  readonly paidForWallets: readonly Address[];
  /** Where the key of the relayer wallet is. */
  readonly signer: SignerSettings;
  /** Where the pauser's key is. Null: the watch halts the deliveries of this relayer, and pauses no contract. */
  readonly pauser: PauserSettings | null;
  /** Whose signatures count for the requests of operators. */
  readonly approvals: ApprovalPolicy;
  readonly pollMs: number;
  /** Of this process, for people. */
  readonly name: string;
  readonly leaseMs: number;
  readonly replaceAfterMs: number;
  readonly retireAfterMs: number;
  /** The spending limits of the wallet on each chain, in wei of its RPC. */
  readonly spendingLimits: Readonly<Record<Side, SpendingLimits>>;
  /** Where attesters dial; null for nowhere. */
  readonly exchange: ExchangeSettings | null;
  /** Where notifications go. */
  readonly notifications: NotificationSettings;
  /** Where `/metrics` is served; null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where traces go; null for nowhere. */
  readonly tracing: TracingOptions | null;
  readonly logLevel: string;
}

/**
 * Reads and validates the whole configuration.
 *
 * @throws ConfigurationError that names every variable that is missing or unusable, one line each.
 */
export function readConfiguration(variables: NodeJS.ProcessEnv): Configuration {
  const env = readVariables(relayerVariables, variables);
  const profile = chainProfile(env.ENVIRONMENT);
  const parts = readEach({
    databaseUrl: () => readDatabaseUrl(env),
    addressBook: () => readAddressBook(env.ADDRESS_BOOK, env.ENVIRONMENT),
    ethereumNodes: () => readNodes(env, 'ETHEREUM'),
    partnerNodes: () => readNodes(env, 'PARTNER'),
    signer: () => walletSigner.read(env, profile),
    pauser: () => readPauserSettings(env, profile),
    approvals: () => readApprovals(env, profile),
    exchange: () => readExchangeSettings(env, env.ENVIRONMENT),
    notifications: () => readNotificationSettings(env, env.ENVIRONMENT),
  });
  const maxFeePerGas = BigInt(env.MAX_FEE_GWEI) * 1_000_000_000n;
  return {
    ...parts,
    environment: env.ENVIRONMENT,
    mirrorUrls: env.MIRROR_URL ?? [],
    wallets: [...new Set([parts.addressBook.relayer.toLowerCase() as Address, ...(env.FORMER_WALLETS ?? [])])],
    paidForWallets: env.PAY_FOR_WALLETS ?? [],
    ...readTiming(env),
    pollMs: env.POLL_MS,
    name: env.RELAYER_NAME ?? hostname(),
    leaseMs: env.LEASE_MS,
    replaceAfterMs: env.REPLACE_AFTER_MS,
    retireAfterMs: env.RETIRE_AFTER_MS,
    spendingLimits: {
      ethereum: {
        gasReserve: parseAmount('ETH', env.GAS_RESERVE_ETH),
        maxFeePerGas,
        maxFeePerDelivery: parseAmount('ETH', env.MAX_FEE_PER_DELIVERY_ETH),
        maxDailyFees: parseAmount('ETH', env.MAX_DAILY_FEES_ETH),
      },
      partner: {
        gasReserve: BigInt(env.WORKING_BALANCE_XCN) * 10n ** 18n,
        maxFeePerGas,
        maxFeePerDelivery: parseAmount('XCN', env.MAX_FEE_PER_DELIVERY_XCN),
        maxDailyFees: parseAmount('XCN', env.MAX_DAILY_FEES_XCN),
      },
    },
    metrics: metricsAddress(env),
    tracing: readTracing(env),
    logLevel: env.LOG_LEVEL,
  };
}

/** @throws ConfigurationError when a refund with one approval would wait for attesters, who want two, for ever. */
function readApprovals(env: z.output<typeof relayerVariables>, profile: ChainProfile): ApprovalPolicy {
  const policy = readApprovalPolicy(env, profile);
  if (env.ATTEST_PORT !== undefined && Object.values(policy.oneApprovalUpTo).some((most) => most > 0n))
    throw new ConfigurationError(['REFUND_ONE_APPROVAL_* must be 0 while ATTEST_PORT is set: attesters want two']);
  return policy;
}
