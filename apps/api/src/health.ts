import type { Mirror } from '@causeway/chain';
import { finishInTime, probe, reportHealth, type HealthChecks, type HealthReport } from '@causeway/service/http';
import type { HealthResponse, Side } from '@causeway/protocol';
import { CLOCK_TOLERANCE_MS, type Store } from '@causeway/store';
import { Controller, Get, Inject, Injectable, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ChainLife } from './chain-life.js';
import { CHAINS, MIRROR, STORE, type Chains } from './infrastructure.js';
import { RelayerLife } from './relayer-life.js';
import { Drain } from './server/shutdown.js';

/** Same as for the other 503 responses. */
const RETRY_AFTER_SECONDS = 5;

type Component = HealthResponse['components'][string];

/** The part of the store that health checks use. */
interface HealthStore extends Pick<Store, 'ping' | 'takesWrites' | 'assertCompatible' | 'clockDifference'> {
  readonly halts: Pick<Store['halts'], 'list' | 'deliveries'>;
}

type HealthChain = Pick<Chains[Side], 'chainId' | 'quorum' | 'ping' | 'status'>;

/** Checks every component that the API depends on. A component that does not answer within two seconds is down. */
@Injectable()
export class HealthService implements HealthChecks {
  constructor(
    @Inject(STORE) private readonly store: HealthStore,
    @Inject(CHAINS) private readonly chains: Readonly<Record<Side, HealthChain>>,
    @Inject(MIRROR) private readonly mirror: Mirror | null,
    private readonly relayerLife: RelayerLife,
    private readonly chainLife: ChainLife,
    private readonly drain: Drain,
  ) {}

  async check(): Promise<HealthResponse> {
    const [database, ethereumRpc, partnerRpc, mirrorNode, relayer, halts] = await Promise.all([
      this.probeWrites(),
      this.probeChain('ethereum'),
      this.probeChain('partner'),
      this.probeMirror(),
      probe(() => this.relayerProgress()),
      this.halts(),
    ]);
    const components = {
      database,
      ethereumRpc,
      partnerRpc,
      // Without MIRROR_URL, no component depends on a mirror.
      ...(mirrorNode === null ? {} : { mirrorNode }),
      relayer,
    };
    return halts.length === 0 ? reportHealth(components) : { status: 'unhealthy', components, halts };
  }

  /**
   * Whether this replica should receive requests: the database answers and is compatible, both clocks agree, and no
   * shutdown has begun. Nodes and the relayer do not count, because every replica would be affected equally.
   */
  async ready(): Promise<HealthReport> {
    if (this.drain.signal.aborted) return { status: 'unhealthy', components: {} };
    return reportHealth({ database: await this.probeClock() });
  }

  /** The process answers. */
  live(): HealthReport {
    return reportHealth({});
  }

  /** A database with incompatible tables counts as unavailable: no request that needs it would succeed. */
  private async probeDatabase(): Promise<Component> {
    return probe(async () => {
      await this.store.assertCompatible();
      return this.store.ping();
    });
  }

  /** A read-only database counts as not connected: no intent can be accepted, and the relayer cannot work. */
  private async probeWrites(): Promise<Component> {
    const database = await this.probeDatabase();
    if (!database.connected) return database;
    const takesWrites = await finishInTime(this.store.takesWrites()).catch(() => null);
    if (takesWrites === null) return { connected: false, latencyMs: null };
    return takesWrites ? database : { ...database, connected: false, problem: 'It answers and takes no writes.' };
  }

  /**
   * A chain is connected while enough nodes agree on its head and it makes blocks. Only the operator's log names
   * missing nodes.
   */
  private async probeChain(side: Side): Promise<Component> {
    const chain = this.chains[side];
    const component = await probe(() => chain.ping());
    const problem = component.connected ? await this.chainLife.readProblem(side) : null;
    const nodes = chain.status();
    const usable = nodes.filter((node) => node.usable && node.head !== null).length;
    return {
      ...component,
      ...(problem !== null && { connected: false, problem }),
      nodes: { configured: nodes.length, usable, required: chain.quorum },
    };
  }

  /** Intent windows are judged by this machine's clock; a wrong clock would refuse valid intents. */
  private async probeClock(): Promise<Component> {
    const database = await this.probeDatabase();
    if (!database.connected) return database;
    const differenceMs = await finishInTime(this.store.clockDifference(Date.now)).catch(() => null);
    if (differenceMs === null) return { connected: false, latencyMs: null };
    if (differenceMs <= CLOCK_TOLERANCE_MS) return database;
    const seconds = Math.round(differenceMs / 1_000);
    return { ...database, connected: false, problem: `Its clock and that of the API differ by ${seconds} s.` };
  }

  private async probeMirror(): Promise<Component | null> {
    const { mirror } = this;
    return mirror === null ? null : probe(() => mirror.ping());
  }

  /** The halted chains, or both chains while deliveries are halted. Only the operator's log has the reason. */
  private async halts(): Promise<NonNullable<HealthResponse['halts']>> {
    const found = await finishInTime(this.store.halts.list()).catch(() => []);
    const deliveries = await finishInTime(this.store.halts.deliveries()).catch(() => null);
    const halted = new Map(found.map(({ chainId, since }) => [chainId, since]));
    for (const { chainId } of [this.chains.ethereum, this.chains.partner])
      if (deliveries !== null && !halted.has(chainId)) halted.set(chainId, deliveries.since);
    return [...halted].map(([chainId, since]) => ({ chainId, since: since.toISOString() }));
  }

  private async relayerProgress(): Promise<null> {
    const problem = await this.relayerLife.readProblem();
    if (problem !== null) throw new Error(problem);
    return null;
  }
}

@Controller(['health', 'api/v1/health'])
export class HealthController {
  constructor(private readonly service: HealthService) {}

  /** `GET /health` (specification): 503 with the same body when a component is down. */
  @Get()
  async health(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    return send(reply, await this.service.check());
  }

  /** `GET /health/live`: the process answers. If it does not, restart it. */
  @Get('live')
  live(@Res({ passthrough: true }) reply: FastifyReply): HealthResponse {
    return send(reply, this.service.live());
  }

  /** `GET /health/ready`: 503 while requests should go to another replica. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    return send(reply, await this.service.ready());
  }
}

function send(reply: FastifyReply, report: HealthResponse): HealthResponse {
  const isHealthy = report.status === 'healthy';
  void reply.status(isHealthy ? 200 : 503).header('cache-control', 'no-store');
  if (!isHealthy) void reply.header('retry-after', RETRY_AFTER_SECONDS);
  return report;
}
