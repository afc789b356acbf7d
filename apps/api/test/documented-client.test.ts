import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DELAY_REASONS, ERROR_CODES, FAILURE_REASONS, UNDELIVERABLE_REASONS, VERDICT_CODES } from '@causeway/protocol';
import { aHash, anAddress, waitUntil } from '@causeway/test-kit';

// The rules that `bridge.mjs` of docs/integrators.md keeps, against scripted answers. e2e/test/docs.test.ts runs the
// whole client on a bridge.

interface Page extends EventTarget {
  hidden: boolean;
}
interface Client {
  readonly check: (transfer: object) => Promise<unknown>;
  readonly sendByIntent: (transfer: object, account: object) => Promise<string>;
  readonly poll: (identifier: object, onStatus?: (operation: { status: string }) => void) => Promise<unknown>;
}
type Answer = readonly [status: number, body: object, retryAfter?: string | undefined];

const page = readFileSync(new URL('../../../docs/integrators.md', import.meta.url), 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'causeway-client-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'bridge.mjs');
writeFileSync(file, /```js\n(\/\/ bridge\.mjs\n[\s\S]*?)```/.exec(page)?.[1] ?? '');
const { connectBridge } = (await import(file)) as {
  readonly connectBridge: (apiUrl: string, options?: { page?: Page }) => Client;
};

const refused = (status: number, error: string, retryAfter?: string): Answer => [
  status,
  { error, message: 'as scripted' },
  retryAfter,
];
const operation = (status: string): Answer => [200, { status }];

let answers: (Answer | Error)[];
let requests: string[];
let waits: number[];
beforeEach(() => {
  [answers, requests, waits] = [[], [], []];
  jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
    requests.push((url as string).replace(/^.*\/bridge\/([^?]*).*$/, '$1'));
    const answer = answers.shift() ?? new Error('nothing is scripted');
    if (answer instanceof Error) return Promise.reject(answer);
    const [status, body, retryAfter] = answer;
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers }));
  });
  // Time passes immediately, and the test sees for how long the client wanted to wait.
  const { setTimeout } = globalThis;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
    waits.push(ms);
    return setTimeout(work, 0);
  }) as typeof setTimeout);
});
afterEach(() => void jest.restoreAllMocks());

const bridge = (over = {}) => connectBridge('http://bridge.example/api/v1', over);
const identifier = { originTxHash: aHash() };

describe('the client of docs/integrators.md polls', () => {
  it('every 5 to 10 seconds, also before the operation is known, and reports each change', async () => {
    answers = [refused(404, 'OPERATION_NOT_FOUND'), operation('CONFIRMING'), operation('CONFIRMING')];
    answers.push(operation('COMPLETED'));
    const seen: string[] = [];
    await bridge().poll(identifier, ({ status }) => seen.push(status));
    expect(seen).toEqual(['CONFIRMING', 'COMPLETED']);
    expect(waits).toHaveLength(3);
    for (const ms of waits) expect(ms >= 5_000 && ms <= 10_000).toBe(true);
    expect(new Set(waits).size).toBe(3);
  });

  it.each(['COMPLETED', 'FAILED', 'EXPIRED'])('until %s', async (status) => {
    answers = [operation(status)];
    expect(await bridge().poll(identifier)).toEqual({ status });
    expect([requests.length, waits]).toEqual([1, []]);
  });

  it('and stops when the request itself is wrong', async () => {
    answers = [refused(400, 'VALIDATION_ERROR')];
    await expect(bridge().poll(identifier)).rejects.toThrow('VALIDATION_ERROR: as scripted');
    expect(requests).toHaveLength(1);
  });

  it('with a backoff that doubles and has jitter, and never before Retry-After', async () => {
    answers = Array.from({ length: 8 }, () => new Error('the network is away'));
    answers.push(refused(503, 'SERVICE_UNAVAILABLE', '30'), refused(429, 'RATE_LIMIT_EXCEEDED', '7'));
    answers.push(operation('COMPLETED'));
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await bridge().poll(identifier);
    const [backoffs, intervals] = [waits.filter((_, at) => at % 2 === 0), waits.filter((_, at) => at % 2 === 1)];
    expect(backoffs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 60_000, 37_000]);
    expect(new Set(intervals)).toEqual(new Set([7_500]));
  });

  it('not in the background, and asks one time on return', async () => {
    const hidden: Page = Object.assign(new EventTarget(), { hidden: true });
    answers = [operation('CONFIRMING'), operation('COMPLETED')];
    const end = bridge({ page: hidden }).poll(identifier);
    await waitUntil('the interval is over', () => waits.some((ms) => ms >= 5_000));
    expect(requests).toHaveLength(1);
    hidden.dispatchEvent(new Event('visibilitychange'));
    await sleep(20);
    expect(requests).toHaveLength(1);
    hidden.hidden = false;
    hidden.dispatchEvent(new Event('visibilitychange'));
    hidden.dispatchEvent(new Event('visibilitychange'));
    expect(await end).toEqual({ status: 'COMPLETED' });
    expect(requests).toHaveLength(2);
  });
});

