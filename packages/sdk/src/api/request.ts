import type { ErrorCode } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import { AnswerError, ApiError, CausewayError, UnreachableError, type Retry } from '../errors.js';
import { pause } from '../pause.js';
import type { Shape } from './shape.js';

/** Options of every function that calls the API. */
export interface ReadOptions {
  /** Aborts the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A request to the API: a POST if it has a body. */
export interface ApiRequest extends ReadOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A status treated like 200, unless the body has an error code. */
  readonly alsoStatus?: number;
}

/** Maximum attempts of a request, and the maximum wait between them. */
const MOST_ATTEMPTS = 4;
const LONGEST_WAIT_SECONDS = 60;

/** Next steps that do not follow from the status or field of a failure. */
const NEXT_STEPS: Partial<Record<string, string>> = {
  BELOW_MINIMUM: 'Choose a higher amount.',
  DEADLINE_EXPIRED: 'Sign a new intent.',
  INTENT_EXPIRED: 'Sign a new intent.',
  OPERATION_NOT_FOUND: 'Retry shortly, or call explainHash.',
  SERVICE_PAUSED: 'Try again later.',
} satisfies Partial<Record<ErrorCode, string>>;

/** Builds the URL of an API resource. */
export function makeAddress({ apiUrl }: Bridge, path: string, query: ApiRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return `${apiUrl}/${path}?${given.toString()}`.replace(/\?$/, '');
}

/**
 * Calls the API and retries a request that may succeed later. All requests of this API are idempotent.
 *
 * @throws ApiError, UnreachableError, AnswerError, or the reason of the signal.
 */
export async function ask<T>(bridge: Bridge, path: string, shape: Shape<T>, asked: ApiRequest = {}): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askOnce(bridge, path, shape, asked);
    } catch (error) {
      const { helps, afterSeconds = 0 }: Retry = error instanceof CausewayError ? error.retry : { helps: false };
      if (!helps || attempt === MOST_ATTEMPTS || afterSeconds > LONGEST_WAIT_SECONDS) throw error;
      await pause(1_000 * afterSeconds + Math.random() * 250 * 2 ** attempt, asked);
    }
  }
}

/** Makes one request without retries. See {@link ask}. */
export async function askOnce<T>(bridge: Bridge, path: string, shape: Shape<T>, asked: ApiRequest = {}): Promise<T> {
  const { timeoutMs, fetch: send = fetch } = bridge;
  const { query, body, signal, alsoStatus } = asked;
  const address = makeAddress(bridge, path, query);
  return withSignal(signal, async (both, abort) => {
    const timer = setTimeout(() => abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    try {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await send(address, { ...(body === undefined ? {} : post), signal: both });
      const answer = readAnswer(address, response, await response.text(), alsoStatus);
      shape(answer, '');
      return answer as T;
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof CausewayError ? error : new UnreachableError(address, error);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Runs work with its own signal, which the caller's signal also aborts. Work still running at the end is aborted. */
export async function withSignal<T>(
  signal: AbortSignal | undefined,
  run: (both: AbortSignal, abort: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await run(controller.signal, (reason) => controller.abort(reason));
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}

function readAnswer(address: string, { ok, status, headers }: Response, text: string, alsoStatus?: number): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    if (ok) throw new AnswerError('answer', 'is not JSON', error);
  }
  if (ok) return answer;
  const { error: code, message } = Object(answer) as { readonly error?: string; readonly message?: string };
  const isTransient = status === 408 || status === 429 || status >= 500;
  // Proxies send a date instead; the default pause applies then.
  const [seconds] = /^\d{1,9}$/.exec(headers.get('retry-after') ?? '') ?? [];
  const retry: Retry = {
    helps: isTransient && code !== 'SERVICE_PAUSED',
    ...(seconds === undefined ? {} : { afterSeconds: Number(seconds) }),
  };
  if (code !== undefined) throw makeApiError(status, code, `${message}`, retry);
  if (status === alsoStatus && answer !== undefined) return answer;
  // A proxy answered instead of the API.
  if (isTransient) throw new UnreachableError(address, new Error(`HTTP ${status}`), retry);
  throw new AnswerError('error', `is missing (HTTP ${status} of ${address})`);
}

function makeApiError(status: number, code: string, message: string, retry: Retry): ApiError {
  const isOfField = code === 'VALIDATION_ERROR' || code === 'BELOW_MINIMUM';
  const field = isOfField ? /^[a-z]\w*/.exec(message)?.[0] : undefined;
  const otherwise = field === undefined ? message : `Correct ${field}.`;
  const nextStep = NEXT_STEPS[code] ?? (retry.helps ? 'Try again shortly.' : otherwise);
  return new ApiError(status, code, message, { field, retry, nextStep });
}
