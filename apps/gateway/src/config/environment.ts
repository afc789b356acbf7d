import { isNetwork } from '@causeway/http';
import { LAZY_ACCOUNT_GAS } from '@causeway/partner-chain';
import { z } from 'zod';

const LARGEST_PORT = 65_535;
const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

const httpUrls = list.pipe(
  z
    .array(z.url({ protocol: /^https?$/, error: 'must be http:// or https:// addresses, separated by commas' }))
    .min(1, 'must name at least one node'),
);

const origins = list.pipe(
  z.array(z.string().refine(isOrigin, 'must be * or origins such as https://app.example')).min(1),
);

const exemptAddresses = list.pipe(
  z.array(z.string().refine((entry) => isNetwork(entry), 'must be IP addresses or networks such as 192.0.2.0/24')),
);

const variables = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, LARGEST_PORT).prefault('8545').describe('Port to listen on; 0 picks a free one.'),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .prefault('8901')
    .describe('Chain id: 8901 is the testnet, 327 the mainnet. Upstream nodes of another chain are not used.'),
  BACKEND: z
    .enum(['embedded', 'upstream'])
    .default('embedded')
    .describe('embedded: the partner chain in this process; upstream: the nodes of UPSTREAM_URLS.'),
  UPSTREAM_URLS: httpUrls.optional().describe('JSON-RPC addresses of nodes, separated by commas. Needed by upstream.'),
  DATA_DIRECTORY: z.string().min(1).default('.causeway/partner-chain').describe('Directory of the embedded chain.'),
  GENESIS: z
    .string()
    .optional()
    .describe('Path of the genesis file of the embedded chain; not needed for the testnet.'),
  BLOCK_INTERVAL_MS: wholeNumber(0, 3_600_000)
    .prefault('2000')
    .describe(
      'Milliseconds between blocks of the embedded chain; 0 makes a block for every transaction, and eth_sendRawTransaction answers when it is made.',
    ),
  LAZY_ACCOUNT_GAS: wholeNumber(0, 1e9)
    .prefault(String(LAZY_ACCOUNT_GAS))
    .describe('Gas of the embedded chain for each account that a transaction creates, on top of its ordinary gas.'),
  CONFIRMATIONS: wholeNumber(1, 1e6)
    .prefault('6')
    .describe(
      'Blocks until a block is final, its own included. The tags safe and finalized and the result cache follow it.',
    ),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, 1e9).prefault('100').describe('Calls a second and client; 0 for no limit.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1e9).prefault('3000').describe('Calls a minute and client; 0 for no limit.'),
  RATE_LIMIT_EXEMPT_IPS: exemptAddresses
    .prefault('')
    .describe('Addresses and CIDR networks to which no limit applies, separated by commas.'),
  WS_CONNECTIONS_PER_IP: wholeNumber(0, 1e6)
    .prefault('10')
    .describe('WebSocket connections a client may have to one gateway process; 0 for no limit.'),
  MAX_CONNECTIONS: wholeNumber(1, 1e6).prefault('10000').describe('Connections of all clients together.'),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 16)
    .prefault('0')
    .describe('Proxies of your own in front of the gateway, whose X-Forwarded-For entries are trusted.'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// address')
    .optional()
    .describe('Redis in which several gateways count the rate of calls together; without it each counts alone.'),
  BATCH_LIMIT: wholeNumber(1, 100_000).prefault('100').describe('Calls of a batch, at most.'),
  BATCH_ANSWER_LIMIT_BYTES: wholeNumber(1024, GIB)
    .prefault(String(32 * 1024 * 1024))
    .describe('Length of the answers of a batch together, at most.'),
  BODY_LIMIT_BYTES: wholeNumber(1024, GIB)
    .prefault(String(1024 * 1024))
    .describe('Length of a request body or of a WebSocket message, at most.'),
  CALL_TIMEOUT_MS: wholeNumber(1, DAY_MS).prefault('30000').describe('How long a call may take.'),
  HTTP_IDLE_TIMEOUT_MS: wholeNumber(10, DAY_MS)
    .prefault('120000')
    .describe('How long an HTTP connection may be silent before it is cut off; more than a call may take.'),
  WS_CALLS_IN_FLIGHT: wholeNumber(1, 1e6)
    .prefault('100')
    .describe('Calls of a WebSocket connection in flight before the gateway stops reading from it.'),
  WS_SEND_QUEUE_BYTES: wholeNumber(1024, GIB)
    .prefault(String(8 * 1024 * 1024))
    .describe('What a subscriber may leave unread before it is disconnected (1013).'),
  WS_PING_INTERVAL_MS: wholeNumber(10, DAY_MS)
    .prefault('30000')
    .describe('Time between two pings on a WebSocket; a peer that is silent in between is disconnected.'),
  CORS_ORIGINS: origins.prefault('*').describe('Web origins that may call: * for all, or a list separated by commas.'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address on which /metrics is served.'),
  METRICS_PORT: wholeNumber(0, LARGEST_PORT)
    .optional()
    .describe('Port on which /metrics is served, apart from everything else; without it there are no metrics.'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, DAY_MS)
    .prefault('5000')
    .describe('How long calls in flight may take at shutdown.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The lowest level that is logged; debug shows every call.'),
});

/** Variables are compared if each of them is valid, so that one run reports every fault. */
const ifValid =
  (...names: readonly PropertyKey[]) =>
  ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path }) => names.includes(path?.[0] ?? ''));

/** The environment variables of the gateway: meaning, allowed values, defaults. */
export const environmentVariables = variables
  .refine(({ BACKEND, UPSTREAM_URLS }) => BACKEND !== 'upstream' || UPSTREAM_URLS !== undefined, {
    path: ['UPSTREAM_URLS'],
    error: 'BACKEND=upstream needs it',
    when: ifValid('BACKEND', 'UPSTREAM_URLS'),
  })
  .refine(({ CALL_TIMEOUT_MS, HTTP_IDLE_TIMEOUT_MS }) => HTTP_IDLE_TIMEOUT_MS > CALL_TIMEOUT_MS, {
    path: ['HTTP_IDLE_TIMEOUT_MS'],
    error: 'must be more than CALL_TIMEOUT_MS',
    when: ifValid('CALL_TIMEOUT_MS', 'HTTP_IDLE_TIMEOUT_MS'),
  });

function isOrigin(text: string): boolean {
  return text === '*' || URL.parse(text)?.origin === text;
}

/** One line for each environment variable, with its meaning and default, for `--help`. */
export function describeVariables(): string {
  const entries = Object.entries(environmentVariables.shape);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries
    .map(([name, schema]) => {
      const byDefault = schema.safeParse(undefined).data;
      const shown = byDefault === undefined || String(byDefault) === '' ? '' : ` Default: ${String(byDefault)}.`;
      return `${name.padEnd(width)}  ${schema.description ?? ''}${shown}`;
    })
    .join('\n');
}
