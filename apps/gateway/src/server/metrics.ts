import { statfs } from 'node:fs/promises';
import { createClockGauge } from '@causeway/service/http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Backend, NodeStatus } from '../backends/backend.js';
import type { CallObserver } from '../jsonrpc/dispatcher.js';

/** Histogram buckets in seconds: from a cache hit to the call timeout. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_CALLS = [1, 2, 5, 10, 20, 50, 100];

/** Requests that a limit refuses: calls beyond the rate, or WebSocket connections. */
type Limited = 'rate' | 'connections';
const LIMITED: readonly Limited[] = ['rate', 'connections'];

/** Prometheus metrics. Labels contain no caller-chosen text. */
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
    help: 'Duration of calls',
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
    help: 'Calls (rate) and WebSocket connections (connections) refused by a limit, and invalid keys (key)',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly countedAlone = new Counter({
    name: 'causeway_gateway_counted_alone_total',
    help: 'Times that Redis failed to count calls (rate), so that this gateway counted alone',
    labelNames: ['limit'],
    registers: [this.registry],
  });

  private readonly keyCalls = new Counter({
    name: 'causeway_gateway_key_calls_total',
    help: 'Calls admitted with an API key, by its name',
    labelNames: ['key'],
    registers: [this.registry],
  });
  private readonly keyRefusals = new Counter({
    name: 'causeway_gateway_key_refusals_total',
    help: 'Calls (rate) and WebSocket connections (connections) refused by the limits of an API key',
    labelNames: ['key', 'reason'],
    registers: [this.registry],
  });
  private readonly keyFileFailures = new Counter({
    name: 'causeway_gateway_key_file_failures_total',
    help: 'Times that a changed API key file was invalid',
    registers: [this.registry],
  });
  private keyNames: ReadonlySet<string> = new Set();

  /** @param logger logs every call at level debug. */
  constructor(private readonly logger: { debug(details: object, message: string): void }) {}

  callEnded(method: string, code: number, durationMs: number | null): void {
    this.logger.debug({ method, code, durationMs }, 'Call');
    this.calls.inc({ method, code });
    if (durationMs !== null) this.seconds.observe({ method }, durationMs / 1_000);
  }

  batchReceived(calls: number): void {
    this.logger.debug({ calls }, 'Batch');
    this.batches.observe(calls);
  }

  refused(reason: Limited | 'key', count: number): void {
    this.refusals.inc({ reason }, count);
  }

  keyUsed(key: string, calls: number): void {
    this.keyCalls.inc({ key }, calls);
  }

  keyRefused(key: string, reason: Limited, count: number): void {
    this.keyRefusals.inc({ key, reason }, count);
  }

  keyFileFailed(): void {
    this.keyFileFailures.inc();
  }

  /** Exports the usage of exactly these keys, starting at 0. */
  setKeys(names: readonly string[]): void {
    const before = this.keyNames;
    this.keyNames = new Set(names);
    for (const key of before) {
      if (this.keyNames.has(key)) continue;
      this.keyCalls.remove({ key });
      for (const reason of LIMITED) this.keyRefusals.remove({ key, reason });
    }
    for (const key of this.keyNames) {
      this.keyCalls.inc({ key }, 0);
      for (const reason of LIMITED) this.keyRefusals.inc({ key, reason }, 0);
    }
  }

  redisFailed(): void {
    this.countedAlone.inc({ limit: 'rate' });
  }

  /** Adds a gauge that is read on every scrape. NaN means unknown. */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = this.gauge(name, help, [], () => gauge.set(read()));
  }

  watchBackend(backend: Backend): void {
    const status = () => backend.status();
    this.watch('backend_available', '1 if calls can be answered, else 0', () => Number(status().available));
    this.watch('backend_syncing', '1 while the backend catches up, else 0', () => Number(status().syncing !== false));
    this.watch('backend_block_number', 'The newest block', () => status().blockNumber ?? NaN);
    const watchNodes = (name: string, help: string, read: (node: NodeStatus) => number) => {
      const gauge: Gauge = this.gauge(name, help, ['node'], () => {
        gauge.reset();
        for (const node of status().nodes) gauge.set({ node: node.name }, read(node));
      });
    };
    watchNodes('node_healthy', '1 if the node is used, else 0', ({ healthy }) => Number(healthy));
    watchNodes('node_block_number', 'The newest block of a node', ({ blockNumber }) => blockNumber ?? NaN);
    if (backend.clockOffsetMs !== undefined)
      createClockGauge(this.registry, (gauge) => gauge.set((backend.clockOffsetMs?.() ?? NaN) / 1_000));
    const seconds = (latencyMs: number | null) => (latencyMs === null ? NaN : latencyMs / 1_000);
    watchNodes('node_latency_seconds', 'How long the last response of a node took', (node) => seconds(node.latencyMs));
  }

  /** Adds gauges for the disk of a directory. */
  watchDisk(directory: string): void {
    const watch = (
      name: string,
      help: string,
      pick: (disk: Readonly<Record<'bsize' | 'bavail' | 'blocks', number>>) => number,
    ) => {
      const gauge: Gauge = this.gauge(name, help, [], async () => {
        gauge.set(await statfs(directory).then(pick, () => NaN));
      });
    };
    watch('disk_free_bytes', 'Bytes that the chain can still use on its disk', ({ bsize, bavail }) => bsize * bavail);
    watch('disk_size_bytes', 'Size of the disk that the chain is on', ({ bsize, blocks }) => bsize * blocks);
  }

  private gauge(name: string, help: string, labelNames: string[], collect: () => void | Promise<void>): Gauge {
    return new Gauge({ name: `causeway_gateway_${name}`, help, labelNames, registers: [this.registry], collect });
  }
}
