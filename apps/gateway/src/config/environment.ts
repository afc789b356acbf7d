import { filePath, isUrl, list, listenHost, listenPort, logLevel, wholeNumber } from '@causeway/service/configuration';
import { metricsVariables, publicServerVariables } from '@causeway/service/http';
import { LAZY_ACCOUNT_GAS } from '@causeway/partner-chain';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;
const BACKEND_RULE = 'must be embedded or upstream';
/** Addresses that other machines cannot reach. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
const URLS_RULE = 'must be http:// or https:// addresses, separated by commas';

const variables = z.object({
  HOST: listenHost.describe('Address to listen on.'),
  PORT: listenPort.default(8_545).describe('Port to listen on; 0 picks a free one.'),
  CHAIN_ID: wholeNumber(1)
    .default(8_901)
    .describe(
      'Chain id, up to 2^53 - 1: 8901 is the testnet, 327 the mainnet. Upstream nodes of another chain are not used.',
    ),
  BACKEND: z
    .enum(['embedded', 'upstream'], BACKEND_RULE)
    .default('embedded')
    .describe(
      'embedded: the partner chain in this process, for development and test networks; upstream: the nodes of UPSTREAM_URLS.',
    ),
  UPSTREAM_URLS: list(URLS_RULE, (url) => isUrl(url, ['http:', 'https:']))
    .optional()
    .meta({
      description:
        'JSON-RPC URLs of nodes; required for BACKEND=upstream. A URL can contain a key, as in https://name:key@host.',
      isSecret: true,
    }),
  DATA_DIRECTORY: filePath('a directory')
    .default('.causeway/partner-chain')
    .describe(
      'Directory of the embedded chain. A copy is refused until its file accept-copy contains the number of its newest block, because later blocks are lost.',
    ),
  GENESIS: filePath('a genesis file (JSON)')
    .optional()
    .describe('Genesis file of the embedded chain; optional for the testnet.'),
  BLOCK_INTERVAL_MS: wholeNumber(0, 3_600_000)
    .default(2_000)
    .describe(
      'Milliseconds between blocks of the embedded chain; 0 makes a block for every transaction, and eth_sendRawTransaction responds once it is made.',
    ),
  LAZY_ACCOUNT_GAS: wholeNumber(0, 1e9)
    .default(Number(LAZY_ACCOUNT_GAS))
    .describe('Extra gas on the embedded chain for each account that a transaction creates.'),
  CONFIRMATIONS: wholeNumber(1, 1e6)
    .default(6)
    .describe(
      'Confirmations until a block is final, including its own. The tags safe and finalized and the result cache use this.',
    ),
  DEVELOPMENT_METHODS: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe(
      'true for snapshots and time travel (evm_*, hardhat_mine) on an embedded chain that listens on a loopback address without a proxy, because any client can then remove blocks.',
    ),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, 1e9).default(100).describe('Calls per second and client; 0 for no limit.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1e9).default(3_000).describe('Calls per minute and client; 0 for no limit.'),
  WS_CONNECTIONS_PER_IP: wholeNumber(0, 1e6)
    .default(10)
    .describe('WebSocket connections per client and gateway process; 0 for no limit.'),
  MAX_CONNECTIONS: wholeNumber(1, 1e6).default(10_000).describe('Maximum connections of all clients together.'),
  API_KEYS_FILE: filePath('a list of API keys (JSON)')
    .optional()
    .describe('Clients with their own limits, by the hashes of their keys. Reloaded when it changes, and on SIGHUP.'),
  ...publicServerVariables,
  BATCH_LIMIT: wholeNumber(1, 100_000).default(100).describe('Maximum calls in a batch.'),
  BATCH_ANSWER_LIMIT_BYTES: wholeNumber(1024, GIB)
    .default(32 * 1024 * 1024)
    .describe('Maximum total length of the responses of a batch.'),
  BODY_LIMIT_BYTES: wholeNumber(1024, GIB)
    .default(1024 * 1024)
    .describe('Maximum length of a request body or a WebSocket message.'),
  CALL_TIMEOUT_MS: wholeNumber(1, DAY_MS).default(30_000).describe('Timeout of a call.'),
  HTTP_IDLE_TIMEOUT_MS: wholeNumber(10, DAY_MS)
    .default(120_000)
    .describe('How long an HTTP connection can be silent before it is cut off; must be more than CALL_TIMEOUT_MS.'),
  WS_CALLS_IN_FLIGHT: wholeNumber(1, 1e6)
    .default(100)
    .describe('Calls of a WebSocket connection in flight before the gateway stops reading from it.'),
  WS_SEND_QUEUE_BYTES: wholeNumber(1024, GIB)
    .default(8 * 1024 * 1024)
    .describe('How much a subscriber can leave unread before it is disconnected (1013).'),
  WS_PING_INTERVAL_MS: wholeNumber(10, DAY_MS)
    .default(30_000)
    .describe('Time between two pings on a WebSocket; a peer that stays silent in between is disconnected.'),
  ...metricsVariables,
  SHUTDOWN_DELAY_MS: wholeNumber(0, DAY_MS)
    .default(5_000)
    .describe('How long the gateway still serves after SIGTERM, reporting not ready, so that load balancers notice.'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, DAY_MS).default(5_000).describe('How long calls in flight can take at shutdown.'),
  LOG_LEVEL: logLevel.describe('Least severe level that is logged; debug shows every call.'),
});

/** Compares variables only if each is valid, so that one run reports every problem. */
const ifValid =
  (...names: readonly PropertyKey[]) =>
  ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path }) => names.includes(path?.[0] ?? ''));

/** The environment variables of the gateway: meaning, allowed values, defaults. */
export const gatewayVariables = variables
  .refine(({ BACKEND, UPSTREAM_URLS }) => BACKEND !== 'upstream' || UPSTREAM_URLS !== undefined, {
    path: ['UPSTREAM_URLS'],
    error: 'must name at least one node, because BACKEND is upstream',
    when: ifValid('BACKEND', 'UPSTREAM_URLS'),
  })
  .refine(({ DEVELOPMENT_METHODS, BACKEND }) => DEVELOPMENT_METHODS === 'false' || BACKEND === 'embedded', {
    path: ['DEVELOPMENT_METHODS'],
    error: 'must be false unless BACKEND is embedded',
    when: ifValid('DEVELOPMENT_METHODS', 'BACKEND'),
  })
  .refine(({ DEVELOPMENT_METHODS, HOST }) => DEVELOPMENT_METHODS === 'false' || LOOPBACK.test(HOST), {
    path: ['DEVELOPMENT_METHODS'],
    error: 'must be false unless HOST is a loopback address',
    when: ifValid('DEVELOPMENT_METHODS', 'HOST'),
  })
  .refine(({ DEVELOPMENT_METHODS, TRUSTED_PROXY_HOPS: hops }) => DEVELOPMENT_METHODS === 'false' || hops === 0, {
    path: ['DEVELOPMENT_METHODS'],
    error: 'must be false unless TRUSTED_PROXY_HOPS is 0, because any client could reach it behind a proxy',
    when: ifValid('DEVELOPMENT_METHODS', 'TRUSTED_PROXY_HOPS'),
  })
  .refine(({ CALL_TIMEOUT_MS, HTTP_IDLE_TIMEOUT_MS }) => HTTP_IDLE_TIMEOUT_MS > CALL_TIMEOUT_MS, {
    path: ['HTTP_IDLE_TIMEOUT_MS'],
    error: 'must be more than CALL_TIMEOUT_MS',
    when: ifValid('CALL_TIMEOUT_MS', 'HTTP_IDLE_TIMEOUT_MS'),
  });
