import { ExemptAddresses } from './client-ip.js';
import { RateLimiter, type RateVerdict } from './rate-limiter.js';

/** What a client can occupy. Subscriptions count for each connection, everything else for each client address. */
type Resource = 'connections' | 'unreadBytes' | 'filters' | 'filterTerms' | 'subscriptions' | 'subscriptionTerms';

/** The most of a resource that one client may occupy, and all clients together. */
interface ResourceLimit {
  readonly each: number;
  readonly all: number;
}

export type ResourceLimits = Readonly<Record<Resource, ResourceLimit>>;

interface ClientBudgetOptions {
  readonly limits?: Partial<ResourceLimits>;
  /** No limit of the rate when left out. */
  readonly rateLimiter?: RateLimiter;
  /** Clients without limits of calls, connections and unread bytes. */
  readonly exempt?: ExemptAddresses;
}

/** A reservation, to be released by one call of the function; or the limit that it would exceed. */
type Reservation = (() => void) | keyof ResourceLimit;

/**
 * Enough for every reasonable client, and about 100 MB of filters and subscriptions at the worst. Terms are the
 * addresses and topics of a filter, a measure of its memory.
 */
const DEFAULT_LIMITS: ResourceLimits = {
  connections: { each: Infinity, all: Infinity },
  unreadBytes: { each: Infinity, all: Infinity },
  filters: { each: 100, all: 10_000 },
  filterTerms: { each: 20_000, all: 500_000 },
  subscriptions: { each: 100, all: 50_000 },
  subscriptionTerms: { each: 10_000, all: 500_000 },
};
/** Operators exempt clients from these; filters and subscriptions stay bounded for everyone. */
const EXEMPTIBLE: ReadonlySet<Resource> = new Set<Resource>(['connections', 'unreadBytes']);

const NO_RATE_LIMIT = { redis: null, onRefused: () => undefined, onRedisFailed: () => undefined };
const UNLIMITED: RateVerdict = { admitted: Infinity, refusal: '', retryAfterMs: 0, budget: null };

/**
 * The accounting of every client: calls, WebSocket connections, unread bytes, filters and subscriptions. The counts are
 * of this process; only the rate of calls is shared through Redis.
 */
export class ClientBudget {
  private readonly limits: ResourceLimits;
  private readonly rateLimiter: RateLimiter;
  private readonly exempt: ExemptAddresses;
  private readonly used = new Map<Resource, Map<string, number>>();
  private readonly totals = new Map<Resource, number>();

  constructor({ limits, rateLimiter, exempt }: ClientBudgetOptions = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.rateLimiter = rateLimiter ?? new RateLimiter({ callsPerSecond: 0, callsPerMinute: 0 }, NO_RATE_LIMIT);
    this.exempt = exempt ?? new ExemptAddresses([]);
  }

  /** Takes up to `calls` calls from the client's rate. @param ip as `networkOf` writes it. */
  async takeCalls(ip: string, calls: number): Promise<RateVerdict> {
    return this.exempt.has(ip) ? { ...UNLIMITED, admitted: calls } : this.rateLimiter.take(ip, calls);
  }

  /** The HTTP headers that show a client its rate. */
  rateHeaders(verdict: RateVerdict): Record<string, string> {
    return this.rateLimiter.headers(verdict);
  }

  /** Reserves an amount within the limits. */
  take(resource: Resource, client: string, amount: number): Reservation {
    const { each, all } = this.limits[resource];
    if (this.usedBy(resource, client) + amount > each && !this.isExempt(resource, client)) return 'each';
    if (this.total(resource) + amount > all) return 'all';
    return this.hold(resource, client, amount);
  }

  /** Counts an amount that cannot be refused, also beyond the limit. @returns what releases it, to be called once. */
  hold(resource: Resource, client: string, amount: number): () => void {
    this.add(resource, client, amount);
    return () => this.add(resource, client, -amount);
  }

  /** Whether a client occupies more than its limit. */
  isOver(resource: Resource, client: string): boolean {
    return this.usedBy(resource, client) > this.limits[resource].each && !this.isExempt(resource, client);
  }

  /** What all clients occupy together. */
  total(resource: Resource): number {
    return this.totals.get(resource) ?? 0;
  }

  /** The limit of one client, for messages. */
  limitOf(resource: Resource): number {
    return this.limits[resource].each;
  }

  private isExempt(resource: Resource, client: string): boolean {
    return EXEMPTIBLE.has(resource) && this.exempt.has(client);
  }

  private usedBy(resource: Resource, client: string): number {
    return this.used.get(resource)?.get(client) ?? 0;
  }

  private add(resource: Resource, client: string, amount: number): void {
    const clients = this.used.get(resource) ?? new Map<string, number>();
    this.used.set(resource, clients);
    const left = (clients.get(client) ?? 0) + amount;
    // Clients that occupy nothing are forgotten.
    if (left > 0) clients.set(client, left);
    else clients.delete(client);
    this.totals.set(resource, this.total(resource) + amount);
  }
}
