import type { IncomingHttpHeaders } from 'node:http';

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Cache time of a preflight: a day. Browsers reduce it to their own maximum. */
const MAX_AGE_SECONDS = '86400';

/** Decides which web pages can call a server (Fetch standard, "CORS protocol"). Cookies are never used. */
export class Cors {
  private readonly origins: ReadonlySet<string>;
  private readonly forAll: Readonly<Record<string, string>> | null;

  /** @param origins such as `https://app.example`; `*` allows all. */
  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
    this.forAll = this.origins.has('*')
      ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }
      : null;
  }

  /** Returns whether a page of this origin can call. Callers without an origin are not browsers and always can. */
  allows(origin: string | undefined): boolean {
    return origin === undefined || this.forAll !== null || this.origins.has(origin);
  }

  headers(origin: string | undefined): Readonly<Record<string, string>> {
    if (this.forAll !== null) return this.forAll;
    if (origin === undefined || !this.origins.has(origin)) return { vary: 'Origin' };
    return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' };
  }

  preflightHeaders(request: IncomingHttpHeaders): Readonly<Record<string, string>> {
    if (!this.allows(request.origin)) return NO_HEADERS;
    return {
      'access-control-allow-methods': 'GET, POST',
      // A wildcard does not cover Authorization, in which clients of the gateway send their keys.
      'access-control-allow-headers': request['access-control-request-headers'] ?? 'content-type',
      'access-control-max-age': MAX_AGE_SECONDS,
    };
  }
}
