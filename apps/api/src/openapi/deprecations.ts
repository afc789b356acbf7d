import type { FastifyInstance } from 'fastify';

/** An endpoint, or a part of one, that a later release will remove. */
export interface Deprecation {
  readonly operationId: string;
  /** A parameter, or the path of a response field (`chains.name`). Unset: the whole endpoint. */
  readonly field?: string;
  /** When clients should have stopped using it. */
  readonly deprecatedAt: Date;
  /** When it can be removed: at least 180 days later (docs/integrate/compatibility.md). */
  readonly sunsetAt: Date;
  /** A page about the replacement. */
  readonly link: string;
}

/** Everything of this API that is deprecated. */
export const DEPRECATIONS: readonly Deprecation[] = [];

/** Minimum notice, in days. */
const NOTICE_DAYS = 180;
const DAY_MS = 86_400_000;
const BASE = '/api/v1';

/** A deprecation that breaks the promises of the compatibility page, or names an unknown part. */
export class DeprecationError extends Error {
  override readonly name = 'DeprecationError';

  constructor({ operationId, field }: Deprecation, problem: string) {
    super(`The deprecation of ${field === undefined ? operationId : `${operationId}.${field}`}: ${problem}`);
  }
}

/**
 * Returns the headers of an endpoint with deprecated parts: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) with the
 * earliest of their dates, and `Link` with their pages.
 *
 * @returns null when no part of the endpoint is deprecated.
 */
export function deprecationHeaders(deprecations: readonly Deprecation[]): Readonly<Record<string, string>> | null {
  if (deprecations.length === 0) return null;
  const first = (dates: readonly Date[]): number => Math.min(...dates.map((date) => date.getTime()));
  const links = new Set(deprecations.map(({ link }) => link));
  return {
    deprecation: `@${Math.floor(first(deprecations.map(({ deprecatedAt }) => deprecatedAt)) / 1_000)}`,
    sunset: new Date(first(deprecations.map(({ sunsetAt }) => sunsetAt))).toUTCString(),
    link: [...links].map((link) => `<${link}>; rel="deprecation"; type="text/html"`).join(', '),
  };
}

/**
 * Adds deprecation headers to all responses of the deprecated endpoints. Must be called before the routes are
 * registered.
 *
 * @throws DeprecationError when an entry names an unknown endpoint or gives too short a notice.
 */
export function installDeprecations(
  fastify: FastifyInstance,
  endpoints: readonly { readonly operationId: string; readonly method: string; readonly path: string }[],
  deprecations: readonly Deprecation[] = DEPRECATIONS,
): void {
  const byRoute = new Map<string, Readonly<Record<string, string>>>();
  for (const deprecation of deprecations) {
    const { operationId, deprecatedAt, sunsetAt } = deprecation;
    const endpoint = endpoints.find((each) => each.operationId === operationId);
    if (endpoint === undefined) throw new DeprecationError(deprecation, 'no endpoint has this operationId');
    if (sunsetAt.getTime() - deprecatedAt.getTime() < NOTICE_DAYS * DAY_MS)
      throw new DeprecationError(deprecation, `sunsetAt must be at least ${NOTICE_DAYS} days after deprecatedAt`);
    const headers = deprecationHeaders(deprecations.filter((each) => each.operationId === operationId));
    const route = `${BASE}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    if (headers !== null) byRoute.set(`${endpoint.method.toUpperCase()} ${route}`, headers);
  }
  if (byRoute.size === 0) return;
  fastify.addHook('onRequest', async (request, reply) => {
    // The GET handler also serves HEAD.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const headers = byRoute.get(`${method} ${request.routeOptions.url}`);
    if (headers !== undefined) reply.headers(headers);
  });
}
