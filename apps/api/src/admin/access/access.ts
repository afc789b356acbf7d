import { timingSafeEqual } from 'node:crypto';
import { ADMIN_ROLES, AdminError, includesRole, type AdminRole } from '@causeway/protocol/admin';
import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION } from '../../infrastructure.js';
import { readSessionCookie } from './session-cookie.js';
import { SessionsService, type Session } from './sessions.service.js';

/** Who can call a route: the lowest role it requires, or anyone, even without a session. */
export type RouteAccess = AdminRole | 'anyone';

export interface AdminRoute {
  readonly method: string;
  /** As the router registers it, such as `/api/v1/admin/sessions/:id`. */
  readonly url: string;
  readonly access: RouteAccess;
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const sessions = new WeakMap<FastifyRequest, Session>();

/**
 * Declares who can call a route. The server does not start while a route of the admin API lacks it.
 *
 * @param access the lowest role the route requires, or `anyone`.
 */
export const Access = (access: RouteAccess): MethodDecorator => RouteConfig({ access });

/** Injects the session of the request. Unavailable on routes for `anyone`. */
export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext): Session => {
  const session = sessions.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (session === undefined) throw new Error('A route for anyone has no session');
  return session;
});

/**
 * Checks a request before its body is read: the session of its cookie and the member's current role. Requests that
 * change something also need the console's origin and the CSRF token.
 */
@Injectable()
export class AccessCheck {
  readonly routes: AdminRoute[] = [];
  private readonly origin: string | undefined;

  constructor(
    private readonly service: SessionsService,
    @Inject(CONFIGURATION) { admin }: Pick<Configuration, 'admin'>,
  ) {
    this.origin = admin?.origin;
  }

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method, config }) => {
      for (const each of [method].flat()) this.routes.push({ url, method: each, access: getRouteAccess(config, url) });
    });
    fastify.addHook('onRequest', async (request) => this.check(request));
  }

  /** @throws AdminError UNAUTHENTICATED, ORIGIN_REFUSED, CSRF_REFUSED, FORBIDDEN */
  private async check(request: FastifyRequest): Promise<void> {
    const access = getRouteAccess(request.routeOptions.config, request.url);
    const isChange = !SAFE_METHODS.has(request.method);
    if (access === 'anyone') {
      if (isChange) this.checkOrigin(request);
      return;
    }
    const token = readSessionCookie(request.headers.cookie);
    const session = token === null ? null : await this.service.find(token);
    if (session === null) throw new AdminError('UNAUTHENTICATED', 'The session is missing or has ended; sign in');
    if (isChange) {
      this.checkOrigin(request);
      checkCsrfToken(request, session);
    }
    if (!includesRole(session.role, access)) {
      const message = `This requires the role ${access}; ${session.address} has the role ${session.role}`;
      throw new AdminError('FORBIDDEN', message);
    }
    sessions.set(request, session);
  }

  /** The browser sets both headers; scripts of a page cannot change them. */
  private checkOrigin({ headers }: FastifyRequest): void {
    const site = headers['sec-fetch-site'];
    if (headers.origin === this.origin && (site === undefined || site === 'same-origin')) return;
    throw new AdminError('ORIGIN_REFUSED', `Changes must come from the console at ${this.origin ?? ''}`);
  }
}

/**
 * All routes of a running admin API with their access.
 *
 * @param app must be initialized.
 */
export function accessTable(app: NestFastifyApplication): readonly AdminRoute[] {
  return app.get(AccessCheck).routes;
}

function getRouteAccess(config: unknown, url: string): RouteAccess {
  const access = typeof config === 'object' && config !== null && 'access' in config ? config.access : undefined;
  const known = [...ADMIN_ROLES, 'anyone' as const].find((each) => each === access);
  if (known === undefined) throw new Error(`The route ${url} does not declare who can call it; add @Access`);
  return known;
}

function checkCsrfToken({ headers }: FastifyRequest, { csrfToken }: Session): void {
  const given = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const expected = Buffer.from(csrfToken);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new AdminError('CSRF_REFUSED', 'X-CSRF-Token is not the csrfToken of this session; read GET /session again');
}
