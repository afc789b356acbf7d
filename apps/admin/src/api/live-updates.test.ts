import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AdminChange, AdminOperationRow, AdminOperationsResponse } from '@causeway/protocol/admin';
import { QueryClient, type QueryKey } from '@tanstack/react-query';
import type { Query } from './client.js';
import { applyOperation, LiveUpdates } from './live-updates.js';
import * as queries from './queries.js';

const row = (id: string, change: Partial<AdminOperationRow> = {}): AdminOperationRow =>
  ({
    id,
    status: 'CONFIRMING',
    asset: 'ETH',
    delayedReason: null,
    createdAt: '2026-11-23T12:00:00.000Z',
    ...change,
  }) as AdminOperationRow;
const page = (...operations: AdminOperationRow[]): AdminOperationsResponse => ({
  operations,
  nextCursor: 'next',
  previousCursor: null,
});
const ids = ({ operations }: AdminOperationsResponse) => operations.map(({ id }) => id);
const later = { createdAt: '2026-11-23T12:00:01.000Z' };

describe('an operation that changed', () => {
  it('replaces its row', () => {
    const after = applyOperation(page(row('b'), row('a')), {}, row('a', { status: 'COMPLETED' }));
    expect(after.operations.map(({ id, status }) => `${id} ${status}`)).toEqual(['b CONFIRMING', 'a COMPLETED']);
  });

  it('leaves a list if it no longer matches the filters', () => {
    const after = applyOperation(page(row('b'), row('a')), { status: 'CONFIRMING' }, row('a', { status: 'COMPLETED' }));
    expect(ids(after)).toEqual(['b']);
  });

  it('stays in search results, which only the server can evaluate', () => {
    const after = applyOperation(page(row('a')), { search: '0x1' }, row('a', { status: 'COMPLETED' }));
    expect(after.operations[0]?.status).toBe('COMPLETED');
  });

  it.each<[string, Query, AdminOperationRow, boolean]>([
    ['is added at the top of the first page', {}, row('n', later), true],
    [
      'is added to a list with matching filters',
      { asset: 'ETH', from: '2026-11-23T12:00:00.500Z' },
      row('n', later),
      true,
    ],
    ['is excluded by a filter', { asset: 'USDC' }, row('n', later), false],
    ['is excluded if created after the end', { until: later.createdAt }, row('n', later), false],
    ['is not added to later pages', { cursor: 'x' }, row('n', later), false],
    ['is not added to a search', { search: '0x1' }, row('n', later), false],
    ['is not added if it is older than the page', {}, row('n', { createdAt: '2026-11-23T11:00:00.000Z' }), false],
  ])('%s', (_, filters, changed, isShown) => {
    expect(ids(applyOperation(page(row('a')), filters, changed))).toEqual(isShown ? ['n', 'a'] : ['a']);
  });

  it("does not push a row out, because the next page's cursor starts after the last row", () => {
    const full = page(...Array.from({ length: 50 }, (_, index) => row(String(index))));
    expect(ids(applyOperation(full, {}, row('n', later)))).toHaveLength(51);
  });
});

describe('a change of the event stream', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const ID = 'an id';
  const ALL = [
    queries.membersQuery,
    queries.overviewQuery,
    queries.operationsQuery({}),
    queries.operationQuery(ID),
    queries.intentsQuery({}),
    queries.refundsQuery({}),
    queries.refundQuery(ID),
    queries.requestsQuery({}),
    queries.requestQuery(ID),
    queries.contractsQuery,
    queries.relayersQuery,
    queries.alertsQuery,
    queries.settingsQuery,
    queries.auditQuery({}),
  ];

  it.each<readonly [AdminChange, readonly string[]]>([
    ['requests', ['alerts', 'members', 'operation', 'overview', 'refund', 'refunds', 'request', 'requests']],
    ['halts', ['alerts', 'overview', 'relayers']],
    ['refunds', ['alerts', 'operation', 'overview', 'refund', 'refunds']],
    ['lease', ['alerts', 'overview', 'relayers']],
    ['audit', ['audit']],
  ])('of %s reads %j again', (what, resources) => {
    const client = new QueryClient();
    for (const { queryKey, meta } of ALL as readonly { queryKey: QueryKey; meta?: object }[]) {
      client
        .getQueryCache()
        .build(client, { queryKey, ...(meta === undefined ? {} : { meta }) })
        .setData({});
    }
    new LiveUpdates(client).apply('changed', JSON.stringify({ what }));
    jest.runOnlyPendingTimers();
    const stale = client.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated });
    expect(new Set(stale.map(({ queryKey }) => queryKey[0]))).toEqual(new Set(resources));
    client.clear();
  });
});
