import { ADMIN_ROLES, type AdminRole } from '@causeway/protocol/admin';
import type { InjectOptions } from 'fastify';
import { Pool } from 'pg';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { ConsoleFiles } from '../../src/admin/console.controller.js';
import { SessionsService } from '../../src/admin/access/sessions.service.js';
import { temporaryApi, type Answer, type TemporaryApi } from '../temporary-api.js';
import type { TemporaryBridge } from '../temporary-bridge.js';

/** The origin of the console in tests. */
export const CONSOLE = 'http://localhost:4900';

/** A response of the admin API, with its text. */
export interface AdminAnswer extends Answer {
  readonly text: string;
}

/** A member with a session, whose requests have the console's cookie, origin and CSRF token. */
export interface SignedIn {
  readonly cookie: string;
  readonly csrfToken: string;
  readonly sessionId: string;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<AdminAnswer>;
  readonly post: (path: string, body: unknown) => Promise<AdminAnswer>;
  readonly delete: (path: string) => Promise<AdminAnswer>;
}

/** Any method, and a path. */
type AdminRequest = Omit<InjectOptions, 'method' | 'url'> & { readonly url: string; readonly method?: string };

/** The admin API on a new database. Requests go through its HTTP layer without a socket. */
export interface TemporaryAdmin extends Omit<TemporaryApi, 'admin'> {
  readonly admin: NonNullable<TemporaryApi['admin']>;
  /** A superuser's connections to the database. */
  readonly sql: Pool;
  /** The keys of one root member of each role. */
  readonly members: Readonly<Record<AdminRole, PrivateKeyAccount>>;
  /** Begins a session of the role's root member, without a sign-in, which would need nodes. */
  readonly signedIn: (role: AdminRole) => Promise<SignedIn>;
  /** Sends a request without a session. Paths are below `/api/v1/admin`. */
  readonly send: (request: AdminRequest) => Promise<AdminAnswer>;
  /** Like `send`, with full paths. */
  readonly sendTo: (request: AdminRequest) => Promise<AdminAnswer>;
}

/**
 * Starts the API with the admin API.
 *
 * @param otherMembers entries of the allow-list beside those of `members`.
 */
export async function temporaryAdmin(
  bridge?: Omit<TemporaryBridge, 'stop'>,
  variables: Readonly<Record<string, string>> = {},
  otherMembers: readonly string[] = [],
  consoleFiles: ConsoleFiles | null = null,
): Promise<TemporaryAdmin> {
  const newAccount = () => privateKeyToAccount(generatePrivateKey());
  const members = { viewer: newAccount(), operator: newAccount(), admin: newAccount() };
  const api = await temporaryApi(
    bridge,
    {
      ADMIN_PORT: '0',
      ADMIN_ORIGIN: CONSOLE,
      ADMIN_ALLOW_LIST: [...ADMIN_ROLES.map((role) => `${members[role].address}:${role}`), ...otherMembers].join(','),
      ...variables,
    },
    consoleFiles,
  );
  const { admin } = api;
  if (admin === null) throw new Error('The admin API did not start');
  const sql = new Pool({ connectionString: api.databaseUrl, max: 2 });
  // The server can stop before the last connection has closed.
  sql.on('error', () => undefined);
  const send: TemporaryAdmin['send'] = async ({ url, ...request }) =>
    sendTo({ ...request, url: `/api/v1/admin${url}` });
  const sendTo: TemporaryAdmin['sendTo'] = async (request) => {
    const response = await admin.inject(request as InjectOptions);
    const { statusCode: status, headers, body: text } = response;
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : null };
  };
  return {
    ...api,
    admin,
    sql,
    members,
    send,
    sendTo,
    close: async () => {
      await sql.end();
      await api.close();
    },
    signedIn: async (role) => {
      const { session, token } = await admin.get(SessionsService).begin({
        address: members[role].address.toLowerCase() as `0x${string}`,
        role,
        clientIp: '192.0.2.1',
        userAgent: 'test',
        replacedToken: null,
      });
      const cookie = `__Host-causeway-admin=${token}`;
      const change = { cookie, origin: CONSOLE, 'x-csrf-token': session.csrfToken };
      return {
        cookie,
        csrfToken: session.csrfToken,
        sessionId: session.id,
        get: async (url, headers = {}) => send({ url, headers: { cookie, ...headers } }),
        post: async (url, body) =>
          send({
            url,
            method: 'POST',
            payload: JSON.stringify(body),
            headers: { ...change, 'content-type': 'application/json' },
          }),
        delete: async (url) => send({ url, method: 'DELETE', headers: change }),
      };
    },
  };
}
