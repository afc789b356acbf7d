import type { Environment } from '@causeway/testbed';
import { startRpcProxy, type RpcProxy } from '@causeway/test-kit';
import { Link } from './link.ts';
import { applyLie, type Lie } from './lies.ts';

/** One of the two chains. */
export type Side = 'ethereum' | 'partner';

/** The ways from one service to three nodes of each chain, the mirror and PostgreSQL. The third node may lie. */
export class ServiceLinks {
  readonly nodes: Readonly<Record<Side, readonly Link[]>>;
  readonly mirror: Link;
  readonly database: Link;
  private readonly lies: Record<Side, Lie | null> = { ethereum: null, partner: null };
  private readonly liars: RpcProxy[] = [];
  private readonly databaseUrl: URL;

  private constructor(nodes: Record<Side, Link[]>, mirror: Link, database: Link, databaseUrl: URL) {
    this.nodes = nodes;
    this.mirror = mirror;
    this.database = database;
    this.databaseUrl = databaseUrl;
  }

  static async open({ stack }: Environment): Promise<ServiceLinks> {
    const ports = { ethereum: getPort(stack.ethereum.rpcUrl), partner: getPort(stack.partner.rpcUrl) };
    const databaseUrl = new URL(stack.databaseUrl);
    const threeTo = async (side: Side) => Promise.all([1, 2, 3].map(() => Link.to(ports[side])));
    const links = new ServiceLinks(
      { ethereum: await threeTo('ethereum'), partner: await threeTo('partner') },
      await Link.to(ports.partner),
      await Link.to(getPort(stack.databaseUrl)),
      databaseUrl,
    );
    for (const side of ['ethereum', 'partner'] as const) {
      const liar = await startRpcProxy(stack[side].rpcUrl, {
        changeResult: (...call) => applyLie(links.lies[side], ...call),
      });
      links.liars.push(liar);
      links.nodes[side][2]?.retarget(getPort(liar.url));
    }
    return links;
  }

  /** The environment variables with which the service uses these ways. */
  get variables(): Record<string, string> {
    const { nodes, mirror, database, databaseUrl } = this;
    const urls = (side: Side) => nodes[side].map(({ port }) => `http://127.0.0.1:${port}`).join(',');
    const url = new URL(databaseUrl);
    url.port = `${database.port}`;
    return {
      ETHEREUM_RPC_URLS: urls('ethereum'),
      PARTNER_RPC_URLS: urls('partner'),
      MIRROR_URL: `http://127.0.0.1:${mirror.port}`,
      DATABASE_URL: url.toString(),
    };
  }

  /** The third node of a chain lies from now on; null: it is honest. */
  lie(side: Side, lie: Lie | null): void {
    this.lies[side] = lie;
  }

  /** No faults any more. */
  heal(): void {
    for (const side of ['ethereum', 'partner'] as const) this.lie(side, null);
    for (const link of this.all()) link.set('open');
  }

  async close(): Promise<void> {
    await Promise.all([...this.all(), ...this.liars].map((each) => each.close()));
  }

  private all(): Link[] {
    return [...this.nodes.ethereum, ...this.nodes.partner, this.mirror, this.database];
  }
}

function getPort(url: string): number {
  return Number(new URL(url).port);
}
