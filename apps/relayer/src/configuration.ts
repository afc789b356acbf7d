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
import { readRetention, retentionVariables, type RetentionSettings } from './retention-variables.js';

/** An amount such as 0.5. Eight decimals suffice for every native coin. */
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

/** The variables of the wallet's key. A web3signer signs transactions of one chain only. */
const walletSigner = declareSigner('RELAYER', {
  SIGNER_ETHEREUM_URL: 'remote: HTTPS address of the signer for Ethereum (eth_signTransaction, such as web3signer).',
  SIGNER_PARTNER_URL: 'remote: HTTPS address of the signer for the partner chain. One web3signer signs for one chain.',
});

/** Ten minutes: another relayer with this wallet would hardly send nothing for so long. */
const LEAST_QUIET_MS = 600_000;

/** Every environment variable of the relayer. */
export const relayerVariables = serviceVariables.extend({
  ...walletSigner.variables,
  ...approvalVariables,
  ...operatorVariables,
  FORMER_WALLETS: addresses().describe(
    'Addresses of former relayer wallets. Transfers that still arrive there are recorded, but pay for no withdrawal.',
  ),
  PAY_FOR_WALLETS: addresses().describe(
    'Former wallets whose unswept intents this wallet pays. Add one with a stolen key only after checking each intent.',
  ),
  POLL_MS: wholeNumber(50).default(1_000).describe('How often a stage runs when no event wakes it, in milliseconds.'),
  RELAYER_NAME: z
    .string(NAME_RULE)
    .regex(/^[\w.-]{1,63}$/, NAME_RULE)
    .optional()
    .describe('Name of this relayer in the lease, shown in the console. Default: the host name.'),
  LEASE_MS: wholeNumber(1_000)
    .default(6_000)
    .describe(
      'How long the lease stays valid after its last renewal, in milliseconds. Then a passive relayer takes over.',
    ),
  RECONCILE_QUIET_MS: wholeNumber(0)
    .default(LEAST_QUIET_MS)
    .describe(
      'How long the wallet must send no unknown transaction before `relayer reconcile finish`, in milliseconds. Less than ' +
        'ten minutes only in the environment local.',
    ),
  REPLACE_AFTER_MS: wholeNumber(1_000)
    .default(60_000)
    .describe('Age at which a pending transaction is replaced with higher fees, in milliseconds.'),
  RETIRE_AFTER_MS: wholeNumber(0)
    .default(3_600_000)
    .describe('Age of a completed withdrawal at which its tokens are retired, in milliseconds.'),
  WORKING_BALANCE_XCN: wholeNumber(0)
    .default(10_000)
    .describe('XCN that the wallet keeps on the partner chain for gas. Mints do not spend it.'),
  GAS_RESERVE_ETH: decimalAmount('0.1').describe(
    'ETH that the wallet keeps on Ethereum for gas. Calls with value do not spend it.',
  ),
  MAX_FEE_GWEI: wholeNumber(1).default(500).describe('Maximum fee per gas, in gwei.'),
  MAX_FEE_PER_DELIVERY_ETH: decimalAmount('0.1').describe(
    'Maximum gas fee of a delivery to Ethereum at its gas limit, in ETH. In a batch the limit applies per delivery.',
  ),
  MAX_FEE_PER_DELIVERY_XCN: decimalAmount('100').describe(
    'Maximum gas fee of a delivery to the partner chain at its gas limit, in XCN. In a batch the limit applies per delivery.',
  ),
  MAX_DAILY_FEES_ETH: decimalAmount('10').describe(
    'Maximum gas fees in any 24 hours on Ethereum, in ETH: fees paid, plus the most that pending calls can cost.',
  ),
  MAX_DAILY_FEES_XCN: decimalAmount('10000').describe(
    'Maximum gas fees in any 24 hours on the partner chain, in XCN: fees paid, plus the most that pending calls can cost.',
  ),
  ...exchangeVariables,
  ...notificationVariables,
  ...retentionVariables,
  ...metricsVariables,
  ...tracingVariables('causeway-relayer'),
});

/** The validated configuration of the relayer. */
export interface Configuration extends TimingTerms {
  readonly environment: Environment;
  readonly databaseUrl: string;
  readonly ethereumNodes: NodeConfiguration;
  readonly partnerNodes: NodeConfiguration;
  /** Mirror nodes of the partner chain. Empty: the relayer reads no call trees. */
  readonly mirrorUrls: readonly string[];
  readonly addressBook: AddressBook;
  /** The relayer wallet and former wallets; arrivals at each are recorded. Lower-case. */
  readonly wallets: readonly Address[];
  /** The former wallets whose unswept intents this wallet pays. Lower-case. */
  readonly paidForWallets: readonly Address[];
  /** Where the key of the relayer wallet is stored. */
  readonly signer: SignerSettings;
  /** Whose signatures count for operators' requests. */
  readonly approvals: ApprovalPolicy;
  readonly pollMs: number;
  /** Shown to operators; identifies this process. */
  readonly name: string;
  readonly leaseMs: number;
  /** How long the wallet must send no unknown transaction before a reconciliation ends. */
  readonly reconcileQuietMs: number;
  readonly replaceAfterMs: number;
  readonly retireAfterMs: number;
  /** The spending limits of the wallet on each chain, in wei of its RPC. */
  readonly spendingLimits: Readonly<Record<Side, SpendingLimits>>;
  /** Where attesters connect. Null: no listener. */
  readonly exchange: ExchangeSettings | null;
  readonly notifications: NotificationSettings;
  readonly retention: RetentionSettings;
  /** Where `/metrics` is served. Null: not served. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where traces are sent. Null: no tracing. */
  readonly tracing: TracingOptions | null;
  readonly logLevel: string;
}

/**
 * Reads and validates the whole configuration.
 *
 * @throws ConfigurationError with a line for every variable that is missing or invalid.
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
    approvals: () => readApprovals(env, profile),
    exchange: () => readExchangeSettings(env, env.ENVIRONMENT),
    notifications: () => readNotificationSettings(env, env.ENVIRONMENT),
    reconcileQuietMs: () => readReconcileQuiet(env),
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
    retention: readRetention(env),
    metrics: metricsAddress(env),
    tracing: readTracing(env),
    logLevel: env.LOG_LEVEL,
  };
}

/** @throws ConfigurationError when a refund with one approval would wait forever for attesters, who require two. */
function readApprovals(env: z.output<typeof relayerVariables>, profile: ChainProfile): ApprovalPolicy {
  const policy = readApprovalPolicy(env, profile);
  if (env.ATTEST_PORT !== undefined && Object.values(policy.oneApprovalUpTo).some((most) => most > 0n))
    throw new ConfigurationError([
      'REFUND_ONE_APPROVAL_* must be 0 while ATTEST_PORT is set: attesters require two approvals',
    ]);
  return policy;
}

/** @throws ConfigurationError when it is too short for a bridge that people use. */
function readReconcileQuiet({ ENVIRONMENT, RECONCILE_QUIET_MS: ms }: z.output<typeof relayerVariables>): number {
  if (ms >= LEAST_QUIET_MS || ENVIRONMENT === 'local') return ms;
  throw new ConfigurationError([`RECONCILE_QUIET_MS must be at least ${LEAST_QUIET_MS} in ${ENVIRONMENT}`]);
}
