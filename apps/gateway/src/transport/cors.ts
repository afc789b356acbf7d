const NO_HEADERS: Readonly<Record<string, string>> = {};

/** How long a browser may remember a preflight: a day. Browsers cut it to what they allow themselves. */
const MAX_AGE_SECONDS = '86400';

/** Which web pages may call the gateway from a browser (Fetch standard, "CORS protocol"). No cookies or other credentials are ever used. */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #forAll: Readonly<Record<string, string>> | null;

  /** @param origins such as `https://app.example`; `*` among them stands for all. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
    this.#forAll = this.#origins.has('*')
      ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }
      : null;
  }

  /** Whether a page of this origin may call. Whatever is no browser sends no origin and may always. */
  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#forAll !== null || this.#origins.has(origin);
  }

  /** The headers of an answer to a page of this origin. */
  headers(origin: string | undefined): Readonly<Record<string, string>> {
    if (this.#forAll !== null) return this.#forAll;
    if (origin === undefined || !this.#origins.has(origin)) return { vary: 'Origin' };
    return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' };
  }

  /**
   * The further headers of the answer to a preflight.
   *
   * @param requestedHeaders what Access-Control-Request-Headers asks for.
   */
  preflightHeaders(origin: string | undefined, requestedHeaders: string | undefined): Readonly<Record<string, string>> {
    if (!this.allows(origin)) return NO_HEADERS;
    return {
      'access-control-allow-methods': 'GET, POST',
      // A wildcard would not cover Authorization, which some clients send along; it is not looked at.
      'access-control-allow-headers': requestedHeaders ?? 'content-type',
      'access-control-max-age': MAX_AGE_SECONDS,
    };
  }
}
