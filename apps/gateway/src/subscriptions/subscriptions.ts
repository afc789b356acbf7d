import { setImmediate } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Backend, HeadEvent, SyncState } from '../backends/backend.js';
import type { Connection } from '../jsonrpc/method.js';
import type { ClientBudget } from '../client-budget.js';
import type { LogQuery } from '../schemas/log-filter.js';
import type { BlockLogs } from './block-logs.js';
import { randomId } from './filters.js';
import { whileHeld, type HeadFeed } from './head-feed.js';
import { LOGS_PER_TURN, LogMatcher, type ChainLog } from './logs.js';

type SubscriptionKind = 'newHeads' | 'logs' | 'pendingTransactions' | 'syncing';

type SubscriptionTopic =
  | { readonly kind: Exclude<SubscriptionKind, 'logs'> }
  | { readonly kind: 'logs'; readonly query: Pick<LogQuery, 'address' | 'topics'> };

interface SubscriptionsOptions {
  readonly backend: Backend;
  readonly feed: HeadFeed;
  readonly blockLogs: BlockLogs;
  readonly budget: ClientBudget;
  readonly logger: { warn(details: object, message: string): void };
}

/** Maximum characters of notifications held until the response with the subscription id. */
const MAX_HELD = 1024 * 1024;
/** How many comparisons of a log cost as much as sending one. */
const COMPARISONS_PER_LOG = 32;

/** One subscription of a connection. Notifications wait until the client knows the id. */
class Subscription {
  private readonly prefix: string;
  private held: string[] | null = [];
  private heldSize = 0;
  private hasEnded = false;

  constructor(
    readonly id: Hex,
    readonly kind: SubscriptionKind,
    readonly connection: Connection,
    readonly matcher: LogMatcher | null,
    private readonly releases: readonly (() => void)[],
  ) {
    this.prefix = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
  }

  notify(result: string): void {
    if (this.hasEnded) return;
    if (this.held === null) {
      this.connection.send(`${this.prefix}${result}}}`);
      return;
    }
    this.held.push(result);
    this.heldSize += result.length;
    if (this.heldSize > MAX_HELD) this.connection.disconnect('too many events before the response');
  }

  /** Called once the client knows the id: sends the held notifications, and all later ones directly. */
  start(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const result of held) this.notify(result);
  }

  /** Stops sending and drops held notifications. To be called once. */
  end(): void {
    this.hasEnded = true;
    this.held = [];
    for (const release of this.releases) release();
  }
}

/**
 * All subscriptions of this process (spec "Events"). Heads come in order, and the logs of a block after its head. Logs
 * removed by a reorganisation are repeated with `removed: true`. A client that would miss events is disconnected, so
 * that it notices.
 */
export class Subscriptions {
  private readonly all: Readonly<Record<SubscriptionKind, Set<Subscription>>> = {
    newHeads: new Set(),
    logs: new Set(),
    pendingTransactions: new Set(),
    syncing: new Set(),
  };
  private readonly byConnection = new Map<string, Map<Hex, Subscription>>();
  private syncing: string | null = null;
  private readonly follow = whileHeld(() => {
    this.syncing = null;
    return this.options.feed.follow({
      onHead: (event) => this.onHead(event),
      onPendingTransaction: (hash) => this.notify('pendingTransactions', JSON.stringify(hash)),
      onSyncing: (state) => this.onSyncing(state),
      onGap: () => this.disconnect(['newHeads', 'logs'], 'blocks were missed', null),
    });
  });

  constructor(private readonly options: SubscriptionsOptions) {
    options.blockLogs.listen({
      onLogs: (logs, removed) => this.onLogs(logs, removed),
      onLost: (problem) => this.disconnect(['logs'], 'logs of a block could not be read', problem),
    });
  }

  count(): number {
    return this.options.budget.total('subscriptions');
  }

  /** Starts a subscription. @param answered resolves when the client has the id; events wait until then. */
  open(connection: Connection, topic: SubscriptionTopic, answered: Promise<void>): Hex {
    const { backend, blockLogs, budget } = this.options;
    const matcher = topic.kind === 'logs' ? new LogMatcher(topic.query) : null;
    const releases = [budget.reserve('subscriptions', connection.id, matcher?.terms ?? 0)];
    if (matcher !== null) releases.push(blockLogs.watch());
    releases.push(this.follow());
    const subscription = new Subscription(randomId(), topic.kind, connection, matcher, releases);
    this.all[topic.kind].add(subscription);
    this.register(subscription);
    if (topic.kind === 'syncing') subscription.notify(syncNotification(backend.status().syncing));
    void answered.then(() => subscription.start());
    return subscription.id;
  }

  /** Ends a subscription of this connection. @returns false if it has none with this id. */
  end(connection: Connection, id: string): boolean {
    const own = this.byConnection.get(connection.id);
    const subscription = own?.get(id as Hex);
    if (own === undefined || subscription === undefined) return false;
    own.delete(subscription.id);
    this.drop(subscription);
    return true;
  }

  private register(subscription: Subscription): void {
    const { id, connection } = subscription;
    const known = this.byConnection.get(connection.id)?.set(id, subscription);
    if (known !== undefined) return;
    const own = new Map([[id, subscription]]);
    this.byConnection.set(connection.id, own);
    connection.onClose(() => {
      this.byConnection.delete(connection.id);
      for (const each of own.values()) this.drop(each);
      own.clear();
    });
  }

  private drop(subscription: Subscription): void {
    this.all[subscription.kind].delete(subscription);
    subscription.end();
  }

  private notify(kind: SubscriptionKind, result: string): void {
    for (const subscription of this.all[kind]) subscription.notify(result);
  }

  private onHead({ header }: HeadEvent): void {
    if (this.all.newHeads.size > 0) this.notify('newHeads', JSON.stringify(header));
  }

  private onSyncing(state: SyncState): void {
    const text = syncNotification(state);
    if (text === this.syncing) return;
    this.syncing = text;
    this.notify('syncing', text);
  }

  /** Pauses every few hundred notifications, so that sockets can drain. New subscriptions start with the next block. */
  private async onLogs(logs: readonly ChainLog[], removed: boolean): Promise<void> {
    const subscribed = [...this.all.logs];
    let work = 0;
    for (const log of logs) {
      const matching = subscribed.filter(({ matcher }) => matcher?.matches(log) === true);
      if (matching.length > 0) {
        const text = JSON.stringify({ ...log.value, removed });
        for (const subscription of matching) subscription.notify(text);
      }
      work += 1 + matching.length + subscribed.length / COMPARISONS_PER_LOG;
      if (work < LOGS_PER_TURN) continue;
      work = 0;
      await setImmediate();
    }
  }

  private disconnect(kinds: readonly SubscriptionKind[], reason: string, problem: unknown): void {
    const connections = new Set(kinds.flatMap((kind) => [...this.all[kind]].map(({ connection }) => connection)));
    if (connections.size === 0) return;
    this.options.logger.warn({ err: problem, connections: connections.size }, `Disconnecting subscribers: ${reason}`);
    for (const connection of connections) connection.disconnect(`${reason}; subscribe again`);
  }
}

/** The event of the subscription `syncing` as JSON, in geth's shape: `false`, or `{ syncing: true, status }`. */
function syncNotification(state: SyncState): string {
  return JSON.stringify(state === false ? false : { syncing: true, status: state });
}
