import type { Mirror } from '@causeway/chain';
import { finishInTime } from '@causeway/service/http';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, MIRROR, STORE, type Chains } from '../infrastructure.js';

/** Histogram buckets in seconds: from an in-memory look-up to the longest wait for nodes and the database. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const PREFIX = 'causeway_api_';

/** Prometheus metrics. Labels contain no client-chosen text. */
@Injectable()
export class ApiMetrics {
  readonly registry = new Registry();
  private readonly seconds = new Histogram({
    name: `${PREFIX}request_seconds`,
    help: 'Response time by endpoint (its route, or none), method and status',
    labelNames: ['endpoint', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: `${PREFIX}refusals_total`,
    help: 'Requests and intents refused by a rate limit, by the unit of the limit',
    labelNames: ['unit'],
    registers: [this.registry],
  });
  private readonly countedAlone = new Counter({
    name: `${PREFIX}counted_alone_total`,
    help: 'Times that Redis failed, so that this process counted alone',
    registers: [this.registry],
  });
  private readonly openStreams = new Gauge({
    name: `${PREFIX}event_streams`,
    help: 'Open event streams',
    registers: [this.registry],
  });
  private readonly droppedStreams = new Counter({
    name: `${PREFIX}event_streams_dropped_total`,
    help: 'Event streams closed because their readers were too slow',
    registers: [this.registry],
  });

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(MIRROR) private readonly mirror: Mirror | null,
    @Inject(STORE) private readonly store: Store,
  ) {
    this.watchNodes();
    this.watchDatabase();
  }

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    if (this.configuration.metrics === null) return;
    fastify.addHook('onResponse', async (request, reply) => {
      // The duration of a stream does not measure response time.
      if (String(reply.raw.getHeader('content-type')).startsWith('text/event-stream')) return;
      const endpoint = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
      // On unknown paths the method can be any text.
      const method = request.is404 ? 'none' : request.method;
      this.seconds.observe({ endpoint, method, status: reply.statusCode }, reply.elapsedTime / 1_000);
    });
  }

  refused(unit: string): void {
    this.refusals.inc({ unit });
  }

  streamOpened(): void {
    this.openStreams.inc();
  }

  streamClosed(): void {
    this.openStreams.dec();
  }

  streamDropped(): void {
    this.droppedStreams.inc();
  }

  redisFailed(): void {
    this.countedAlone.inc();
  }

  private watchNodes(): void {
    const gauge = (name: string, help: string, labelNames: string[]) =>
      new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry], collect });
    const collect = () => {
      usable.reset();
      throttled.reset();
      for (const chain of [this.chains.ethereum, this.chains.partner]) {
        quorum.set({ chain: chain.name }, chain.quorum);
        for (const node of chain.status()) {
          const labels = { chain: chain.name, node: node.name };
          usable.set(labels, node.usable && node.head !== null ? 1 : 0);
          throttled.inc(labels, node.throttled);
        }
      }
      // A mirror can share the address of a node.
      for (const mirror of this.mirror?.status() ?? [])
        throttled.inc({ chain: 'partner', node: mirror.name }, mirror.throttled);
    };
    const throttled = new Counter({
      name: `${PREFIX}node_throttled_total`,
      help: 'Requests refused by a node or a mirror because this process sends too many',
      labelNames: ['chain', 'node'],
      registers: [this.registry],
      collect,
    });
    const quorum = gauge('quorum', 'Nodes of a chain that must agree', ['chain']);
    const usable = gauge('node_usable', '1 if the node is used, else 0', ['chain', 'node']);
  }

  private watchDatabase(): void {
    const { registry, store } = this;
    const up = new Gauge({
      name: `${PREFIX}database_up`,
      help: '1 if the database answered, else 0',
      registers: [registry],
      // A scrape must not wait for an unavailable database.
      collect: async () => {
        up.set(
          await finishInTime(store.ping()).then(
            () => 1,
            () => 0,
          ),
        );
      },
    });
  }
}
