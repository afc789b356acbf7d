import type { Hex } from 'viem';
import type { Backend, HeadEvent, SyncState } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { LogQuery } from '../schemas/log-query.js';
import type { Connection } from '../transport/connection.js';
import { Pauses } from '../turns/pauses.js';
import type { BlockLogs } from './block-logs.js';
import type { BlockOfLogs } from './block-of-logs.js';
import type { ChainFeed } from './chain-feed.js';
import { LogIndex } from './log-index.js';
import { LogMatcher } from './log-matcher.js';
import { Quota } from './quota.js';
import { randomId } from './random-id.js';
import { syncNotification } from './sync-notification.js';
import type { SubscriptionKind } from './subscription-kind.js';
import { DEFAULT_SUBSCRIPTION_LIMITS, type SubscriptionLimits } from './subscription-limits.js';
import { Subscription } from './subscription.js';

/** What is subscribed to. */
export type SubscriptionTopic =
  | { readonly kind: Exclude<SubscriptionKind, 'logs'> }
  | { readonly kind: 'logs'; readonly query: Pick<LogQuery, 'address' | 'topics'> };

/** What subscriptions rest on. */
export interface SubscriptionsOptions {
  readonly backend: Backend;
  readonly feed: ChainFeed;
  readonly blockLogs: BlockLogs;
  readonly logger: { warn(details: object, message: string): void };
  readonly limits?: SubscriptionLimits;
  readonly newId?: () => Hex;
}

/**
 * All subscriptions of this process (spec "Events"). Heads come in order, the logs of a block after its head; logs of a block that a reorganisation took
 * back come again with `removed: true`. A client whose events cannot be told without a gap is disconnected, so that it knows.
 */
export class Subscriptions {
  readonly #all: Readonly<Record<SubscriptionKind, Set<Subscription>>> = {
    newHeads: new Set(),
    logs: new Set(),
    pendingTransactions: new Set(),
    syncing: new Set(),
  };
  readonly #logIndex = new LogIndex();
  readonly #byConnection = new Map<string, Map<Hex, Subscription>>();
  readonly #options: SubscriptionsOptions;
  readonly #quota: Quota;
  readonly #terms: Quota;
  #leave: (() => void) | null = null;
  #syncing: string | null = null;

  constructor(options: SubscriptionsOptions) {
    const { subscriptions, terms } = options.limits ?? DEFAULT_SUBSCRIPTION_LIMITS;
    this.#options = options;
    this.#quota = new Quota(subscriptions);
    this.#terms = new Quota(terms);
    options.blockLogs.listen({
      onLogs: (block, removed) => this.#onLogs(block, removed),
      onLost: (problem) => this.#disconnect(['logs'], 'logs of a block could not be read', problem),
    });
  }

  /** Subscriptions there are now, for metrics. */
  count(): number {
    return this.#quota.total;
  }

  /**
   * Begins a subscription.
   *
   * @param answered resolves once the client has been told the id; events are held back until then.
   * @throws RpcError -32005 for too many of them.
   */
  open(connection: Connection, topic: SubscriptionTopic, answered: Promise<void>): Hex {
    const matcher = topic.kind === 'logs' ? new LogMatcher(topic.query) : null;
    const giveBack = this.#take(connection.id, matcher?.terms ?? 0);
    const unwatch = matcher === null ? null : this.#options.blockLogs.watch(matcher);
    const id = (this.#options.newId ?? randomId)();
    const subscription = new Subscription(id, topic.kind, connection, matcher, () => {
      unwatch?.();
      giveBack();
    });
    this.#leave ??= this.#follow();
    this.#all[topic.kind].add(subscription);
    if (topic.kind === 'logs') this.#logIndex.add(subscription);
    this.#register(subscription);
    if (topic.kind === 'syncing') subscription.notify(syncNotification(this.#options.backend.status().syncing));
    void answered.then(() => subscription.start());
    return id;
  }

  /** Ends a subscription of this connection. @returns false if it has none with this id. */
  end(connection: Connection, id: string): boolean {
    const own = this.#byConnection.get(connection.id);
    const subscription = own?.get(id as Hex);
    if (own === undefined || subscription === undefined) return false;
    own.delete(subscription.id);
    this.#drop(subscription);
    return true;
  }

  #take(connection: string, terms: number): () => void {
    const refused = this.#quota.take(connection, 1);
    if (refused !== null)
      throw tooMany(refused === 'each' ? 'subscriptions on this connection' : 'subscriptions in all');
    const refusedTerms = this.#terms.take(connection, terms);
    if (refusedTerms !== null) {
      this.#quota.give(connection, 1);
      throw tooMany('addresses and topics in subscriptions');
    }
    return () => {
      this.#quota.give(connection, 1);
      this.#terms.give(connection, terms);
    };
  }

  #follow(): () => void {
    return this.#options.feed.follow({
      onHead: (event) => this.#onHead(event),
      onPendingTransaction: (hash) => this.#notify('pendingTransactions', JSON.stringify(hash)),
      onSyncing: (state) => this.#onSyncing(state),
      onGap: () => this.#disconnect(['newHeads', 'logs'], 'the chain went on out of sight', null),
    });
  }

  #register(subscription: Subscription): void {
    const { id, connection } = subscription;
    const known = this.#byConnection.get(connection.id);
    if (known !== undefined) {
      known.set(id, subscription);
      return;
    }
    const own = new Map([[id, subscription]]);
    this.#byConnection.set(connection.id, own);
    connection.onClose(() => {
      this.#byConnection.delete(connection.id);
      for (const each of own.values()) this.#drop(each);
      own.clear();
    });
  }

  #drop(subscription: Subscription): void {
    this.#all[subscription.kind].delete(subscription);
    this.#logIndex.delete(subscription);
    subscription.end();
    if (this.#quota.total > 0) return;
    this.#leave?.();
    this.#leave = null;
    this.#syncing = null;
  }

  #notify(kind: SubscriptionKind, result: string): void {
    for (const subscription of this.#all[kind]) subscription.notify(result);
  }

  #onHead({ header }: HeadEvent): void {
    if (this.#all.newHeads.size > 0) this.#notify('newHeads', JSON.stringify(header));
  }

  #onSyncing(state: SyncState): void {
    const text = syncNotification(state);
    if (text === this.#syncing) return;
    this.#syncing = text;
    this.#notify('syncing', text);
  }

  /** With pauses, in which those who read fast empty their queues. Who subscribes meanwhile begins with the next block. */
  async #onLogs({ logs }: BlockOfLogs, removed: boolean): Promise<void> {
    const subscribed = new Set(this.#all.logs);
    const pauses = new Pauses();
    for (const log of logs) {
      const wanting = this.#logIndex.wanting(log).filter((subscription) => subscribed.has(subscription));
      if (wanting.length > 0) {
        const text = JSON.stringify({ ...log.value, removed });
        for (const subscription of wanting) subscription.notify(text);
      }
      await pauses.after(1 + wanting.length);
    }
  }

  #disconnect(kinds: readonly SubscriptionKind[], reason: string, problem: unknown): void {
    const connections = new Set(kinds.flatMap((kind) => [...this.#all[kind]].map(({ connection }) => connection)));
    if (connections.size === 0) return;
    this.#options.logger.warn(
      { err: problem, connections: connections.size },
      `Subscribers are disconnected: ${reason}`,
    );
    for (const connection of connections) connection.disconnect(`${reason}; subscribe again`);
  }
}

function tooMany(what: string): RpcError {
  return new RpcError('RATE_LIMIT_EXCEEDED', `too many ${what}; end some first`);
}
