import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES, OPERATION_STATUSES, type ErrorCode } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { Observer } from './observer.js';
import { makeProject } from './packed-stack.js';

// Scenarios of the published package on one stack. Longer scenarios are in nightly.

const { library } = await makeProject();
const stack = library.useStack({ beforeAll, afterAll });
const observer = new Observer(stack);

/** Codes that need neither a restart of the API nor a wait. */
const QUICK_CODES: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'BELOW_MINIMUM',
  'DEADLINE_EXPIRED',
  'SIGNATURE_INVALID',
  'SIGNATURE_MISMATCH',
  'SIGNATURE_DOMAIN_REJECTED',
  'SIGNATURE_VERIFICATION_UNAVAILABLE',
  'SENDER_MISMATCH',
  'OPERATION_NOT_FOUND',
  'INTENT_NOT_FOUND',
  'INTENT_ALREADY_BOUND',
  'DUPLICATE_ORIGIN_TX',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'URI_TOO_LONG',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
];

describe('the page for people', () => {
  it('is in the package, and has test wallets with the keys of the users', async () => {
    const { webUrl, accounts } = stack();
    expect(await (await fetch(webUrl)).text()).toContain('<div id="root">');
    const settings = (await (await fetch(new URL('settings.json', webUrl))).json()) as object;
    const keys = [accounts.alice, accounts.bob].map(({ privateKey }) => ({ privateKey }));
    expect(settings).toMatchObject({ apiUrl: '/api/v1', testWallets: keys });
  });
});

describe('a status', () => {
  it.each(OPERATION_STATUSES)('%s is reached', async (status) => {
    const { operation, lift } = await stack().scenarios.reachStatus(status);
    try {
      expect((await observer.readOperation(operation))?.status).toBe(status);
    } finally {
      await lift();
    }
  });
});

describe('a delay', () => {
  it('is reached for a reason and ends with its cause', async () => {
    const { operation, lift } = await stack().scenarios.reachDelay('OUTFLOW_LIMIT');
    expect(await observer.readOperation(operation)).toMatchObject({
      status: 'DELAYED',
      delayedReason: 'OUTFLOW_LIMIT',
    });
    await lift();
    expect(await observer.became(operation, 'COMPLETED')).toMatchObject({ delayedReason: null });
  });
});

describe('an error', () => {
  it.each(QUICK_CODES)('%s is returned, also to a repeated request', async (code) => {
    const { request, answer, lift } = await stack().scenarios.reachError(code);
    expect(answer).toMatchObject({ status: ERROR_CODES[code].httpStatus, body: { error: code } });
    const { method, url, headers, body } = request;
    expect(await (await fetch(url, { method, headers, body })).json()).toMatchObject({ error: code });
    await lift();
    expect(await observer.readHealth()).toBe(200);
  });
});

describe('a rate limit', () => {
  it('is passed by a client that waits for Retry-After, within 5 seconds', async () => {
    const { request, answer, lift } = await stack().scenarios.reachError('RATE_LIMIT_EXCEEDED');
    expect(answer).toMatchObject({ status: 429, body: { error: 'RATE_LIMIT_EXCEEDED' } });
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(5);
    await sleep(1_000 * seconds);
    expect((await fetch(request.url)).status).toBe(200);
    await lift();
    expect(await observer.readHealth()).toBe(200);
  });
});

describe('a condition', () => {
  it('stops and restarts the API', async () => {
    const { lift } = await stack().scenarios.stopApi();
    await expect(observer.readHealth()).rejects.toThrow('fetch failed');
    await lift();
    // A second lift does nothing.
    await lift();
    expect(await observer.readHealth()).toBe(200);
  });

  it('stops and restarts the relayer', async () => {
    const { lift } = await stack().scenarios.stopRelayer();
    await waitUntil('the API reports the absence', async () => (await observer.readHealth()) === 503);
    await lift();
    expect(await waitUntil('the relayer is healthy', async () => (await observer.readHealth()) === 200)).toBe(true);
  });
});

