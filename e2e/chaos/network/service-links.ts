import type { Environment } from '@causeway/testbed';
import { startRpcProxy, type RpcHooks, type RpcProxy } from '@causeway/test-kit';
import { keccak256, type Hex } from 'viem';
import { Link } from './link.ts';
import { applyLie, type Lie } from './lies.ts';

export type Side = 'ethereum' | 'partner';

/** A moment of sending a transaction: before a node has it, or when its answer is pending. */
export type Moment = 'before' | 'after';

/** Called when the service sends a transaction to a node. Returns false to cut off the call. */
type BroadcastHook = (side: Side, moment: Moment, txHash: Hex) => Promise<boolean>;

/** The links from one service to three nodes of each chain, the mirror and PostgreSQL. The third node can lie. */
export class ServiceLinks {
  readonly nodes: Readonly<Record<Side, readonly Link[]>>;
  readonly mirror: Link;
  readonly database: Link;
  onBroadcast: BroadcastHook | null = null;
  private readonly lies: Record<Side, Lie | null> = { ethereum: null, partner: null };
  private readonly proxies: RpcProxy[] = [];
  private readonly databaseUrl: URL;

  private constructor(nodes: Record<Side, Link[]>, mirror: Link, database: Link, databaseUrl: URL) {
    this.nodes = nodes;
    this.mirror = mirror;
    this.database = database;
    this.databaseUrl = databaseUrl;
  }

  /** @param gatewayUrl URL of the partner chain's second node. */
  static async open({ stack }: Environment, gatewayUrl: string): Promise<ServiceLinks> {
    const databaseUrl = new URL(stack.databaseUrl);
    const three = async () => Promise.all([1, 2, 3].map(() => Link.to(0)));
    const links = new ServiceLinks(
      { ethereum: await three(), partner: await three() },
      await Link.to(getPort(stack.partner.rpcUrl)),
      await Link.to(getPort(stack.databaseUrl)),
      databaseUrl,
    );
    const { ethereum, partner } = stack;
    await links.lead('ethereum', [ethereum.rpcUrl, ethereum.rpcUrl, ethereum.rpcUrl]);
    await links.lead('partner', [partner.rpcUrl, gatewayUrl, partner.rpcUrl]);
    return links;
  }

  /** Points the links to a chain's nodes at proxies for these URLs. */
  private async lead(side: Side, urls: readonly string[]): Promise<void> {
    const at =
      (moment: Moment) =>
      async (...[, calls]: Parameters<NonNullable<RpcHooks['beforeNode']>>) => {
        const [raw] = calls.find(({ method }) => method === 'eth_sendRawTransaction')?.params ?? [];
        return raw === undefined || this.onBroadcast === null || this.onBroadcast(side, moment, keccak256(raw as Hex));
      };
    const hooks = { beforeNode: at('before'), afterNode: at('after') };
    const liar: RpcHooks = { ...hooks, changeResult: (...call) => applyLie(this.lies[side], ...call) };
    for (const [index, url] of urls.entries()) {
      const proxy = await startRpcProxy(url, index === 2 ? liar : hooks);
      this.proxies.push(proxy);
      this.nodes[side][index]?.retarget(getPort(proxy.url));
    }
  }

  /** The environment variables that make the service use these links. */
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

  /** Sets the lie of a chain's third node; null makes it honest. */
  lie(side: Side, lie: Lie | null): void {
    this.lies[side] = lie;
  }

  /** Removes all faults. */
  heal(): void {
    for (const side of ['ethereum', 'partner'] as const) this.lie(side, null);
    for (const link of this.all()) link.set('open');
  }

  async close(): Promise<void> {
    await Promise.all([...this.all(), ...this.proxies].map((each) => each.close()));
  }

  private all(): Link[] {
    return [...this.nodes.ethereum, ...this.nodes.partner, this.mirror, this.database];
  }
}

function getPort(url: string): number {
  return Number(new URL(url).port);
}
