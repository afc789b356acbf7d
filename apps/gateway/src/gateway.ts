import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, describeRelease, getExitCode, variablesHelp } from '@causeway/service/configuration';
import {
  ClientAddresses,
  connectRedis,
  Cors,
  createLog,
  onEnd,
  RateLimiter,
  serveMetrics,
  type Client,
  type MetricsServer,
} from '@causeway/service/http';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createKey } from './access/api-key.js';
import { Clients, toClient } from './access/clients.js';
import { KeyFile } from './access/key-file.js';
import { KeyLimits, makeWindows } from './access/key-limits.js';
import type { Backend } from './backends/backend.js';
import { createBackend } from './backends/create-backend.js';
import { copyEmbeddedChain, EmbeddedBackend } from './backends/embedded/embedded-backend.js';
import { readConfiguration, VERSION, type Configuration } from './config/configuration.js';
import { gatewayVariables } from './config/environment.js';
import { Dispatcher } from './jsonrpc/dispatcher.js';
import type { Methods } from './jsonrpc/method.js';
import { ClientBudget } from './client-budget.js';
import { developmentMethods } from './methods/development.js';
import { createMethods, type MethodRegistry } from './methods/registry.js';
import { mirrorRoutes } from './mirror/routes.js';
import { GatewayHealth, healthRoutes } from './server/health.js';
import { HttpServer } from './server/http-server.js';
import { GatewayMetrics } from './server/metrics.js';
import { Routes, type Route } from './server/routes.js';
import { WebSocketServer } from './server/websocket-server.js';

interface GatewayOptions {
  readonly configuration: Configuration;
  readonly backend: Backend;
  readonly logger: Logger;
  /** Replaces the methods of `createMethods` in tests. */
  readonly methods?: Methods;
}

/** Milliseconds to answer requests that were arriving when listening ended. */
const LAST_REQUESTS_MS = 100;
const LAST_RESPONSES_MS = 1_000;
/** Added to the delay and the shutdown timeout; then the process exits anyway. Milliseconds. */
const EXIT_TIMEOUT_MS = 4_000;

export class Gateway {
  readonly redis: Redis | null;
  private readonly http: HttpServer;
  private readonly webSockets: WebSocketServer;
  private readonly dispatcher: Dispatcher;
  private readonly metrics: GatewayMetrics;
  private readonly health: GatewayHealth;
  private readonly registry: MethodRegistry;
  private readonly keyFile: KeyFile | null;
  private metricsServer: MetricsServer | null = null;
  private closed: Promise<void> | null = null;

  constructor(private readonly options: GatewayOptions) {
    const { configuration, backend, logger } = options;
    const { rateLimits, trustedProxyHops, bodyLimit, webSocket } = configuration;
    const metrics = new GatewayMetrics(logger);
    metrics.watchBackend(backend);
    if (configuration.backend.kind === 'embedded') metrics.watchDisk(configuration.backend.dataDirectory);
    this.metrics = metrics;
    this.health = new GatewayHealth(backend, VERSION);
    this.redis = configuration.redisUrl === null ? null : connectRedis(configuration.redisUrl, logger);
    const connections = webSocket.connectionsPerAddress === 0 ? Infinity : webSocket.connectionsPerAddress;
    const { callsPerSecond: perSecond, callsPerMinute: perMinute } = rateLimits;
    const counting = {
      redis: this.redis,
      onRefused: (calls: number) => metrics.refused('rate', calls),
      onRedisFailed: () => metrics.redisFailed(),
    };
    const keyLimits = new KeyLimits({
      ...counting,
      defaults: { perSecond, perMinute, connections },
      observer: metrics,
    });
    const budget = new ClientBudget({
      limits: {
        connections: { each: connections, all: Infinity },
        unreadBytes: configuration.unreadLimits,
      },
      rateLimiter: new RateLimiter(
        { ...makeWindows(perSecond, perMinute), keyPrefix: 'causeway:gateway:calls' },
        counting,
      ),
      keyLimits,
    });
    const hasFurther = configuration.hasDevelopmentMethods && backend instanceof EmbeddedBackend;
    const further = hasFurther ? developmentMethods(backend) : [];
    const info = { title: "Partner chain's JSON-RPC", version: VERSION };
    this.registry = createMethods(backend, info, logger, budget, further);
    const { filters, subscriptions } = this.registry;
    const methods = options.methods ?? this.registry.methods;
    this.dispatcher = new Dispatcher({
      methods,
      batchLimit: configuration.batchLimit,
      batchAnswerLimit: configuration.batchAnswerLimit,
      callTimeoutMs: configuration.callTimeoutMs,
      observer: metrics,
      logger,
      now: () => performance.now(),
    });
    const { dispatcher } = this;
    const cors = new Cors(configuration.corsOrigins);
    const { apiKeys } = configuration;
    const onFailed = () => metrics.keyFileFailed();
    this.keyFile = apiKeys === null ? null : new KeyFile({ ...apiKeys, onFailed, logger });
    const addresses = new ClientAddresses(trustedProxyHops, rateLimits.exemptAddresses);
    const clients = new Clients(addresses, this.keyFile, () => metrics.refused('key', 1));
    const routes = new Routes({
      routes: [
        ...healthRoutes(this.health),
        openRpcRoute(methods),
        ...(backend instanceof EmbeddedBackend ? mirrorRoutes(backend) : []),
      ],
      cors,
      budget,
      clients,
      logger,
    });
    const { idleTimeoutMs, maxConnections } = configuration;
    const common = { dispatcher, budget, cors, bodyLimit, clients };
    this.http = new HttpServer({ ...common, routes, health: this.health, idleTimeoutMs, maxConnections, logger });
    const onRefused = (client: Client) => {
      metrics.refused('connections', 1);
      keyLimits.record(client, 0, 1, 'connections');
    };
    this.webSockets = new WebSocketServer({ ...common, ...webSocket, onRefused });
    this.webSockets.attach(this.http.server);
    this.keyFile?.follow((keys, ended) => {
      keyLimits.apply(keys);
      metrics.setKeys(keys.map(({ name }) => name));
      this.webSockets.endClients(ended.map(toClient));
    });
    metrics.watch('websocket_connections', 'Open WebSocket connections', () => this.webSockets.size);
    metrics.watch('filters', 'Filters that are polled', () => filters.count());
    metrics.watch('subscriptions', 'Subscriptions of WebSocket clients', () => subscriptions.count());
  }

