import type { ErrorCode } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import { AnswerError, ApiError, CausewayError, UnreachableError, type Retry } from '../errors.js';
import { pause } from '../pause.js';
import type { Shape } from './shape.js';

/** Settings of every function that asks the API. */
export interface ReadOptions {
  /** Stops the request. Its reason is thrown as it is. */
  readonly signal?: AbortSignal | undefined;
}

/** A request to the API. With a body it is a POST. */
export interface ApiRequest extends ReadOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A status whose answer counts like that of a 200, unless it has an error code. */
  readonly alsoStatus?: number;
}

/** Attempts of a request, and the longest time that the API may ask to wait between two of them. */
const MOST_ATTEMPTS = 4;
const LONGEST_WAIT_SECONDS = 60;

/** Next steps that neither the status nor the field of a failure says. */
const NEXT_STEPS: Partial<Record<string, string>> = {
  BELOW_MINIMUM: 'Choose a higher amount.',
  DEADLINE_EXPIRED: 'Sign a new intent.',
  INTENT_EXPIRED: 'Sign a new intent.',
  OPERATION_NOT_FOUND: 'Ask again shortly, or ask explainHash.',
  SERVICE_PAUSED: 'Try again later.',
} satisfies Partial<Record<ErrorCode, string>>;

/** The address of a resource of the API. */
export function makeAddress({ apiUrl }: Bridge, path: string, query: ApiRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return `${apiUrl}/${path}?${given.toString()}`.replace(/\?$/, '');
}

/**
 * Asks the API, and repeats a request that may succeed later: all requests of this API may be repeated.
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

/** One request. See {@link ask}. */
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

/** Runs something with a signal of its own, which the caller's aborts too. What still runs at its end is aborted. */
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
  // Its other form, a date, is of proxies: the usual pause follows then.
  const [seconds] = /^\d{1,9}$/.exec(headers.get('retry-after') ?? '') ?? [];
  const retry: Retry = {
    helps: isTransient && code !== 'SERVICE_PAUSED',
    ...(seconds === undefined ? {} : { afterSeconds: Number(seconds) }),
  };
  if (code !== undefined) throw makeApiError(status, code, `${message}`, retry);
  if (status === alsoStatus && answer !== undefined) return answer;
  // A proxy answers in place of the API.
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