describe('the client of docs/integrators.md checks', () => {
  const transfer = { token: 'XCN', amount: '6000', direction: 'PARTNER_TO_ETHEREUM' };
  const quote = { paused: false, deliverable: true, undeliverableReason: null, deliverableAt: null };
  const short = { ...quote, deliverable: false, undeliverableReason: 'FLOAT_SHORT', availableAmountFormatted: '7' };

  it.each<[string, Answer, string | null]>([
    ['a transfer that can be delivered', [200, quote], null],
    ['a paused direction', [200, { ...quote, paused: true }], 'PARTNER_TO_ETHEREUM is paused'],
    ['an amount that would wait', [200, short], 'until an unknown time (FLOAT_SHORT); 7 XCN would not'],
    ['an amount below the minimum', refused(400, 'BELOW_MINIMUM'), 'BELOW_MINIMUM: as scripted'],
    ['an amount above the maximum', refused(400, 'VALIDATION_ERROR'), 'VALIDATION_ERROR: as scripted'],
  ])('%s', async (_, answer, message) => {
    answers = [[200, {}], answer];
    const checked = bridge().check(transfer);
    if (message === null) expect(await checked).toEqual({ config: {}, quote });
    else await expect(checked).rejects.toThrow(message);
    expect(requests).toEqual(['config', 'fee-quote']);
  });
});

describe('the client of docs/integrators.md sends an intent', () => {
  const [intentId, paymentHash] = [aHash(), aHash()];
  const soon = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toISOString();
  const accepted = (expiresAt = soon(1_800)): Answer => [
    200,
    { intentId, relayerWalletAddress: anAddress(), amountAtomic: '6000', expiresAt },
  ];
  const payments: object[] = [];
  const send = (...scripted: (Answer | Error)[]) => {
    answers = [[200, { typedData: {}, intentBody: {} }], ...scripted];
    payments.length = 0;
    const pay = (payment: object) => Promise.resolve((payments.push(payment), paymentHash));
    return bridge().sendByIntent({ senderAddress: anAddress() }, { sign: () => Promise.resolve('0x'), pay });
  };

  it('and repeats what has no answer, and pays one time', async () => {
    const unavailable = refused(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE', '2');
    const lost = new Error('no answer');
    expect(await send(unavailable, lost, accepted(), lost, [200, {}])).toBe(intentId);
    expect(payments).toEqual([expect.objectContaining({ value: 6_000n, data: intentId })]);
    expect(waits[0]).toBeGreaterThanOrEqual(2_000);
    expect(requests.slice(-2)).toEqual(['xcn-withdraw-intent/bind-origin', 'xcn-withdraw-intent/bind-origin']);
  });

  it.each(['SERVICE_PAUSED', 'SIGNATURE_MISMATCH', 'DEADLINE_EXPIRED'] as const)('but not after %s', async (code) => {
    await expect(send(refused(ERROR_CODES[code].httpStatus, code))).rejects.toThrow(code);
    expect([requests.length, payments]).toEqual([2, []]);
  });

  it('and does not pay one that expires in a moment', async () => {
    await expect(send(accepted(soon(30)))).rejects.toThrow('expires soon');
    expect(payments).toEqual([]);
  });

  it.each(['INTENT_EXPIRED', 'SENDER_MISMATCH', 'INTENT_ALREADY_BOUND'] as const)('and stops at %s', async (code) => {
    await expect(send(accepted(), refused(ERROR_CODES[code].httpStatus, code))).rejects.toThrow(code);
    expect(requests).toHaveLength(3);
  });

  it('and leaves the rest to the bridge when the bind has progressed already', async () => {
    expect(await send(accepted(), refused(409, 'INTENT_NOT_PENDING'))).toBe(intentId);
  });
});

describe('docs/integrators.md lists', () => {
  it.each([
    ['delay reason', DELAY_REASONS],
    ['failure reason', Object.keys(FAILURE_REASONS)],
    ['reason of an undeliverable amount', UNDELIVERABLE_REASONS],
    ['verdict', VERDICT_CODES],
  ])('every %s', (_, reasons) => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, reason]) => reason);
    expect(rows).toEqual(expect.arrayContaining([...reasons]));
  });
});
