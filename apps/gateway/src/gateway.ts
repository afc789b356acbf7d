import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getExitCode, variablesHelp } from '@causeway/configuration';
import { ClientAddresses, connectRedis, Cors, createMetricsServer, RateLimiter, type RateLimits } from '@causeway/http';
import type { Redis } from 'ioredis';
import { pino, type Logger } from 'pino';
import type { Backend } from './backends/backend.js';
import { createBackend } from './backends/create-backend.js';
import { EmbeddedBackend } from './backends/embedded/embedded-backend.js';
import { readConfiguration, VERSION, type Configuration } from './config/configuration.js';
import { gatewayVariables } from './config/environment.js';
import { Dispatcher } from './jsonrpc/dispatcher.js';
import type { Methods } from './jsonrpc/method.js';
import { ClientBudget } from './client-budget.js';
import { developmentMethods } from './methods/development.js';
import { createMethods, type MethodRegistry } from './methods/registry.js';
import { mirrorRoutes } from './mirror/routes.js';
import { HttpServer } from './server/http-server.js';
import { GatewayMetrics } from './server/metrics.js';
import { Routes, type Route } from './server/routes.js';
import { WebSocketServer } from './server/websocket-server.js';

interface GatewayOptions {
  readonly configuration: Configuration;
  readonly backend: Backend;
  readonly logger: Logger;
  /** Other methods than those of `createMethods`, for tests. */
  readonly methods?: Methods;
}

/** Unread bytes of one client, as a multiple of the longest answers of a batch. */
const UNREAD_BATCHES = 4;
/** Time for requests that are arriving to be refused with an explanation instead of being cut off. */
const LAST_REQUESTS_MS = 100;
const LAST_RESPONSES_MS = 1_000;
/** Added to the time of the calls in flight; after it the process exits anyway. */
const EXIT_TIMEOUT_MS = 4_000;

export class Gateway {
  readonly redis: Redis | null;
  private readonly http: HttpServer;
  private readonly webSockets: WebSocketServer;
  private readonly dispatcher: Dispatcher;
  private readonly metricsServer: Server;
  private readonly registry: MethodRegistry;
  private closed: Promise<void> | null = null;

  constructor(private readonly options: GatewayOptions) {
    const { configuration, backend, logger } = options;
    const { rateLimits, trustedProxyHops, bodyLimit, webSocket } = configuration;
    const metrics = new GatewayMetrics(logger);
    metrics.watchBackend(backend);
    if (configuration.metrics !== null) metrics.watchProcess();
    this.metricsServer = createMetricsServer(metrics.registry, logger);
    this.redis = configuration.redisUrl === null ? null : connectRedis(configuration.redisUrl, logger);
    const connections = webSocket.connectionsPerAddress === 0 ? Infinity : webSocket.connectionsPerAddress;
    const budget = new ClientBudget({
      limits: {
        connections: { each: connections, all: Infinity },
        unreadBytes: { each: UNREAD_BATCHES * configuration.batchAnswerLimit, all: Infinity },
      },
      rateLimiter: new RateLimiter(callLimits(rateLimits), {
        redis: this.redis,
        onRefused: (calls) => metrics.refused('rate', calls),
        onRedisFailed: () => metrics.redisFailed(),
      }),
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
    const clients = new ClientAddresses(trustedProxyHops, rateLimits.exemptAddresses);
    const routes = new Routes({
      routes: [
        healthRoute(backend, VERSION),
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
    this.http = new HttpServer({ ...common, routes, idleTimeoutMs, maxConnections, logger });
    const onRefused = () => metrics.refused('connections', 1);
    this.webSockets = new WebSocketServer({ ...common, ...webSocket, onRefused });
    this.webSockets.attach(this.http.server);
    metrics.watch('websocket_connections', 'Open WebSocket connections', () => this.webSockets.size);
    metrics.watch('filters', 'Filters that are polled', () => filters.count());
    metrics.watch('subscriptions', 'Subscriptions of WebSocket clients', () => subscriptions.count());
  }

  get server(): HttpServer['server'] {
    return this.http.server;
  }

  /** Starts to listen. @returns the address, `http://127.0.0.1:8545`. */
  async listen(): Promise<string> {
    const { configuration, logger } = this.options;
    const { host, port, metrics } = configuration;
    if (metrics !== null) {
      const url = await listenOn(this.metricsServer, metrics.host, metrics.port);
      logger.info({ url: `${url}/metrics` }, 'Metrics are served');
    }
    return listenOn(this.server, host, port);
  }

  /** Stops accepting, waits for the calls in flight, closes the WebSockets (1001), and then the backend. */
  close(): Promise<void> {
    return (this.closed ??= this.shutDown());
  }

  private async shutDown(): Promise<void> {
    const { server, webSockets, dispatcher } = this;
    const { configuration, backend } = this.options;
    const isListening = server.listening;
    const closed = isListening ? once(server, 'close') : Promise.resolve();
    // Only stops listening: `close` of an HTTP server also cuts off connections between two requests.
    if (isListening) TcpServer.prototype.close.call(server);
    await Promise.all([dispatcher.close(configuration.shutdownTimeoutMs), sleep(LAST_REQUESTS_MS)]);
    await webSockets.close();
    // A client that does not read its response must not delay the end.
    const timer = setTimeout(() => server.closeAllConnections(), LAST_RESPONSES_MS);
    server.close();
    await closed;
    clearTimeout(timer);
    this.metricsServer.close();
    this.metricsServer.closeAllConnections();
    this.registry.filters.close();
    this.redis?.disconnect();
    await backend.close();
  }
}

/** Runs the gateway as a program: prints `--help`, or serves until SIGTERM, SIGINT or the end of its parent process. */
export async function runGateway(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`The partner chain's JSON-RPC gateway.\n\n${variablesHelp(gatewayVariables)}\n`);
    return;
  }
  try {
    const configuration = readConfiguration(process.env);
    const logger = pino({ level: configuration.logLevel, base: { service: 'gateway' } });
    const backend = await createBackend(configuration.backend, logger);
    const gateway = new Gateway({ configuration, backend, logger });
    const url = await gateway.listen();
    logger.info({ url }, 'The gateway listens');
    const end = () => {
      setTimeout(() => process.exit(1), configuration.shutdownTimeoutMs + EXIT_TIMEOUT_MS).unref();
      gateway.close().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        },
      );
    };
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, end);
    // A parent process (IPC) receives the address. It may have ended while the gateway was starting.
    if (process.send !== undefined && !process.connected) end();
    else process.send?.(url);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(getExitCode(error));
  }
}

/** The two windows of the specification (Limits). */
function callLimits({ callsPerSecond, callsPerMinute }: Configuration['rateLimits']): RateLimits {
  return {
    windows: [
      { calls: callsPerSecond, seconds: 1 },
      { calls: callsPerMinute, seconds: 60 },
    ],
    unit: 'calls',
    keyPrefix: 'causeway:gateway:calls',
  };
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

/** `GET /health`: 200 while calls can be answered, also while the node catches up, else 503 with the same body. */
function healthRoute(backend: Backend, version: string): Route {
  return {
    path: /^\/health$/,
    answer: () => {
      const status = backend.status();
      const report = {
        status: status.available ? 'healthy' : 'unhealthy',
        version,
        uptimeSeconds: Math.floor(process.uptime()),
        backend: status,
      };
      const headers = { 'cache-control': 'no-store' };
      return { status: status.available ? 200 : 503, headers, body: JSON.stringify(report) };
    },
  };
}
