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

/** URLs that users' wallets call, for `GET /bridge/config`. */
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
    .describe('Origin at which clients reach the API, for its OpenAPI document. Default: http://HOST:PORT.'),
  DOCS_URL: docsUrl,
  PUBLIC_ETHEREUM_RPC_URLS: publicUrls.describe('JSON-RPC of Ethereum offered to wallets. Unset: none is offered.'),
  PUBLIC_PARTNER_RPC_URLS: publicUrls.describe(
    'JSON-RPC of the partner chain offered to wallets. Unset: none is offered.',
  ),
  ETHEREUM_EXPLORER_URLS: publicUrls.describe('Explorers of Ethereum offered to wallets.'),
  PARTNER_EXPLORER_URLS: publicUrls.describe('Explorers of the partner chain offered to wallets.'),
  DOCS_FOLDER: filePath('the built documentation')
    .optional()
    .describe('Folder of the built documentation (docs/site/dist), served at /docs. Default: not served.'),
  WEB_FOLDER: filePath("the users' page")
    .optional()
    .describe("Folder of the users' page (apps/web/dist) and its settings.json, served at /. Default: not served."),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, MOST_REQUESTS)
    .default(20)
    .describe('Requests per second and client, in bursts of twice as many; 0 for no limit.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, MOST_REQUESTS)
    .default(600)
    .describe('Requests per minute and client; 0 for no limit.'),
  RATE_LIMIT_INTENTS_PER_MINUTE: wholeNumber(0, MOST_REQUESTS)
    .default(30)
    .describe('Accepted withdraw intents per minute and client; 0 for no limit.'),
  MAX_OPEN_INTENTS_PER_CLIENT: wholeNumber(1)
    .default(1_000)
    .describe('Open withdraw intents per client address. A sender has at most 100.'),
  EVENT_STREAMS_PER_CLIENT: wholeNumber(0, MOST_REQUESTS)
    .default(10)
    .describe('Open event streams per client in this process; 0 for no limit.'),
  EVENT_HEARTBEAT_MS: wholeNumber(100, DAY_MS)
    .default(15_000)
    .describe('Milliseconds between heartbeats of an event stream. Must be shorter than the idle timeouts of proxies.'),
  ...publicServerVariables,
  ...adminVariables,
  ...oneApprovalVariables,
  ...metricsVariables,
  ...tracingVariables('causeway-api'),
  REQUEST_TIMEOUT_MS: wholeNumber(100, DAY_MS)
    .default(10_000)
    .describe('How long a request can take to arrive, including its body, in milliseconds.'),
  HTTP_IDLE_TIMEOUT_MS: wholeNumber(100, DAY_MS)
    .default(72_000)
    .describe(
      'How long an idle connection stays open, in milliseconds. Must be longer than in proxies before the API.',
    ),
  SHUTDOWN_DELAY_MS: wholeNumber(0, DAY_MS)
    .default(5_000)
    .describe(
      'How long the API still serves after SIGTERM, reporting not ready, so that load balancers notice. Milliseconds.',
    ),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, DAY_MS)
    .default(10_000)
    .describe('How long requests still running after that can take, in milliseconds.'),
});

/** The API's validated configuration. */
export interface Configuration {
  readonly databaseUrl: string;
  readonly ethereumNodes: NodeConfiguration;
  readonly partnerNodes: NodeConfiguration;
  /** Mirror nodes of the partner chain; empty disables reading call trees. */
  readonly mirrorUrls: readonly string[];
  readonly addressBook: AddressBook;
  readonly host: string;
  readonly port: number;
  /** Origin at which clients reach the API, such as https://bridge.example. */
  readonly publicOrigin: string;
  /** Where links of errors and alerts lead: see `linkToDocs`. */
  readonly docsUrl: string;
  /** Public JSON-RPC and explorers that `GET /bridge/config` offers to wallets. */
  readonly publicChains: Readonly<
    Record<Side, { readonly rpcUrls: readonly string[]; readonly explorerUrls: readonly string[] }>
  >;
  /** Folder of the built documentation; null when it is not served. */
  readonly docsFolder: string | null;
  /** Folder of the users' page; null when it is not served. */
  readonly webFolder: string | null;
  readonly trustedProxyHops: number;
  /** 0 for no limit. */
  readonly rateLimits: {
    readonly requestsPerSecond: number;
    readonly requestsPerMinute: number;
    readonly intentsPerMinute: number;
    readonly exemptAddresses: readonly string[];
  };
  /** Where several APIs share rate counts; null when this process counts alone. */
  readonly redisUrl: string | null;
  readonly mostOpenIntentsOfClient: number;
  /** Event streams. `streamsPerClient`: 0 for no limit. */
  readonly events: { readonly streamsPerClient: number; readonly heartbeatMs: number };
  /** Web origins whose pages can call; `*` among them allows all. */
  readonly corsOrigins: readonly string[];
  /** Times of the HTTP server, in milliseconds. */
  readonly http: {
    readonly requestTimeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly shutdownDelayMs: number;
    readonly shutdownTimeoutMs: number;
  };
  /** The admin API; null when it is off. */
  readonly admin: AdminConfiguration | null;
  /** Refunds up to these amounts need one approval in the console, in atomic units. The relayer decides in the end. */
  readonly oneApprovalUpTo: Readonly<Record<Asset, bigint>>;
  /** Where `/metrics` is served; null disables it. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where traces are sent; null disables them. */
  readonly tracing: TracingOptions | null;
  readonly timing: TimingTerms;
  readonly stillAfterSeconds: ChainProfile['stillAfterSeconds'];
  readonly logLevel: string;
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws ConfigurationError that names every missing or invalid variable.
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
    webFolder: values.WEB_FOLDER ?? null,
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
