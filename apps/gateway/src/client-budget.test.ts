import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from '@causeway/service/http';
import { ClientBudget } from './client-budget.js';

const CLIENT = { key: '192.0.2.1', isExempt: false };
const OTHER = { key: '192.0.2.2', isExempt: false };
const EXEMPT = { key: '192.0.2.3', isExempt: true };
const limits = { unreadBytes: { each: 1_000, all: Infinity }, connections: { each: 2, all: 3 } };

describe('ClientBudget', () => {
  it('finds a client over its limit until enough is released', () => {
    const budget = new ClientBudget({ limits });
    const first = budget.hold('unreadBytes', CLIENT, 600);
    budget.hold('unreadBytes', CLIENT, 400);
    expect(budget.isOver('unreadBytes', CLIENT)).toBe(false);
    budget.hold('unreadBytes', CLIENT, 1);
    expect(budget.isOver('unreadBytes', CLIENT)).toBe(true);
    expect(budget.isOver('unreadBytes', OTHER)).toBe(false);
    first();
    expect(budget.isOver('unreadBytes', CLIENT)).toBe(false);
  });

  it('reserves up to the limit of a client and of all clients, and names the limit', () => {
    const budget = new ClientBudget({ limits });
    const release = budget.take('connections', CLIENT, 2);
    expect(budget.take('connections', CLIENT, 1)).toBe('each');
    expect(budget.take('connections', OTHER, 1)).toEqual(expect.any(Function));
    expect(budget.take('connections', OTHER, 1)).toBe('all');
    expect(budget.total('connections')).toBe(3);
    if (typeof release === 'function') release();
    expect(budget.total('connections')).toBe(1);
    expect(budget.take('connections', CLIENT, 1)).toEqual(expect.any(Function));
  });

  it('cuts off the client with the most unread bytes when all together have too many, not the newest', () => {
    const budget = new ClientBudget({ limits: { unreadBytes: { each: 1_000, all: 1_500 } } });
    const cut: string[] = [];
    const hold = (client: typeof CLIENT, bytes: number) => budget.holdUnread(client, bytes, () => cut.push(client.key));
    const release = hold(CLIENT, 500);
    hold(CLIENT, 400);
    hold(EXEMPT, 5_000);
    hold(OTHER, 600);
    expect(cut).toEqual([]);
    hold(OTHER, 1);
    expect(cut).toEqual([CLIENT.key, CLIENT.key]);
    release();
    expect(budget.total('unreadBytes')).toBe(601);
    hold(CLIENT, 950);
    expect(cut).toEqual([CLIENT.key, CLIENT.key, CLIENT.key]);
  });

  it('exempts clients from limits of connections and bytes, not of filters and subscriptions', () => {
    const budget = new ClientBudget({ limits: { ...limits, filters: { each: 1, all: 10 } } });
    budget.hold('unreadBytes', EXEMPT, 5_000);
    expect(budget.isOver('unreadBytes', EXEMPT)).toBe(false);
    expect(budget.take('connections', EXEMPT, 3)).toEqual(expect.any(Function));
    expect(budget.take('filters', EXEMPT, 2)).toBe('each');
  });

  it('exempts clients from the rate', async () => {
    const rateLimiter = new RateLimiter(
      { windows: [{ calls: 1, seconds: 60 }], unit: 'calls', keyPrefix: 'test' },
      { redis: null, onRefused: () => undefined, onRedisFailed: () => undefined },
    );
    const budget = new ClientBudget({ rateLimiter });
    const verdict = await budget.takeCalls(EXEMPT, 1e6);
    expect(verdict).toMatchObject({ admitted: 1e6, budget: null });
    expect(budget.rateHeaders(EXEMPT, verdict)).toEqual({});
    expect(await budget.takeCalls(OTHER, 2)).toMatchObject({ admitted: 1 });
  });
});
