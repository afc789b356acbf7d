import type {
  CreateRequestBody,
  NonceResponse,
  PrepareCallBody,
  PrepareCallResponse,
  PreviewBody,
  PreviewResponse,
  ReportCallBody,
  RequestResponse,
  SessionResponse,
} from '@causeway/protocol/admin';
import { mutationOptions, type QueryClient } from '@tanstack/react-query';
import { change } from './client.js';
import { requestQuery, sessionQuery } from './queries.js';

// The mutations of the pages, each with the queries that it invalidates. Every mutation sends the CSRF token.

async function post<T>(client: QueryClient, path: string, body?: unknown): Promise<T> {
  return change<T>('POST', path, body, readToken(client));
}

/** Null before sign-in. */
function readToken(client: QueryClient): string | null {
  return client.getQueryData(sessionQuery.queryKey)?.csrfToken ?? null;
}

function showRequest(client: QueryClient, request: RequestResponse): void {
  client.setQueryData(requestQuery(request.id).queryKey, request);
  void client.invalidateQueries({ queryKey: ['requests'] });
}

/** Requests a nonce for a Sign-In with Ethereum message. */
export const signInNonce = mutationOptions({
  mutationFn: async (_: void, { client }) => post<NonceResponse>(client, '/sign-in/nonce'),
});

/** Starts a session. */
export const signIn = mutationOptions({
  mutationFn: async (body: { readonly message: string; readonly signature: string }, { client }) =>
    post<SessionResponse>(client, '/sign-in', body),
  onSuccess: (session, _body, _, { client }) => client.setQueryData(sessionQuery.queryKey, session),
});

/** Ends the session, clears the query cache, and shows sign-in. */
export const signOut = mutationOptions({
  mutationFn: async (_: void, { client }) => change<unknown>('DELETE', '/session', undefined, readToken(client)),
  onSuccess: (_answer, _, __, { client }) => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    client.setQueryData(sessionQuery.queryKey, null);
  },
});

/** Ends one of the member's sessions, or all (`id` null). */
export const endSessions = mutationOptions({
  mutationFn: async (id: string | null, { client }) => {
    const path = id === null ? '/sessions' : `/sessions/${encodeURIComponent(id)}`;
    return change<unknown>('DELETE', path, undefined, readToken(client));
  },
  // The current session may have ended too.
  onSettled: async (_answer, _error, _id, _, { client }) => {
    await client.invalidateQueries({ queryKey: ['sessions'] });
    await client.invalidateQueries({ queryKey: ['session'] });
  },
});

/** Previews the state on which a request would be decided. Changes nothing. */
export const previewRequest = mutationOptions({
  mutationFn: async (body: PreviewBody, { client }) => post<PreviewResponse>(client, '/requests/preview', body),
});

/** Creates a request to the relayer. */
export const createRequest = mutationOptions({
  mutationFn: async (body: CreateRequestBody, { client }) => post<RequestResponse>(client, '/requests', body),
  onSuccess: (request, _body, _, { client }) => showRequest(client, request),
});

/** Adds another member's signature to a request. */
export const approveRequest = mutationOptions({
  mutationFn: async ({ id, signature }: { readonly id: string; readonly signature: string }, { client }) =>
    post<RequestResponse>(client, `/requests/${id}/approvals`, { signature }),
  onSuccess: (request, _body, _, { client }) => showRequest(client, request),
});

/** Prepares the transactions of a contract call. Changes nothing. */
export const prepareCall = mutationOptions({
  mutationFn: async (body: PrepareCallBody, { client }) =>
    post<PrepareCallResponse>(client, '/contracts/calls/prepare', body),
});

/** Reports a transaction that the member has sent. */
export const reportCall = mutationOptions({
  mutationFn: async (body: ReportCallBody, { client }) => post<unknown>(client, '/contracts/calls/report', body),
});
