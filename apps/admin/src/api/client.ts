/** Path of the admin API on the origin of the page. */
const API_PATH = '/api/v1/admin';

/** Timeout of a request, after which the page reports that the API does not answer. */
const PATIENCE_MS = 20_000;

/** Filters of a query; undefined values are omitted. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * An error of the admin API, or no answer (status 0, code `UNREACHABLE`). Pages show its message, which names the field
 * or says what to do.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status; 0 without an answer. */
    readonly status: number,
    /** A code of the admin API, such as `STALE_VERSION`. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** True if the same call can succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Returns whether a thrown value is an ApiError with this code. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof ApiError && thrown.code === code;
}

/** Returns the URL of an admin API path with its query, relative to the origin. */
export function apiUrl(path: string, query: Query = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return `${API_PATH}${path}${text === '' ? '' : `?${text}`}`;
}

/**
 * Reads from the admin API.
 *
 * @throws ApiError
 */
export async function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return exchange<T>(apiUrl(path, query), { method: 'GET', ...(signal === undefined ? {} : { signal }) });
}

/**
 * Changes something through the admin API.
 *
 * @param csrfToken of the session; null for sign-in, which has none yet.
 * @throws ApiError
 */
export async function change<T>(
  method: 'POST' | 'DELETE',
  path: string,
  body: unknown,
  csrfToken: string | null,
): Promise<T> {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(csrfToken === null ? {} : { 'x-csrf-token': csrfToken }),
  };
  return exchange<T>(apiUrl(path), { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

async function exchange<T>(url: string, init: RequestInit): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal, credentials: 'same-origin', cache: 'no-store' });
    text = await response.text();
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw new ApiError(0, 'UNREACHABLE', 'The API does not answer. Check the connection, then try again.', { cause });
  }
  if (!response.ok) throw refusal(response.status, text);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Converts an error response. A proxy's response may lack the body of the API. */
function refusal(status: number, text: string): ApiError {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && 'message' in body)
      return new ApiError(status, String(body.error), String(body.message));
  } catch (cause) {
    return new ApiError(status, 'UNEXPECTED_ANSWER', `The server answered with status ${status} and no reason.`, {
      cause,
    });
  }
  return new ApiError(status, 'UNEXPECTED_ANSWER', `The server answered with status ${status} and no reason.`);
}
