import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError, getLimits, getQuote, UnreachableError, type BridgeOptions, type RetryEvent } from '../src/index.js';
import { postBinding } from '../src/api/intents.js';
import { EXAMPLES, makeAnswer, inTurn, refuse, startApi, type Answer, type ApiServer } from './api-server.js';

let api: ApiServer | undefined;
afterEach(async () => api?.close());

/** An API whose limits have this answer. */
async function start(limits: Answer, options: Partial<BridgeOptions> = {}): Promise<ApiServer> {
  api = await startApi({ 'bridge/limits': limits }, options);
  return api;
}

async function fail(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    (answer) => {
      throw new Error(`not refused: ${JSON.stringify(answer)}`);
    },
    (error: unknown) => error,
  );
}

const REPORT = 'Report this to the developers of this app.';
const LIMITS = makeAnswer<object>('getLimits');
const away = (headers = {}) => refuse(503, { error: 'SERVICE_UNAVAILABLE', message: 'Try again shortly' }, headers);
/** The shortest wait that an API can ask for: the jitter follows. */
const SOON = { 'retry-after': '0' };

describe('a refusal of the API', () => {
  it.each<[number, string, string, object]>([
    [400, 'VALIDATION_ERROR', 'amount must be a plain decimal', { field: 'amount', nextStep: 'Enter another amount.' }],
    [400, 'VALIDATION_ERROR', 'The body is wrong', { field: undefined, nextStep: REPORT }],
    [400, 'BELOW_MINIMUM', 'amount is below the minimum', { field: 'amount', nextStep: 'Choose a higher amount.' }],
    [404, 'OPERATION_NOT_FOUND', 'no node knows it', { nextStep: 'Try again in a minute, or check the hash.' }],
    [410, 'INTENT_EXPIRED', 'its window has passed', { nextStep: 'Begin a new transfer.' }],
    [503, 'SERVICE_PAUSED', 'paused', { retry: { helps: false }, nextStep: 'Try again later.' }],
    [409, 'OF_A_NEWER_API', 'Do this.', { field: undefined, nextStep: REPORT }],
  ])('%s %s %j is an ApiError that says what to do, and is not repeated', async (status, code, message, details) => {
    const { bridge, seen } = await start(refuse(status, { error: code, message }, { 'retry-after': '7' }));
    const error = await fail(getLimits(bridge));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: 'ApiError', status, code, message: `${code}: ${message}`, ...details });
    expect(error).toHaveProperty('retry.helps', false);
    expect(seen).toHaveLength(1);
  });

  it.each<[number, string]>([
    [408, 'REQUEST_TIMEOUT'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'INTERNAL_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
    [503, 'SIGNATURE_VERIFICATION_UNAVAILABLE'],
  ])('%s %s is repeated until it is answered', async (status, error) => {
    const { bridge, seen } = await start(inTurn(refuse(status, { error, message: 'Later' }, SOON), LIMITS));
    expect(await getLimits(bridge)).toEqual(LIMITS);
    expect(seen).toHaveLength(2);
  });

  it('is thrown after four attempts', async () => {
    const { bridge, seen } = await start(away(SOON));
    expect(await fail(getLimits(bridge))).toMatchObject({
      name: 'ApiError',
      code: 'SERVICE_UNAVAILABLE',
      retry: { helps: true, afterSeconds: 0 },
    });
    expect(seen).toHaveLength(4);
  });

  it.each([
    [429, '20'],
    [503, '20'],
    [503, new Date(Date.now() + 3_600_000).toUTCString()],
  ])('%s is thrown immediately when Retry-After %s does not fit in the time of a read', async (status, retryAfter) => {
    const refusal = { error: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'SERVICE_UNAVAILABLE', message: 'Later' };
    const { bridge, seen } = await start(refuse(status, refusal, { 'retry-after': retryAfter }));
    const error = await fail(getLimits(bridge));
    expect(error).toMatchObject({ name: 'ApiError', status, nextStep: expect.stringMatching(/after \d+ seconds/) });
    expect((error as ApiError).retry.afterSeconds).toBeGreaterThanOrEqual(20);
    expect(seen).toHaveLength(1);
  });

  it('is reported before each repetition', async () => {
    const { bridge } = await start(inTurn(away(SOON), refuse(502, '', SOON), LIMITS));
    const retries: RetryEvent[] = [];
    await getLimits(bridge, { onRetry: (retry) => retries.push(retry) });
    expect(retries).toMatchObject([
      { request: 'bridge/limits', attempt: 1, error: { name: 'ApiError', code: 'SERVICE_UNAVAILABLE' } },
      { request: 'bridge/limits', attempt: 2, error: { name: 'UnreachableError' } },
    ]);
    for (const { attempt, waitMs } of retries) expect(waitMs).toBeLessThan(250 * 2 ** attempt);
  });

  it('of a POST is repeated with the same body', async () => {
    const bound = makeAnswer<object>('bindOrigin');
    api = await startApi({ 'bridge/xcn-withdraw-intent/bind-origin': inTurn(away(SOON), bound) });
    const [intentId, originTxHash] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const;
    const body = { intentId, originTxHash, senderAddress: `0x${'3'.repeat(40)}` } as const;
    expect(await postBinding(api.bridge, body)).toEqual(bound);
    expect(
      api.seen.map(({ method, headers, body: text }) => [method, headers['content-type'], JSON.parse(text)]),
    ).toEqual([
      ['POST', 'application/json', body],
      ['POST', 'application/json', body],
    ]);
  });
});

