import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_ROLES, type AdminRole } from '@causeway/protocol/admin';
import { accessTable, type AdminRoute } from '../../src/admin/access/access.js';
import { CONSOLE, temporaryAdmin, type AdminAnswer, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// Calls every route of the admin API as every kind of caller. The routes come from the running server, so new routes
// are covered without an edit here.

let t: TemporaryAdmin;
let sessions: Readonly<Record<AdminRole, SignedIn>>;
let routes: readonly AdminRoute[];
beforeAll(async () => {
  t = await temporaryAdmin();
  await signAllIn();
  routes = accessTable(t.admin);
});
afterAll(async () => t?.close());

async function signAllIn(): Promise<void> {
  const [viewer, operator, admin] = await Promise.all(ADMIN_ROLES.map((role) => t.signedIn(role)));
  if (viewer === undefined || operator === undefined || admin === undefined) throw new Error('A role has no session');
  sessions = { viewer, operator, admin };
}

/** The verdict of the access check; `passed` for a request that it let through, even if the controller refuses it. */
function getVerdict({ status, body }: AdminAnswer, { method }: AdminRoute): string {
  const error = (body as { error?: string } | null)?.error ?? '';
  const refusals = ['UNAUTHENTICATED', 'FORBIDDEN', 'CSRF_REFUSED', 'ORIGIN_REFUSED'];
  // A response to HEAD has no body.
  if (method === 'HEAD') return [401, 403].includes(status) ? String(status) : 'passed';
  return refusals.includes(error) ? `${status} ${error}` : 'passed';
}

const isChange = ({ method }: AdminRoute) => !['GET', 'HEAD'].includes(method);
const toPath = ({ url }: AdminRoute) => url.replaceAll(/:\w+|\*/g, 'x');

/** Sends a request that no controller accepts, so that nothing changes: its path or its query is malformed. */
async function ask(route: AdminRoute, headers: Readonly<Record<string, string>>): Promise<string> {
  const url = `${toPath(route)}?unknown-parameter=1`;
  const verdict = getVerdict(await t.sendTo({ method: route.method, url, headers }), route);
  // The request may have signed the caller out.
  if (verdict === 'passed' && route.method === 'DELETE') await signAllIn();
  return verdict;
}

/** The callers, with their headers and the expected verdict of the access check. */
const CALLERS: readonly {
  readonly name: string;
  readonly headers: () => Record<string, string> | Promise<Record<string, string>>;
  readonly expected: (route: AdminRoute) => string;
}[] = [
  {
    name: 'no session',
    headers: () => ({ origin: CONSOLE }),
    expected: ({ access }) => (access === 'anyone' ? 'passed' : '401 UNAUTHENTICATED'),
  },
  ...ADMIN_ROLES.map((role) => ({
    name: `a session of the role ${role}`,
    headers: () => makeHeaders(sessions[role]),
    expected: ({ access }: AdminRoute) =>
      access === 'anyone' || ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(access) ? 'passed' : '403 FORBIDDEN',
  })),
  {
    name: 'no CSRF token',
    headers: () => without('x-csrf-token'),
    expected: (route) => (isChange(route) && route.access !== 'anyone' ? '403 CSRF_REFUSED' : 'passed'),
  },
  {
    name: 'the CSRF token of another session',
    headers: () => ({ ...makeHeaders(sessions.admin), 'x-csrf-token': sessions.viewer.csrfToken }),
    expected: (route) => (isChange(route) && route.access !== 'anyone' ? '403 CSRF_REFUSED' : 'passed'),
  },
  {
    name: 'a foreign origin',
    headers: () => ({ ...makeHeaders(sessions.admin), origin: 'https://evil.example' }),
    expected: (route) => (isChange(route) ? '403 ORIGIN_REFUSED' : 'passed'),
  },
  {
    name: 'no origin',
    headers: () => without('origin'),
    expected: (route) => (isChange(route) ? '403 ORIGIN_REFUSED' : 'passed'),
  },
  {
    name: 'a page of the same site but another origin',
    headers: () => ({ ...makeHeaders(sessions.admin), 'sec-fetch-site': 'same-site' }),
    expected: (route) => (isChange(route) ? '403 ORIGIN_REFUSED' : 'passed'),
  },
  {
    name: 'an ended session',
    headers: async () => {
      const ended = await t.signedIn('admin');
      await ended.delete('/session');
      return makeHeaders(ended);
    },
    expected: ({ access }) => (access === 'anyone' ? 'passed' : '401 UNAUTHENTICATED'),
  },
];

function makeHeaders({ cookie, csrfToken }: SignedIn): Record<string, string> {
  return { cookie, origin: CONSOLE, 'x-csrf-token': csrfToken };
}

function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(makeHeaders(sessions.admin)).filter(([each]) => each !== name));
}

describe('every route of the admin API', () => {
  it('is listed with its access', () => {
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter(({ access }) => access === 'anyone').map(({ method, url }) => `${method} ${url}`)).toEqual(
      expect.arrayContaining(['POST /api/v1/admin/sign-in/nonce', 'POST /api/v1/admin/sign-in']),
    );
  });

  it.each(CALLERS)('treats $name as its access requires', async ({ headers, expected }) => {
    const answered: [string, string][] = [];
    const wanted: [string, string][] = [];
    for (const route of routes) {
      const name = `${route.method} ${route.url}`;
      const verdict = expected(route);
      wanted.push([name, route.method === 'HEAD' && verdict !== 'passed' ? verdict.slice(0, 3) : verdict]);
      answered.push([name, await ask(route, await headers())]);
    }
    expect(answered).toEqual(wanted);
  });
});
