import {
  oneApprovalVariables,
  readAddressBook,
  readDatabaseUrl,
  readNodes,
  readOneApprovalUpTo,
  readTiming,
  serviceVariables,
  type NodeConfiguration,
} from '@causeway/chain/configuration';
import {
  docsUrl,
  filePath,
  isOrigin,
  isUrl,
  listenHost,
  listenPort,
  optionalList,
  parseEndpoint,
  readEach,
  readVariables,
  wholeNumber,
} from '@causeway/service/configuration';
import {
  metricsAddress,
  metricsVariables,
  publicServerVariables,
  readTracing,
  tracingVariables,
  type TracingOptions,
} from '@causeway/service/http';
import {
  chainProfile,
  type AddressBook,
  type Asset,
  type ChainProfile,
  type Side,
  type TimingTerms,
} from '@causeway/protocol';
import { z } from 'zod';
import { adminVariables, readAdminConfiguration, type AdminConfiguration } from './admin-variables.js';

const DAY_MS = 86_400_000;

const MOST_REQUESTS = 1_000_000_000;
const ORIGIN_RULE = 'must be an origin such as https://bridge.example';
const URLS_RULE = 'must be http:// or https:// addresses without credentials, separated by commas';

/** Addresses that wallets of users call, for `GET /bridge/config`. */
const publicUrls = optionalList(
  URLS_RULE,
  (url) => isUrl(url, ['http:', 'https:']) && parseEndpoint(url).headers['authorization'] === undefined,
);

/** Every environment variable of the API. */
export const apiVariables = serviceVariables.extend({
  HOST: listenHost.describe('Address to listen on.'),
  PORT: listenPort.default(3_000).describe('Port to listen on; 0 picks a free one.'),
  PUBLIC_ORIGIN: z
    .string(ORIGIN_RULE)
    .refine(isOrigin, ORIGIN_RULE)
    .optional()
    .describe(
      'Origin under which clients reach the API, for its OpenAPI document. Default: http:// with HOST and PORT.',
    ),
  DOCS_URL: docsUrl,
  PUBLIC_ETHEREUM_RPC_URLS: publicUrls.describe(
    'JSON-RPC of Ethereum that wallets may add. Without it they are offered none.',
  ),
  PUBLIC_PARTNER_RPC_URLS: publicUrls.describe(
    'JSON-RPC of the partner chain that wallets may add. Without it they are offered none.',
  ),
  ETHEREUM_EXPLORER_URLS: publicUrls.describe('Explorers of Ethereum for wallets.'),
  PARTNER_EXPLORER_URLS: publicUrls.describe('Explorers of the partner chain for wallets.'),
  DOCS_FOLDER: filePath('the built documentation')
    .optional()
    .describe('Folder of the built documentation (docs/site/dist), served at /docs. Default: not served.'),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, MOST_REQUESTS)
    .default(20)
    .describe('Requests a second and client, in bursts of twice as many; 0 for no limit.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, MOST_REQUESTS)
    .default(600)
    .describe('Requests a minute and client; 0 for no limit.'),
  RATE_LIMIT_INTENTS_PER_MINUTE: wholeNumber(0, MOST_REQUESTS)
    .default(30)
    .describe('Accepted withdraw intents a minute and client; 0 for no limit.'),
  MAX_OPEN_INTENTS_PER_CLIENT: wholeNumber(1)
    .default(1_000)
    .describe('Open withdraw intents of one client address. A sender has at most 100 of them.'),
  EVENT_STREAMS_PER_CLIENT: wholeNumber(0, MOST_REQUESTS)
    .default(10)
    .describe('Open event streams of a client in this process; 0 for no limit.'),
  EVENT_HEARTBEAT_MS: wholeNumber(100, DAY_MS)
    .default(15_000)
    .describe('Time between heartbeats of an event stream, in milliseconds. Shorter than idle timeouts of proxies.'),
  ...publicServerVariables,
  ...adminVariables,
  ...oneApprovalVariables,
  ...metricsVariables,
  ...tracingVariables('causeway-api'),
  REQUEST_TIMEOUT_MS: wholeNumber(100, DAY_MS)
    .default(10_000)
    .describe('How long a request may take to arrive, with its body, in milliseconds.'),
  HTTP_IDLE_TIMEOUT_MS: wholeNumber(100, DAY_MS)
    .default(72_000)
    .describe('How long a connection may be silent, in milliseconds. Longer than in proxies before the API.'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, DAY_MS)
    .default(5_000)
    .describe('How long the API still serves after SIGTERM, not ready any more, for load balancers to notice.'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, DAY_MS)
    .default(10_000)
    .describe('How long requests that run after that may take, in milliseconds.'),
});

