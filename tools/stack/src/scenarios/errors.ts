import { ERROR_CODES, type ErrorCode } from '@causeway/protocol';
import { generatePrivateKey } from 'viem/accounts';
import { makeStranger, type Bench } from './bench.js';
import { pause, type Lift } from './conditions.js';
import { signIntent } from './intents.js';
import { prepareBind } from './refused-binds.js';
import { ask, askHalf, post, type Answer, type Request } from './request.js';

/** A URL at which no node listens. */
const NO_NODE = 'http://127.0.0.1:9';
/** An address of the documentation range, which no client has. */
const NO_CLIENT = '192.0.2.1';
/** Above the API's limits. */
const TOO_LONG = { address: 8_193, headers: 20_000, body: 2_000_000 } as const;
const SHORT_TIMEOUT_MS = '500';
const SOME_HASH = `0x${'5e'.repeat(32)}`;
const STATUS = '/bridge/status';
const INTENT = '/bridge/xcn-withdraw-intent';

/** A request that is refused, and the lift of the condition that it needs. */
interface Refused {
  readonly request: Request;
  readonly lift?: Lift;
}

/** The request, with its full URL, and its answer. */
interface ReachedRefusal {
  readonly request: Omit<Request, 'path'> & { readonly url: string };
  readonly answer: Answer;
  readonly lift?: Lift;
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Refused => ({
  request: { method: 'GET', path, headers, body: null },
});
const postIntent = async (bench: Bench, changes: Parameters<typeof signIntent>[1]): Promise<Refused> => ({
  request: post(INTENT, await signIntent(bench, changes)),
});

/** Provokes each code. */
const WAYS: Readonly<Record<ErrorCode, (bench: Bench) => Refused | Promise<Refused>>> = {
  VALIDATION_ERROR: () => get(STATUS),
  BELOW_MINIMUM: () => get('/bridge/fee-quote?token=USDC&amount=1&direction=PARTNER_TO_ETHEREUM'),
  DEADLINE_EXPIRED: (bench) => postIntent(bench, { seconds: -60 }),
  SIGNATURE_INVALID: async (bench) => {
    const body = { ...(await signIntent(bench)), signature: '0x1234' };
    return { request: post(INTENT, body) };
  },
  SIGNATURE_MISMATCH: (bench) => postIntent(bench, { privateKey: generatePrivateKey() }),
  SIGNATURE_DOMAIN_REJECTED: (bench) => postIntent(bench, { chainId: bench.environment.book.ethereum.chainId }),
  SENDER_MISMATCH: (bench) => prepareBind(bench, 'SENDER_MISMATCH'),
  OPERATION_NOT_FOUND: () => get(`${STATUS}?originTxHash=${SOME_HASH}`),
  INTENT_NOT_FOUND: (bench) => prepareBind(bench, 'INTENT_NOT_FOUND'),
  INTENT_ALREADY_BOUND: (bench) => prepareBind(bench, 'INTENT_ALREADY_BOUND'),
  INTENT_NOT_PENDING: (bench) => prepareBind(bench, 'INTENT_NOT_PENDING'),
  DUPLICATE_ORIGIN_TX: (bench) => prepareBind(bench, 'DUPLICATE_ORIGIN_TX'),
  INTENT_EXPIRED: (bench) => prepareBind(bench, 'INTENT_EXPIRED'),
  RATE_LIMIT_EXCEEDED: async (bench) => {
    // Two requests in two seconds, so that a client can wait for Retry-After.
    const rates = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_PER_MINUTE: '0' };
    const lift = await changeApi(bench, { ...rates, RATE_LIMIT_EXEMPT_IPS: NO_CLIENT });
    return { ...get('/bridge/config'), lift };
  },
  // Longer than a key's signature, like that of a smart account, which is not deployed here.
  SIGNATURE_VERIFICATION_UNAVAILABLE: async (bench) => {
    const body = await signIntent(bench, { sender: makeStranger() });
    return { request: post(INTENT, { ...body, signature: `${body.signature}00` }) };
  },
  SERVICE_PAUSED: async (bench) => {
    const lift = await pause(bench, 'partner', 'beginnings');
    return { ...(await postIntent(bench, {})), lift };
  },
  NOT_FOUND: () => get('/bridge/nothing'),
  METHOD_NOT_ALLOWED: () => ({ request: { ...get(STATUS).request, method: 'DELETE' } }),
  REQUEST_TIMEOUT: async (bench) => {
    const lift = await changeApi(bench, { REQUEST_TIMEOUT_MS: SHORT_TIMEOUT_MS });
    return { request: post(INTENT, {}), lift };
  },
  PAYLOAD_TOO_LARGE: () => ({ request: post(INTENT, { nonce: 'n'.repeat(TOO_LONG.body) }) }),
  URI_TOO_LONG: () => get(`${STATUS}?originTxHash=${'0'.repeat(TOO_LONG.address)}`),
  UNSUPPORTED_MEDIA_TYPE: () => ({ request: { ...post(INTENT, {}), headers: { 'content-type': 'text/plain' } } }),
  HEADERS_TOO_LARGE: () => get('/bridge/config', { 'x-long': 'h'.repeat(TOO_LONG.headers) }),
  INTERNAL_ERROR: async (bench) => ({ ...get(`/bridge/refunds/${SOME_HASH}`), lift: await breakDatabase(bench) }),
  SERVICE_UNAVAILABLE: async (bench) => {
    const lift = await changeApi(bench, { ETHEREUM_RPC_URLS: NO_NODE, PARTNER_RPC_URLS: NO_NODE });
    return { ...get('/bridge/limits'), lift };
  },
};

/** Makes a request that the API refuses with a code. */
export async function reachError(bench: Bench, code: ErrorCode): Promise<ReachedRefusal> {
  const { request, lift } = await WAYS[code](bench);
  try {
    const send = code === 'REQUEST_TIMEOUT' ? askHalf : ask;
    const { apiUrl } = bench.environment.stack;
    let answer = await send(apiUrl, request);
    // The first request can be within the rate, or the API can answer it from a cache for a moment.
    const isReached = () => answer.body.error === code && answer.status === ERROR_CODES[code].httpStatus;
    if (lift !== undefined && !isReached()) {
      await bench.wait(`the API answers ${code}, not ${JSON.stringify(answer.body).slice(0, 300)}`, async () => {
        answer = await send(apiUrl, request);
        return isReached();
      });
    }
    if (!isReached()) throw new Error(`The API answers ${answer.status} ${JSON.stringify(answer.body)}, not ${code}`);
    const { path, ...rest } = request;
    return { request: { ...rest, url: `${apiUrl}${path}` }, answer, ...(lift === undefined ? {} : { lift }) };
  } catch (error) {
    await lift?.();
    throw error;
  }
}

/** Restarts the API with other settings. */
async function changeApi({ environment }: Bench, changes: Readonly<Record<string, string>>): Promise<Lift> {
  await environment.restartApi(changes);
  return () => environment.restartApi();
}

/** Renames a table that the API reads, as after a failed migration. */
async function breakDatabase(bench: Bench): Promise<Lift> {
  const rename = async (from: string, to: string) => {
    await bench.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  };
  await rename('refund', 'refund_away');
  return () => rename('refund_away', 'refund');
}
