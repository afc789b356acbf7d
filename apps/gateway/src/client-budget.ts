import { RateLimiter, type Client, type RateVerdict } from '@causeway/service/http';
import type { KeyLimits } from './access/key-limits.js';
import { RpcError } from './jsonrpc/errors.js';

type Resource =
  'connections' | 'unreadBytes' | 'filters' | 'filterTerms' | 'subscriptions' | 'subscriptionTerms' | 'waits';

interface ResourceLimit {
  readonly each: number;
  readonly all: number;
}

export type ResourceLimits = Readonly<Record<Resource, ResourceLimit>>;

interface ClientBudgetOptions {
  readonly limits?: Partial<ResourceLimits>;
  readonly rateLimiter?: RateLimiter;
  /** The limits of clients with a key. */
  readonly keyLimits?: KeyLimits;
}

/** A function that releases the reservation, to be called once; or the limit that it would exceed. */
type Reservation = (() => void) | keyof ResourceLimit;

/** Unread bytes of a connection that can be cut off. */
interface Unread {
  readonly release: () => void;
  readonly cut: () => void;
}

/** At most about 100 MB of filters and subscriptions. Terms are addresses and topics, a measure of memory. */
const DEFAULT_LIMITS: ResourceLimits = {
  connections: { each: Infinity, all: Infinity },
  unreadBytes: { each: Infinity, all: Infinity },
  filters: { each: 100, all: 10_000 },
  filterTerms: { each: 20_000, all: 500_000 },
  subscriptions: { each: 100, all: 50_000 },
  subscriptionTerms: { each: 10_000, all: 500_000 },
  // Requests waiting for a transaction's receipt.
  waits: { each: 100, all: 2_000 },
};
/** Operators can exempt addresses from these; filters and subscriptions stay bounded for everyone. */
const EXEMPTIBLE: ReadonlySet<Resource> = new Set<Resource>(['connections', 'unreadBytes']);

/** The second resource of each kind of watch, and the text of its refusal. */
const WATCHES = {
  filters: {
    terms: 'filterTerms',
    owner: 'of this client',
    advice: 'uninstall some, or try again when some have expired',
  },
  subscriptions: { terms: 'subscriptionTerms', owner: 'on this connection', advice: 'end some first' },
} as const;

const NO_RATE_LIMIT = { redis: null, onRefused: () => undefined, onRedisFailed: () => undefined };
const UNLIMITED: RateVerdict = { admitted: Infinity, refusal: '', retryAfterMs: 0, budget: null };

/** Accounts for every client's usage in this process. Only the call rate is shared through Redis. */
export class ClientBudget {
  private readonly limits: ResourceLimits;
  private readonly rateLimiter: RateLimiter;
  private readonly keyLimits: KeyLimits | undefined;
  private readonly used = new Map<Resource, Map<string, number>>();
  private readonly totals = new Map<Resource, number>();
  /** Unread bytes that can be cut off, by client key. */
  private readonly unread = new Map<string, Set<Unread>>();

  constructor({ limits, rateLimiter, keyLimits }: ClientBudgetOptions = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.rateLimiter = rateLimiter ?? new RateLimiter({ windows: [], unit: '', keyPrefix: '' }, NO_RATE_LIMIT);
    this.keyLimits = keyLimits;
  }

  async takeCalls(client: Client, calls: number): Promise<RateVerdict> {
    if (client.isExempt) return { ...UNLIMITED, admitted: calls };
    const verdict = await this.findRateLimiter(client).take(client.key, calls);
    this.keyLimits?.record(client, verdict.admitted, calls - verdict.admitted, 'rate');
    return verdict;
  }

  rateHeaders(client: Client, verdict: RateVerdict): Record<string, string> {
    return this.findRateLimiter(client).headers(verdict);
  }

  take(resource: Resource, client: Client, amount: number): Reservation {
    const { all } = this.limits[resource];
    if (this.usedBy(resource, client) + amount > this.getLimit(resource, client) && !isFree(resource, client))
      return 'each';
    if (this.total(resource) + amount > all) return 'all';
    return this.hold(resource, client, amount);
  }

  /**
   * Reserves a filter or a subscription; the result releases it.
   *
   * @param key key of the client or of the connection.
   * @throws RpcError -32005 that names the limit.
   */
  reserve(watch: keyof typeof WATCHES, key: string, termCount: number): () => void {
    const { terms, owner, advice } = WATCHES[watch];
    const client = { key, isExempt: false };
    const tooMany = (what: string) => new RpcError('RATE_LIMIT_EXCEEDED', `too many ${what}; ${advice}`);
    const release = this.take(watch, client, 1);
    if (typeof release !== 'function') throw tooMany(`${watch} ${release === 'each' ? owner : 'in all'}`);
    const releaseTerms = this.take(terms, client, termCount);
    if (typeof releaseTerms === 'function') {
      return () => {
        releaseTerms();
        release();
      };
    }
    release();
    throw tooMany(`addresses and topics in ${watch}`);
  }

  /**
   * Counts an amount that cannot be refused, even beyond the limit. @returns a function that releases it, to be called
   * once.
   */
  hold(resource: Resource, client: Client, amount: number): () => void {
    this.add(resource, client, amount);
    return () => this.add(resource, client, -amount);
  }

  /**
   * Counts bytes of responses not read or requests not completely sent by a client. When all clients together exceed
   * the limit, the client with the most loses its connections, so that clients that read are served. Exempt clients are
   * not counted.
   *
   * @param cut ends the connection of the bytes.
   * @returns a function that releases them.
   */
  holdUnread(client: Client, bytes: number, cut: () => void): () => void {
    if (client.isExempt) return () => undefined;
    const own = this.unread.get(client.key) ?? new Set<Unread>();
    let isHeld = true;
    const letGo = this.hold('unreadBytes', client, bytes);
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      letGo();
      own.delete(held);
      if (own.size === 0) this.unread.delete(client.key);
    };
    const held: Unread = { release, cut };
    this.unread.set(client.key, own.add(held));
    while (this.total('unreadBytes') > this.limits.unreadBytes.all) this.cutLargest();
    return release;
  }

  isOver(resource: Resource, client: Client): boolean {
    return this.usedBy(resource, client) > this.limits[resource].each && !isFree(resource, client);
  }

  total(resource: Resource): number {
    return this.totals.get(resource) ?? 0;
  }

  getLimit(resource: Resource, client: Client): number {
    const own = resource === 'connections' ? this.keyLimits?.find(client)?.connections : undefined;
    return own ?? this.limits[resource].each;
  }

  private cutLargest(): void {
    const clients = [...this.unread].map(([key, own]) => ({ own, bytes: this.used.get('unreadBytes')?.get(key) ?? 0 }));
    const { own } = clients.reduce((most, each) => (each.bytes > most.bytes ? each : most));
    for (const { release, cut } of own) {
      release();
      cut();
    }
  }

  private findRateLimiter(client: Client): RateLimiter {
    return this.keyLimits?.find(client)?.rateLimiter ?? this.rateLimiter;
  }

  private usedBy(resource: Resource, { key }: Client): number {
    return this.used.get(resource)?.get(key) ?? 0;
  }

  private add(resource: Resource, { key }: Client, amount: number): void {
    const clients = this.used.get(resource) ?? new Map<string, number>();
    this.used.set(resource, clients);
    const left = (clients.get(key) ?? 0) + amount;
    if (left > 0) clients.set(key, left);
    else clients.delete(key);
    this.totals.set(resource, this.total(resource) + amount);
  }
}

function isFree(resource: Resource, { isExempt }: Client): boolean {
  return isExempt && EXEMPTIBLE.has(resource);
}
