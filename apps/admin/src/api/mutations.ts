import type {
  NonceResponse,
  PrepareCallResponse,
  PreviewResponse,
  RequestResponse,
  RequestTerms,
  SessionResponse,
} from '@causeway/protocol/admin';
import { mutationOptions, type QueryClient } from '@tanstack/react-query';
import { change } from './client.js';
import { requestQuery, sessionQuery } from './queries.js';

// What the pages change, each with the reads that it touches. Every change carries the token of the session.

async function post<T>(client: QueryClient, path: string, body?: unknown): Promise<T> {
  return change<T>('POST', path, body, tokenOf(client));
}

/** Null before sign-in. */
function tokenOf(client: QueryClient): string | null {
  return client.getQueryData(sessionQuery.queryKey)?.csrfToken ?? null;
}

function showRequest(client: QueryClient, request: RequestResponse): void {
  client.setQueryData(requestQuery(request.id).queryKey, request);
  void client.invalidateQueries({ queryKey: ['requests'] });
}

/** A nonce for one message of Sign-In with Ethereum. */
export const signInNonce = mutationOptions({
  mutationFn: async (_: void, { client }) => post<NonceResponse>(client, '/sign-in/nonce'),
});

/** Begins a session. */
export const signIn = mutationOptions({
  mutationFn: async (body: { readonly message: string; readonly signature: string }, { client }) =>
    post<SessionResponse>(client, '/sign-in', body),
  onSuccess: (session, _body, _, { client }) => client.setQueryData(sessionQuery.queryKey, session),
});

/** Ends the session, forgets everything that was read, and shows sign-in. */
export const signOut = mutationOptions({
  mutationFn: async (_: void, { client }) => change<unknown>('DELETE', '/session', undefined, tokenOf(client)),
  onSuccess: (_answer, _, __, { client }) => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    client.setQueryData(sessionQuery.queryKey, null);
  },
});

/** Ends one session of the member, or all of them. */
export const endSessions = mutationOptions({
  mutationFn: async (id: string | null, { client }) => {
    const path = id === null ? '/sessions' : `/sessions/${encodeURIComponent(id)}`;
    return change<unknown>('DELETE', path, undefined, tokenOf(client));
  },
  // The session itself may have ended: it is read again too.
  onSettled: async (_answer, _error, _id, _, { client }) => {
    await client.invalidateQueries({ queryKey: ['sessions'] });
    await client.invalidateQueries({ queryKey: ['session'] });
  },
});

/** The state that a request would be decided on. Changes nothing. */
export const previewRequest = mutationOptions({
  mutationFn: async (body: { readonly terms: RequestTerms; readonly reason: string }, { client }) =>
    post<PreviewResponse>(client, '/requests/preview', body),
});

/** A request as it was previewed, with the signature where one is needed. */
interface NewRequest {
  readonly requestId: string;
  readonly terms: RequestTerms;
  readonly reason: string;
  readonly version: string;
  readonly validUntil: number;
  readonly signature: string | null;
}

/** Asks the relayer. */
export const createRequest = mutationOptions({
  mutationFn: async (body: NewRequest, { client }) => post<RequestResponse>(client, '/requests', body),
  onSuccess: (request, _body, _, { client }) => showRequest(client, request),
});

/** Adds the signature of another person. */
export const approveRequest = mutationOptions({
  mutationFn: async ({ id, signature }: { readonly id: string; readonly signature: string }, { client }) =>
    post<RequestResponse>(client, `/requests/${id}/approvals`, { signature }),
  onSuccess: (request, _body, _, { client }) => showRequest(client, request),
});

/** A contract call, as its form names it. */
interface WantedCall {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
  readonly account: string;
}

/** The transactions of a contract call. Changes nothing. */
export const prepareCall = mutationOptions({
  mutationFn: async (body: WantedCall, { client }) =>
    post<PrepareCallResponse>(client, '/contracts/calls/prepare', body),
});

/** A transaction that the member sent, for the audit log. */
interface Report {
  readonly command: string;
  readonly reason: string;
  readonly transactions: readonly { readonly side: 'ethereum' | 'partner'; readonly txHash: string }[];
}

/** Reports a transaction that the member sent. */
export const reportCall = mutationOptions({
  mutationFn: async (body: Report, { client }) => post<unknown>(client, '/contracts/calls/report', body),
});