describe('an event', () => {
  it('reorg: removes the deposit', async () => {
    const { operation } = await stack().scenarios.reorg();
    expect(operation.status).toBe('CONFIRMING');
    expect(await observer.readOperation(operation)).toBeNull();
  });

  it('bindLate: binds an intent after its payment', async () => {
    const { operation } = await stack().scenarios.bindLate();
    expect(operation.intentId).toBe(operation.id);
    expect(operation.originTxHash).not.toBeNull();
  });
});

describe('fund', () => {
  const makeAddress = () => privateKeyToAddress(generatePrivateKey());

  it('gives coins of both chains', async () => {
    const address = makeAddress();
    const amount = 3n * 10n ** 18n;
    await stack().fund({ address, chain: 'ethereum', asset: 'ETH', amount });
    await stack().fund({ address, chain: 'partner', asset: 'XCN', amount });
    expect(await observer.client('ethereum').getBalance({ address })).toBe(amount);
    expect(await observer.client('partner').getBalance({ address })).toBe(amount);
  });

  it.each([
    ['amount', { amount: 1 }],
    ['amount', { amount: -1n }],
    ['amount', { amount: 10n ** 78n }],
    ['address', { address: '0x52908400098527886E0F7030069857D2E4169Ee7' }],
    ['asset', { asset: 'DAI' }],
    ['chain', { chain: 'solana' }],
  ])('refuses a wrong %s: %j', async (field, wrong) => {
    const right = { address: makeAddress(), chain: 'ethereum', asset: 'ETH', amount: 1n } as const;
    await expect(stack().fund({ ...right, ...wrong } as never)).rejects.toMatchObject({ name: 'StackError', field });
  });
});

describe('a call with a wrong parameter', () => {
  it('names the parameter and changes nothing', async () => {
    const { scenarios } = stack();
    await expect(scenarios.reachStatus('DONE' as never)).rejects.toMatchObject({ field: 'status' });
    await expect(scenarios.pause('partner', 'everything' as never)).rejects.toMatchObject({ field: 'what' });
    await expect(scenarios.passTime(0.5)).rejects.toMatchObject({ field: 'seconds' });
    expect(await observer.readHealth()).toBe(200);
  });

  it('reaches the control URL that stack.json has', () => {
    const { controlUrl, logs } = stack();
    const file = readFileSync(join(logs, '../stack.json'), 'utf8');
    expect(JSON.parse(file)).toMatchObject({ controlUrl, accounts: { alice: stack().accounts.alice } });
  });

  it('refuses a wrong content type, JSON, call or condition', async () => {
    const { controlUrl } = stack();
    const call = async (name: string, body: string, type = 'application/json') => {
      const init = { method: 'POST', headers: { 'content-type': type }, body };
      return (await fetch(`${controlUrl}/${name}`, init)).status;
    };
    expect(await call('reorg', '{}', 'text/plain')).toBe(405);
    expect(await call('reorg', '{')).toBe(400);
    expect(await call('explode', '{}')).toBe(404);
    expect(await call('lift', '{"condition":1000}')).toBe(400);
    await expect(library.connectStack('http://127.0.0.1:9')).rejects.toThrow('No stack answers');
  });
});

// Last, since no stack is left.
describe('a stack whose relayer is killed', () => {
  it('says so in every later call', async () => {
    const { logs, scenarios } = stack();
    const { pid } = JSON.parse(readFileSync(join(logs, '../stack.json'), 'utf8')) as { readonly pid: number };
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const relayer = children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('relayer'));
    process.kill(Number(relayer), 'SIGKILL');
    const reason = 'The stack has ended: relayer ended with SIGKILL';
    await waitUntil('a call fails', async () =>
      scenarios.passTime(1).then(
        () => false,
        (error: Error) => error.message.startsWith(reason),
      ),
    );
    await expect(scenarios.passTime(1)).rejects.toMatchObject({
      name: 'StackError',
      message: expect.stringContaining(reason),
    });
  });
});
