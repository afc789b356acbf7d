import type {
  AdminChange,
  AdminIntentsResponse,
  AdminOperationResponse,
  AdminOperationsResponse,
  AdminRefundResponse,
  AdminRefundsResponse,
  AlertsResponse,
  AuditResponse,
  ContractCallsResponse,
  ContractsResponse,
  MembersResponse,
  OverviewResponse,
  RelayersResponse,
  RequestResponse,
  RequestsResponse,
  SessionResponse,
  SessionsResponse,
  SettingsResponse,
  SolvencyResponse,
} from '@causeway/protocol/admin';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, read, type Query } from './client.js';

// The queries of the pages. `changedBy`: the events of the stream that invalidate a query (live-updates.ts).
declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly changedBy?: readonly AdminChange[] };
  }
}

/** Poll interval for chain heads and confirmations, which change without an event of the stream. */
const MOVING_MS = 4_000;

/** The session of this browser; null without one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionResponse | null> => {
    try {
      return await read<SessionResponse>('/session', {}, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: Infinity,
});

/** The member's sessions. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => read<SessionsResponse>('/sessions', {}, signal),
});

/** The members on the allow-list. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  meta: { changedBy: ['requests'] },
  queryFn: ({ signal }) => read<MembersResponse>('/members', {}, signal),
});

/** The bridge at a glance. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  meta: { changedBy: ['requests', 'halts', 'refunds', 'lease'] },
  queryFn: ({ signal }) => read<OverviewResponse>('/overview', {}, signal),
  refetchInterval: MOVING_MS,
});

/** Native XCN over time. */
export const solvencyQuery = (since: string | undefined) =>
  queryOptions({
    queryKey: ['solvency', since],
    queryFn: ({ signal }) => read<SolvencyResponse>('/solvency', { since }, signal),
    refetchInterval: 60_000,
  });

/** A page of operations. */
export const operationsQuery = (filters: Query) =>
  queryOptions({
    queryKey: ['operations', filters],
    queryFn: ({ signal }) => read<AdminOperationsResponse>('/operations', filters, signal),
    placeholderData: keepPreviousData,
  });

/** One operation. Polled until it ends, because confirmations change with the head. */
export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operation', id],
    meta: { changedBy: ['requests', 'refunds'] },
    queryFn: ({ signal }) => read<AdminOperationResponse>(`/operations/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => {
      const status = state.data?.operation.status;
      return status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED' ? false : MOVING_MS / 2;
    },
  });

/** A page of intents. */
export const intentsQuery = (filters: Query) =>
  queryOptions({
    queryKey: ['intents', filters],
    queryFn: ({ signal }) => read<AdminIntentsResponse>('/intents', filters, signal),
    placeholderData: keepPreviousData,
  });

/** A page of refunds. */
export const refundsQuery = (filters: Query) =>
  queryOptions({
    queryKey: ['refunds', filters],
    meta: { changedBy: ['requests', 'refunds'] },
    queryFn: ({ signal }) => read<AdminRefundsResponse>('/refunds', filters, signal),
    placeholderData: keepPreviousData,
  });

/** One refund. Polled until it ends, because deliveries that may have paid it cause no event. */
export const refundQuery = (id: string) =>
  queryOptions({
    queryKey: ['refund', id],
    meta: { changedBy: ['requests', 'refunds'] },
    queryFn: ({ signal }) => read<AdminRefundResponse>(`/refunds/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status === 'COMPLETED' || status === 'REFUSED' ? false : 3 * MOVING_MS;
    },
  });

/** A page of requests. */
export const requestsQuery = (filters: Query) =>
  queryOptions({
    queryKey: ['requests', filters],
    meta: { changedBy: ['requests'] },
    queryFn: ({ signal }) => read<RequestsResponse>('/requests', filters, signal),
    placeholderData: keepPreviousData,
  });

/** One request. Polled until it ends, because a relayer carries it out within seconds. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['request', id],
    meta: { changedBy: ['requests'] },
    queryFn: ({ signal }) => read<RequestResponse>(`/requests/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.endedAt !== null ? false : MOVING_MS / 2),
  });

/** The current state of both contracts. */
export const contractsQuery = queryOptions({
  queryKey: ['contracts'],
  queryFn: ({ signal }) => read<ContractsResponse>('/contracts', {}, signal),
  refetchInterval: 3 * MOVING_MS,
});

/** The calls that a role holder can make. */
export const contractCallsQuery = queryOptions({
  queryKey: ['contract-calls'],
  queryFn: ({ signal }) => read<ContractCallsResponse>('/contracts/calls', {}, signal),
  staleTime: Infinity,
});

/** The lease and the wallets of the relayers. */
export const relayersQuery = queryOptions({
  queryKey: ['relayers'],
  meta: { changedBy: ['halts', 'lease'] },
  queryFn: ({ signal }) => read<RelayersResponse>('/relayers', {}, signal),
  refetchInterval: MOVING_MS,
});

/** The open alerts. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  meta: { changedBy: ['requests', 'halts', 'refunds', 'lease'] },
  queryFn: ({ signal }) => read<AlertsResponse>('/alerts', {}, signal),
  refetchInterval: 3 * MOVING_MS,
});

/** The settings of the API. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => read<SettingsResponse>('/settings', {}, signal),
  staleTime: 5 * 60_000,
});

/** A page of the audit log. */
export const auditQuery = (filters: Query) =>
  queryOptions({
    queryKey: ['audit', filters],
    meta: { changedBy: ['audit'] },
    queryFn: ({ signal }) => read<AuditResponse>('/audit', filters, signal),
    placeholderData: keepPreviousData,
  });