  get server(): HttpServer['server'] {
    return this.http.server;
  }

  /** Reloads the API key file. */
  reloadKeys(): void {
    this.keyFile?.reload();
  }

  /** Starts to listen. @returns the address, `http://127.0.0.1:8545`. */
  async listen(): Promise<string> {
    const { configuration, logger } = this.options;
    const { host, port, metrics } = configuration;
    this.keyFile?.watch();
    if (metrics !== null) {
      const monitored = { service: 'gateway', registry: this.metrics.registry, health: this.health };
      this.metricsServer = await serveMetrics(monitored, metrics, logger);
      logger.info({ url: `${this.metricsServer.url}/metrics` }, 'Metrics and health are served');
    }
    return listenOn(this.server, host, port);
  }

  /**
   * Reports not ready from now on but still serves during the delay. Then it stops accepting, waits for calls in
   * flight, and closes the WebSockets (1001), then the backend.
   *
   * @param delayMs time for load balancers to notice.
   */
  close(delayMs = 0): Promise<void> {
    return (this.closed ??= this.shutDown(delayMs));
  }

  private async shutDown(delayMs: number): Promise<void> {
    this.health.drain();
    await sleep(delayMs);
    const { server, webSockets, dispatcher } = this;
    const { configuration, backend } = this.options;
    const isListening = server.listening;
    const closed = isListening ? once(server, 'close') : Promise.resolve();
    // Only stops listening: `close` of an HTTP server would also cut off idle connections.
    if (isListening) TcpServer.prototype.close.call(server);
    this.keyFile?.close();
    await sleep(LAST_REQUESTS_MS);
    await dispatcher.close(configuration.shutdownTimeoutMs);
    await webSockets.close();
    // A client that does not read its response must not delay the shutdown.
    const timer = setTimeout(() => server.closeAllConnections(), LAST_RESPONSES_MS);
    server.close();
    await closed;
    clearTimeout(timer);
    await this.metricsServer?.close();
    this.registry.filters.close();
    this.redis?.disconnect();
    await backend.close();
  }
}

const HELP = `The partner chain's JSON-RPC gateway.

Usage: main.js                   serves, as the environment variables say
       main.js key <name>        prints a new API key, and its entry of the list in API_KEYS_FILE
       main.js copy <directory>  copies the embedded chain, also while it runs
       main.js --version

`;

/**
 * Runs the gateway as a program: prints `--help`, `--version` or a new key, copies the embedded chain, or serves until
 * a signal or the end of its parent process. On SIGHUP it reloads the API key file, if there is one.
 */
export async function runGateway(): Promise<void> {
  const [command, argument = ''] = process.argv.slice(2);
  if (process.argv.includes('--help')) {
    process.stdout.write(`${HELP}${variablesHelp(gatewayVariables)}\n`);
    return;
  }
  if (process.argv.includes('--version')) {
    process.stdout.write(`${describeRelease('gateway')}\n`);
    return;
  }
  try {
    if (command === 'key') {
      process.stdout.write(`${JSON.stringify(createKey(argument), null, 2)}\n`);
      return;
    }
    const configuration = readConfiguration(process.env);
    if (command === 'copy') {
      const block = await copy(configuration.backend, argument);
      process.stdout.write(`${argument} is a copy that ends at block ${block}\n`);
      return;
    }
    const logger = createLog('gateway', configuration.logLevel);
    const backend = await createBackend(configuration.backend, logger);
    const gateway = new Gateway({ configuration, backend, logger });
    const url = await gateway.listen();
    logger.info({ url }, 'The gateway is listening');
    const end = (delayMs: number) => {
      setTimeout(() => process.exit(1), delayMs + configuration.shutdownTimeoutMs + EXIT_TIMEOUT_MS).unref();
      gateway.close(delayMs).then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        },
      );
    };
    // Without an API key file, SIGHUP (a closed terminal) ends the gateway, like other programs.
    const onHangUp = configuration.apiKeys === null ? undefined : () => gateway.reloadKeys();
    onEnd((cause) => end(cause === 'signal' ? configuration.shutdownDelayMs : 0), onHangUp);
    // Sends the address to the parent process.
    if (process.connected) process.send?.(url);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(getExitCode(error));
  }
}

async function copy(backend: Configuration['backend'], directory: string): Promise<number> {
  if (backend.kind !== 'embedded') throw new ConfigurationError(['BACKEND must be embedded to copy the chain']);
  if (directory === '') throw new ConfigurationError(['copy needs the directory that it makes: copy <directory>']);
  return copyEmbeddedChain(backend.dataDirectory, directory);
}

/** @param port 0 for a free one. @returns the address, `http://127.0.0.1:8545`. */
async function listenOn(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

/** `GET /openrpc.json`: the result of rpc.discover. */
function openRpcRoute(methods: Methods): Route {
  const discover = async () => methods.get('rpc.discover')?.run([], { ip: '', connection: null });
  return {
    path: /^\/openrpc\.json$/,
    answer: async () => ({ status: 200, body: JSON.stringify((await discover()) ?? null) }),
  };
}
