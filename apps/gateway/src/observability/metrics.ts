import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Backend } from '../backends/backend.js';
import type { CallObserver } from '../jsonrpc/types.js';

/** From what the cache needs to what the call timeout allows, in seconds. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_CALLS = [1, 2, 5, 10, 20, 50, 100];

/** What a limit refuses: calls beyond the rate, or WebSocket connections. */
type Limited = 'rate' | 'connections';

/**
 * The measurements of the gateway, for Prometheus. Labels are method names on offer, error codes, and the nodes of the
 * configuration; nothing that a caller invents becomes one.
 */
export class GatewayMetrics implements CallObserver {
  readonly registry = new Registry();
  private readonly calls = new Counter({
    name: 'causeway_gateway_calls_total',
    help: 'JSON-RPC calls by method and error code; code 0 is a result',
    labelNames: ['method', 'code'],
    registers: [this.registry],
  });
  private readonly seconds = new Histogram({
    name: 'causeway_gateway_call_seconds',
    help: 'How long calls took',
    labelNames: ['method'],
    buckets: CALL_SECONDS,
    registers: [this.registry],
  });
  private readonly batches = new Histogram({
    name: 'causeway_gateway_batch_calls',
    help: 'Calls in a batch',
    buckets: BATCH_CALLS,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'causeway_gateway_refusals_total',
    help: 'Calls (rate) and WebSocket connections (connections) refused by a limit',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly countedAlone = new Counter({
    name: 'causeway_gateway_counted_alone_total',
    help: 'How often Redis could not count calls (rate), so that this gateway counted alone',
    labelNames: ['limit'],
    registers: [this.registry],
  });

  callEnded(method: string, code: number, durationMs: number | null): void {
    this.calls.inc({ method, code });
    if (durationMs !== null) this.seconds.observe({ method }, durationMs / 1_000);
  }

  batchReceived(calls: number): void {
    this.batches.observe(calls);
  }

  refused(reason: Limited, count: number): void {
    this.refusals.inc({ reason }, count);
  }

  /** Redis failed to count the calls of a message. */
  redisFailed(): void {
    this.countedAlone.inc({ limit: 'rate' });
  }

  /** Adds a figure that is read on every scrape. NaN means unknown. */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `causeway_gateway_${name}`,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read()),
    });
  }

  /** Adds the state of the backend and of its nodes. */
  watchBackend(backend: Backend): void {
    const { watch, watchNodes } = { watch: this.watch.bind(this), watchNodes: this.watchNodes.bind(this, backend) };
    watch('backend_available', '1 if calls can be answered, else 0', () => Number(backend.status().available));
    watch('backend_syncing', '1 while the backend catches up, else 0', () =>
      Number(backend.status().syncing !== false),
    );
    watch('backend_block_number', 'The newest block', () => backend.status().blockNumber ?? NaN);
    watchNodes('node_healthy', '1 if the node is used, else 0', ({ healthy }) => Number(healthy));
    watchNodes('node_block_number', 'The newest block of a node', ({ blockNumber }) => blockNumber ?? NaN);
    watchNodes('node_latency_seconds', 'How long the last response of a node took', ({ latencyMs }) =>
      latencyMs === null ? NaN : latencyMs / 1_000,
    );
  }

  /** Adds the measurements of prom-client about this process: memory, event loop, garbage collection. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  private watchNodes(
    backend: Backend,
    name: string,
    help: string,
    read: (node: ReturnType<Backend['status']>['nodes'][number]) => number,
  ): void {
    const gauge: Gauge<'node'> = new Gauge({
      name: `causeway_gateway_${name}`,
      help,
      labelNames: ['node'],
      registers: [this.registry],
      collect: () => {
        gauge.reset();
        for (const node of backend.status().nodes) gauge.set({ node: node.name }, read(node));
      },
    });
  }
}

/** Logs every call at level debug and passes it on. Only used where debug is logged, since it costs on every call. */
export function logCalls(next: CallObserver, logger: { debug(details: object, message: string): void }): CallObserver {
  return {
    callEnded: (method, code, durationMs) => {
      logger.debug({ method, code, durationMs }, 'Call');
      next.callEnded(method, code, durationMs);
    },
    batchReceived: (calls) => {
      logger.debug({ calls }, 'Batch');
      next.batchReceived(calls);
    },
  };
}
