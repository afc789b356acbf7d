import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { CallObserver } from '../jsonrpc/call-observer.js';
import { MethodHistogram } from './method-histogram.js';

/** From what the cache answers to what the call timeout allows, in seconds. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCH_CALLS = [1, 2, 5, 10, 20, 50, 100];

/** What is limited: the rate of calls, or the number of WebSocket connections. */
export type Limited = 'rate' | 'connections';

/**
 * What the gateway measures, for Prometheus.
 *
 * Labels are method names on offer, error codes, and the nodes of the configuration; nothing a caller makes up becomes one.
 */
export class GatewayMetrics implements CallObserver {
  readonly registry = new Registry();
  /** Calls by method and code that were not handed to the counter yet: every call adds to them, so they are plain numbers. */
  readonly #ended = new Map<string, Map<number, number>>();
  readonly #calls: Counter<'method' | 'code'> = new Counter({
    name: 'causeway_gateway_calls_total',
    help: 'JSON-RPC calls by method and error code; code 0 is a result',
    labelNames: ['method', 'code'],
    registers: [this.registry],
    collect: () => this.#handOver(),
  });
  readonly #seconds = new MethodHistogram({
    name: 'causeway_gateway_call_seconds',
    help: 'How long calls took',
    buckets: CALL_SECONDS,
    registers: [this.registry],
  });
  readonly #batches = new Histogram({
    name: 'causeway_gateway_batch_calls',
    help: 'Calls in a batch',
    buckets: BATCH_CALLS,
    registers: [this.registry],
  });
  readonly #refusals = new Counter({
    name: 'causeway_gateway_refusals_total',
    help: 'Calls (rate) and WebSocket connections (connections) refused by a limit',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  readonly #alone = new Counter({
    name: 'causeway_gateway_counted_alone_total',
    help: 'How often Redis could not count calls (rate) or a WebSocket connection (connections), so that this gateway counted alone',
    labelNames: ['limit'],
    registers: [this.registry],
  });

  callEnded(method: string, code: number, durationMs: number | null): void {
    let codes = this.#ended.get(method);
    if (codes === undefined) this.#ended.set(method, (codes = new Map()));
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (durationMs !== null) this.#seconds.record(method, durationMs / 1_000);
  }

  batchReceived(calls: number): void {
    this.#batches.observe(calls);
  }

  refused(reason: Limited, count: number): void {
    this.#refusals.inc({ reason }, count);
  }

  countedAlone(limit: Limited): void {
    this.#alone.inc({ limit });
  }

  /**
   * Adds a figure that is read when it is asked for.
   *
   * @param read the figure, or one for each value of a label.
   */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `causeway_gateway_${name}`,
      help,
      registers: [],
      collect: () => gauge.set(read()),
    });
    this.registry.registerMetric(gauge);
  }

  /** Adds a figure for every node, read when it is asked for. NaN stands for what is not known. */
  watchNodes(name: string, help: string, read: () => Iterable<readonly [node: string, figure: number]>): void {
    const gauge: Gauge<'node'> = new Gauge({
      name: `causeway_gateway_${name}`,
      help,
      labelNames: ['node'],
      registers: [],
      collect: () => {
        gauge.reset();
        for (const [node, figure] of read()) gauge.set({ node }, figure);
      },
    });
    this.registry.registerMetric(gauge);
  }

  /** Adds what prom-client knows of this process: memory, event loop, garbage collection. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  #handOver(): void {
    for (const [method, codes] of this.#ended) {
      for (const [code, count] of codes) this.#calls.inc({ method, code }, count);
    }
    this.#ended.clear();
  }
}