describe('an answer', () => {
  const cut: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"ETHEREUM_TO_PARTNER":');
    response.destroy();
  };
  it.each<[string, Answer]>([
    ['cut off', cut],
    ['refused by a proxy', refuse(502, '<html>Bad Gateway</html>', SOON)],
    ['a failure without a code', refuse(503, { message: 'no healthy upstream' }, SOON)],
  ])('that is %s is repeated', async (_, broken) => {
    const { bridge, seen } = await start(inTurn(broken, LIMITS));
    expect(await getLimits(bridge)).toEqual(LIMITS);
    expect(seen).toHaveLength(2);
  });

  it.each<[string, Answer, string]>([
    ['HTML', refuse(200, '<html></html>'), 'answer'],
    ['half of a JSON', refuse(200, JSON.stringify(LIMITS).slice(0, 100)), 'answer'],
    ['null', refuse(200, 'null'), 'answer'],
    ['of another server', refuse(404, '<html>Not Found</html>'), 'error'],
    [
      'without a direction',
      { PARTNER_TO_ETHEREUM: EXAMPLES['getLimits']?.response['PARTNER_TO_ETHEREUM'] ?? {} },
      'ETHEREUM_TO_PARTNER',
    ],
  ])('that is %s is an AnswerError, and is not repeated', async (_, broken, field) => {
    const { bridge, seen } = await start(broken);
    expect(await fail(getLimits(bridge))).toMatchObject({ name: 'AnswerError', field, retry: { helps: false } });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['never comes', () => undefined],
    ['begins and does not end', (response) => void response.writeHead(200).write('{')],
  ])('that %s within the timeout counts as none', async (_, late) => {
    const { bridge, seen } = await start(late, { timeoutMs: 500 });
    const error = await fail(getLimits(bridge));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({
      message: `${bridge.apiUrl}/bridge/limits does not answer`,
      retry: { helps: false },
      cause: { message: 'no answer within 0.5 s' },
    });
    expect(seen).toHaveLength(1);
  });

  it('of no server is an UnreachableError with its cause', async () => {
    const { bridge } = await start(LIMITS);
    await api?.close();
    api = undefined;
    expect(await fail(getLimits(bridge))).toMatchObject({
      name: 'UnreachableError',
      cause: { message: 'fetch failed' },
    });
  });
});

describe('a signal', () => {
  const reason = new Error('the user left');

  it('that is aborted already stops the request before it is sent', async () => {
    const { bridge, seen } = await start(LIMITS);
    expect(await fail(getLimits(bridge, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(seen).toHaveLength(0);
  });

  it('closes the connection of a request, and its reason is thrown as it is', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { bridge } = await start((response) => {
      closed = once(response, 'close');
      controller.abort(reason);
    });
    expect(await fail(getLimits(bridge, { signal: controller.signal }))).toBe(reason);
    await closed;
  });

  it('ends the wait between two attempts', async () => {
    const controller = new AbortController();
    const { bridge, seen } = await start(async (response, request) => {
      response.once('close', () => setImmediate(() => controller.abort(reason)));
      const answer = away({ 'retry-after': '14' });
      if (typeof answer === 'function') await answer(response, request);
    });
    expect(await fail(getLimits(bridge, { signal: controller.signal }))).toBe(reason);
    expect(seen).toHaveLength(1);
  });
});

describe('a fetch of the caller', () => {
  it('is used without an object, as the one of browsers must be', async () => {
    const { bridge } = await start(LIMITS, {
      async fetch(this: unknown, ...sent: Parameters<typeof fetch>) {
        expect(this).toBeUndefined();
        return fetch(...sent);
      },
    });
    expect(await getLimits(bridge)).toEqual(LIMITS);
  });

  it('sends text in a query as it is', async () => {
    const quote = makeAnswer<object>('getFeeQuote');
    api = await startApi({ 'bridge/fee-quote': quote });
    await getQuote(api.bridge, { asset: 'A&B=C', amount: '1', direction: 'ETHEREUM_TO_PARTNER' });
    expect(api.seen[0]?.query).toEqual({ token: 'A&B=C', amount: '1', direction: 'ETHEREUM_TO_PARTNER' });
  });
});
