import type { Bridge } from '../bridge.js';
import { AnswerError, ApiError, CausewayError, UnreachableError, type Retry } from '../errors.js';
import { adviseRefusal } from '../next-steps.js';
import { readInTime, type ReadOptions } from '../read.js';
import type { Shape } from './shape.js';

/** A request to the API: a POST if it has a body. */
export interface ApiRequest extends ReadOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A status treated like 200, unless the body has an error code. */
  readonly alsoStatus?: number;
  /** Default 4. */
  readonly attempts?: number;
}

/** Builds the URL of an API resource. */
export function makeAddress({ apiUrl }: Bridge, path: string, query: ApiRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return `${apiUrl}/${path}?${given.toString()}`.replace(/\?$/, '');
}

/**
 * Calls the API within the bridge's `timeoutMs`, and retries a request that may succeed later. All requests of this API
 * are idempotent.
 *
 * @throws ApiError, UnreachableError, AnswerError, or the reason of the signal.
 */
export async function ask<T>(bridge: Bridge, path: string, shape: Shape<T>, asked: ApiRequest = {}): Promise<T> {
  const { timeoutMs, fetch: send = fetch } = bridge;
  const { query, body, alsoStatus, attempts } = asked;
  const address = makeAddress(bridge, path, query);
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const attempt = async (signal: AbortSignal) => {
    const response = await send(address, { ...(body === undefined ? {} : post), signal });
    const answer = readAnswer(address, response, await response.text(), alsoStatus);
    shape(answer, '');
    return answer as T;
  };
  const judge = (cause: unknown) => {
    const error = cause instanceof CausewayError ? cause : new UnreachableError(address, cause);
    return { error, isTransient: isTransient(error) };
  };
  return readInTime({ request: path, timeoutMs, attempts, attempt, judge }, asked);
}

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): error is ApiError | UnreachableError {
  if (error instanceof UnreachableError) return true;
  return error instanceof ApiError && isTransientStatus(error.status) && error.code !== 'SERVICE_PAUSED';
}

const isTransientStatus = (status: number) => status === 408 || status === 429 || status >= 500;

function readAnswer(address: string, { ok, status, headers }: Response, text: string, alsoStatus?: number): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    if (ok) throw new AnswerError('answer', 'is not JSON', error);
  }
  if (ok) return answer;
  const { error: code, message } = Object(answer) as { readonly error?: string; readonly message?: string };
  const afterSeconds = readRetryAfter(headers.get('retry-after') ?? '');
  const helps = isTransientStatus(status) && code !== 'SERVICE_PAUSED' && afterSeconds !== undefined;
  const retry: Retry = helps ? { helps, afterSeconds } : { helps: false };
  if (code !== undefined) throw makeApiError(status, code, `${message}`, retry);
  if (status === alsoStatus && answer !== undefined) return answer;
  // A proxy answered instead of the API.
  if (isTransientStatus(status)) throw new UnreachableError(address, new Error(`HTTP ${status}`), retry);
  throw new AnswerError('error', `is missing (HTTP ${status} of ${address})`);
}

/** Reads seconds, or a date as proxies send it (RFC 9110, 10.2.3). */
function readRetryAfter(header: string): number | undefined {
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const seconds = Math.ceil((Date.parse(header) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function makeApiError(status: number, code: string, message: string, retry: Retry): ApiError {
  const isOfField = code === 'VALIDATION_ERROR' || code === 'BELOW_MINIMUM';
  const field = isOfField ? /^[a-z]\w*/.exec(message)?.[0] : undefined;
  const nextStep = adviseRefusal(code, {
    field,
    isTransient: isTransientStatus(status),
    afterSeconds: retry.afterSeconds,
  });
  return new ApiError(status, code, message, { field, retry, nextStep });
}