/** The API's configuration, checked. */
export interface Configuration {
  readonly databaseUrl: string;
  readonly ethereumNodes: NodeConfiguration;
  readonly partnerNodes: NodeConfiguration;
  /** Mirror nodes of the partner chain; empty when call trees are not read. */
  readonly mirrorUrls: readonly string[];
  readonly addressBook: AddressBook;
  readonly host: string;
  readonly port: number;
  /** Under which clients reach the API, such as https://bridge.example. */
  readonly publicOrigin: string;
  /** Where links of errors and alerts lead: see `linkToDocs`. */
  readonly docsUrl: string;
  /** Public JSON-RPC and explorers that `GET /bridge/config` offers to wallets. */
  readonly publicChains: Readonly<
    Record<Side, { readonly rpcUrls: readonly string[]; readonly explorerUrls: readonly string[] }>
  >;
  /** Folder of the built documentation; null when it is not served. */
  readonly docsFolder: string | null;
  readonly trustedProxyHops: number;
  /** 0 for no limit. */
  readonly rateLimits: {
    readonly requestsPerSecond: number;
    readonly requestsPerMinute: number;
    readonly intentsPerMinute: number;
    readonly exemptAddresses: readonly string[];
  };
  /** Where several APIs count the rates together; null when this one counts alone. */
  readonly redisUrl: string | null;
  readonly mostOpenIntentsOfClient: number;
  /** Event streams. `streamsPerClient`: 0 for no limit. */
  readonly events: { readonly streamsPerClient: number; readonly heartbeatMs: number };
  /** Web origins whose pages may call; `*` among them allows all. */
  readonly corsOrigins: readonly string[];
  /** Times of the HTTP server, in milliseconds. */
  readonly http: {
    readonly requestTimeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly shutdownDelayMs: number;
    readonly shutdownTimeoutMs: number;
  };
  /** The admin API; null when there is none. */
  readonly admin: AdminConfiguration | null;
  /** The refunds for which the console asks for one approval, in atomic units. The relayer has the last word. */
  readonly oneApprovalUpTo: Readonly<Record<Asset, bigint>>;
  /** Where `/metrics` is served; null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where traces go; null for nowhere. */
  readonly tracing: TracingOptions | null;
  readonly timing: TimingTerms;
  readonly stillAfterSeconds: ChainProfile['stillAfterSeconds'];
  readonly logLevel: string;
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws ConfigurationError that names every variable that is missing or wrong.
 */
export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const values = readVariables(apiVariables, env);
  const parts = readEach({
    databaseUrl: () => readDatabaseUrl(values),
    addressBook: () => readAddressBook(values.ADDRESS_BOOK, values.ENVIRONMENT),
    ethereumNodes: () => readNodes(values, 'ETHEREUM'),
    partnerNodes: () => readNodes(values, 'PARTNER'),
    admin: () => readAdminConfiguration(values),
    oneApprovalUpTo: () => readOneApprovalUpTo(values, values.ENVIRONMENT),
  });
  return {
    ...parts,
    mirrorUrls: values.MIRROR_URL ?? [],
    host: values.HOST,
    port: values.PORT,
    publicOrigin: values.PUBLIC_ORIGIN ?? `http://${values.HOST}:${values.PORT}`,
    docsUrl: values.DOCS_URL,
    publicChains: {
      ethereum: { rpcUrls: values.PUBLIC_ETHEREUM_RPC_URLS, explorerUrls: values.ETHEREUM_EXPLORER_URLS },
      partner: { rpcUrls: values.PUBLIC_PARTNER_RPC_URLS, explorerUrls: values.PARTNER_EXPLORER_URLS },
    },
    docsFolder: values.DOCS_FOLDER ?? null,
    trustedProxyHops: values.TRUSTED_PROXY_HOPS,
    rateLimits: {
      requestsPerSecond: values.RATE_LIMIT_PER_SECOND,
      requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
      intentsPerMinute: values.RATE_LIMIT_INTENTS_PER_MINUTE,
      exemptAddresses: values.RATE_LIMIT_EXEMPT_IPS,
    },
    redisUrl: values.REDIS_URL ?? null,
    mostOpenIntentsOfClient: values.MAX_OPEN_INTENTS_PER_CLIENT,
    events: { streamsPerClient: values.EVENT_STREAMS_PER_CLIENT, heartbeatMs: values.EVENT_HEARTBEAT_MS },
    corsOrigins: values.CORS_ORIGINS,
    http: {
      requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
      idleTimeoutMs: values.HTTP_IDLE_TIMEOUT_MS,
      shutdownDelayMs: values.SHUTDOWN_DELAY_MS,
      shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
    },
    metrics: metricsAddress(values),
    tracing: readTracing(values),
    timing: readTiming(values),
    stillAfterSeconds: chainProfile(values.ENVIRONMENT).stillAfterSeconds,
    logLevel: values.LOG_LEVEL,
  };
}
