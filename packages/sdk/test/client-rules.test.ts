import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ERROR_CODES,
  intentDigest,
  intentDomain,
  type BridgeOperationResponse,
  type ConfigResponse,
  type ErrorCode,
} from '@causeway/protocol';
import { relayerAbi } from '@causeway/protocol/abi';
import { encodeFunctionResult, numberToHex, parseUnits, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  connectBridge,
  resume,
  watchOperation,
  withdrawXcnByIntent,
  type Page,
  type TransferRecord,
  type Wallet,
} from '../src/index.js';
import { makeAnswer, makeBook, makeQuote } from './api-server.js';

// The rules for clients of docs/integrate/rest.md, against scripted answers.

type Answer = readonly [status: number, body: object, retryAfter?: string | undefined];

/** The one wait that is not for an answer to come. */
const TIMEOUT_MS = 123_456;
const ORIGIN: Hex = `0x${'ab'.repeat(32)}`;

const refused = (code: ErrorCode, retryAfter?: string): Answer => [
  ERROR_CODES[code].httpStatus,
  { error: code, message: 'as scripted' },
  retryAfter,
];
const operation = (status: string): Answer => [200, makeAnswer<BridgeOperationResponse>('getStatus', { status })];
const lost = new Error('no answer');

let scripts: Record<string, ((body: string) => Answer | Error)[]>;
let requests: string[];
let waits: number[];
beforeEach(() => {
  [scripts, requests, waits] = [{}, [], []];
  // Time passes immediately, and the test sees for how long the client wanted to wait.
  const { setTimeout } = globalThis;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
    if (ms === TIMEOUT_MS) return setTimeout(work, ms);
    waits.push(ms);
    return setTimeout(work, 0);
  }) as typeof setTimeout);
});
afterEach(() => void jest.restoreAllMocks());

const bridge = connectBridge({
  apiUrl: 'http://bridge.example/api/v1',
  timeoutMs: TIMEOUT_MS,
  fetch: async (input, init) => {
    const path = new URL(input as string).pathname.replace('/api/v1/bridge/', '');
    requests.push(path);
    const script = scripts[path] ?? [];
    const answer = (script.length > 1 ? script.shift() : script[0])?.(init?.body as string) ?? lost;
    if (answer instanceof Error) throw answer;
    const [status, body, retryAfter] = answer;
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return new Response(JSON.stringify(body), { status, headers });
  },
});
const inTurn = (...answers: (Answer | Error)[]) => answers.map((answer) => () => answer);
const count = (path: string) => requests.filter((each) => each === path).length;

/** Follows an operation where streams do not pass. */
async function watch(page?: Page): Promise<string[]> {
  scripts['events'] = inTurn([404, {}]);
  const statuses: string[] = [];
  for await (const { status } of watchOperation(bridge, { originTxHash: ORIGIN }, { page })) statuses.push(status);
  return statuses;
}

describe('a client polls', () => {
  it('every 5 to 10 seconds at random, also before the operation is known', async () => {
    const unknown = refused('OPERATION_NOT_FOUND');
    scripts['status'] = inTurn(unknown, unknown, operation('CONFIRMING'), operation('CONFIRMING'), operation('FAILED'));
    expect(await watch()).toEqual(['CONFIRMING', 'FAILED']);
    const polls = waits.filter((ms) => ms > 0);
    expect(polls).toHaveLength(4);
    for (const ms of polls) expect(ms >= 5_000 && ms <= 10_000).toBe(true);
    expect(new Set(polls).size).toBe(4);
  });

  it.each(['COMPLETED', 'FAILED', 'EXPIRED'])('until %s', async (status) => {
    scripts['status'] = inTurn(operation(status));
    expect(await watch()).toEqual([status]);
    expect(requests).toEqual(['status']);
  });

  it('with pauses that grow with each failure up to a minute, and never before Retry-After', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const busy = refused('RATE_LIMIT_EXCEEDED', '70');
    scripts['status'] = inTurn(lost, lost, lost, lost, lost, busy, operation('CONFIRMING'), operation('COMPLETED'));
    expect(await watch()).toEqual(['CONFIRMING', 'COMPLETED']);
    expect(waits.filter((ms) => ms > 0)).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 70_000, 5_000]);
  });

  it('not in the background, and asks one time on return', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    scripts['status'] = inTurn(operation('CONFIRMING'), operation('COMPLETED'));
    const end = watch(page);
    // The real time of several polls, which would pass immediately.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toEqual(['status']);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    page.dispatchEvent(new Event('visibilitychange'));
    expect(await end).toEqual(['CONFIRMING', 'COMPLETED']);
    expect(count('status')).toBe(2);
  });
});

describe('a client that withdraws by an intent', () => {
  const REGISTER = 'xcn-withdraw-intent';
  const BIND = 'xcn-withdraw-intent/bind-origin';
  const config = makeAnswer<ConfigResponse>('getConfig');
  const relayerWalletAddress = config.relayerWalletAddress ?? '0x';
  const amount = parseUnits('6000', 18);
  const account = privateKeyToAccount(generatePrivateKey());
  const soon = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toISOString();
  let payments: object[];

  /** A key on a chain that mines each transaction immediately. */
  const wallet: Wallet = {
    account: account.address,
    keepsNonce: true,
    signTypedData: async (typedData) => account.signTypedData(typedData),
    sendTransaction: async (transaction) => {
      payments.push(transaction);
      return ORIGIN;
    },
    request: async (method) =>
      ({
        eth_chainId: numberToHex(config.partner.chainId),
        eth_getBlockByNumber: { number: '0x10', timestamp: numberToHex(Math.floor(Date.now() / 1_000)) },
        eth_getBalance: numberToHex(2n * amount),
        eth_estimateGas: '0x5208',
        eth_getTransactionCount: '0x0',
        eth_getTransactionReceipt: { transactionHash: ORIGIN, blockNumber: '0x10', status: '0x1', logs: [] },
        eth_call: encodeFunctionResult({ abi: relayerAbi, functionName: 'relayer', result: relayerWalletAddress }),
      })[method],
  };

  /** Accepts the intent of a request, as the API does. */
  const accept =
    (expiresAt = soon(1_800)) =>
    (body: string): Answer => {
      const asked = JSON.parse(body) as {
        amountAtomic: string;
        deadline: number;
        nonce: string;
        recipientAddress: Hex;
      };
      const domain = intentDomain({ chainId: config.partner.chainId, bridgeMint: config.partner.bridgeMint });
      const { amountAtomic, nonce, recipientAddress: recipient } = asked;
      const terms = { sender: account.address, recipient, amount: BigInt(amountAtomic), nonce };
      const intentId = intentDigest(domain, { ...terms, deadline: BigInt(asked.deadline) });
      return [
        200,
        makeAnswer('registerIntent', { intentId, relayerWalletAddress, amountAtomic, expiresAt, fee: { amount: '0' } }),
      ];
    };

  beforeEach(() => {
    payments = [];
    const quote = makeQuote({ token: 'XCN', amount: '6000', direction: 'PARTNER_TO_ETHEREUM' });
    Object.assign(scripts, {
      config: inTurn([200, config]),
      'fee-quote': inTurn([200, quote]),
      status: inTurn([
        200,
        makeAnswer('getStatus', { status: 'PENDING_ORIGIN_TX', originTxHash: null, relayerWalletAddress }),
      ]),
      [REGISTER]: [accept()],
      [BIND]: inTurn([200, makeAnswer('bindOrigin')]),
    });
  });

  let record: TransferRecord | undefined;
  const store = { save: (kept: TransferRecord) => void (record = kept), load: () => record ?? null };
  const withdraw = async (options: object = {}) => {
    const terms = { amount, recipient: account.address };
    return withdrawXcnByIntent({ ...bridge, ...options }, wallet, terms, { pollMs: 1, store });
  };

  describe('and has an address book', () => {
    const addressBook = makeBook(config);
    const alone = { name: 'CheckError', findings: [{ code: 'API_ALONE', severity: 'blocking' }] };

    it('signs nothing while no node of its own names the wallet, and proposes a call of the contract', async () => {
      await expect(withdraw({ addressBook })).rejects.toMatchObject({
        ...alone,
        nextStep: expect.stringContaining('one transaction'),
      });
      expect([count(REGISTER), payments]).toEqual([0, []]);
    });

    it('pays nothing when an intent that was signed without one is resumed', async () => {
      scripts[REGISTER] = [accept(soon(30))];
      await expect(withdraw()).rejects.toMatchObject({ reason: 'EXPIRED' });
      await expect(resume({ ...bridge, addressBook }, wallet, record, { store })).rejects.toMatchObject(alone);
      expect(payments).toEqual([]);
    });

    it.each([
      ['pays the wallet that its own node names', relayerWalletAddress, { state: 'SENT' }],
      ['pays no other one', account.address, { name: 'IntentUnpayableError', reason: 'WALLET_REPLACED' }],
    ])('%s', async (_, result, outcome) => {
      // As the node of the wallet, which the API may have named, always agrees with the API.
      const answer = encodeFunctionResult({ abi: relayerAbi, functionName: 'relayer', result });
      scripts['/'] = inTurn([200, { jsonrpc: '2.0', id: 1, result: answer }]);
      const ended = withdraw({ addressBook, partnerRpcUrl: 'http://own.example/' });
      expect(await ended.catch((error: unknown) => error)).toMatchObject(outcome);
    });
  });

  it('repeats what has no answer, not before Retry-After, and pays one time', async () => {
    const unavailable = refused('SIGNATURE_VERIFICATION_UNAVAILABLE', '2');
    scripts[REGISTER] = [...inTurn(unavailable, lost), accept()];
    scripts[BIND] = inTurn(lost, [200, makeAnswer('bindOrigin')]);
    expect(await withdraw()).toMatchObject({ state: 'SENT', originTxHash: ORIGIN });
    expect(payments).toHaveLength(1);
    expect(waits.some((ms) => ms >= 2_000)).toBe(true);
    expect([count(REGISTER), count(BIND)]).toEqual([3, 2]);
  });

  it.each(['SERVICE_PAUSED', 'SIGNATURE_MISMATCH', 'DEADLINE_EXPIRED'] as const)(
    'does not pay after %s',
    async (code) => {
      scripts[REGISTER] = inTurn(refused(code));
      await expect(withdraw()).rejects.toMatchObject({ name: 'ApiError', code });
      expect([count(REGISTER), payments]).toEqual([1, []]);
    },
  );

  it('does not pay one that expires within a minute', async () => {
    scripts[REGISTER] = [accept(soon(30))];
    await expect(withdraw()).rejects.toMatchObject({ name: 'IntentUnpayableError', reason: 'EXPIRED' });
    expect(payments).toEqual([]);
  });

  it('does not pay after the deadline that it signed, whatever the API says', async () => {
    scripts[REGISTER] = [accept(soon(86_400))];
    scripts['status'] = inTurn([200, makeAnswer('getStatus', { originTxHash: null, relayerWalletAddress: null })]);
    await expect(withdraw()).rejects.toMatchObject({ reason: 'NOT_CONFIRMED' });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_800_000);
    const late = resume(bridge, wallet, record, { store, pollMs: 1 });
    await expect(late).rejects.toMatchObject({ name: 'IntentUnpayableError', reason: 'EXPIRED' });
  });

  it.each(['INTENT_EXPIRED', 'SENDER_MISMATCH', 'INTENT_ALREADY_BOUND'] as const)('stops at %s', async (code) => {
    scripts[BIND] = inTurn(refused(code));
    await expect(withdraw()).rejects.toMatchObject({ name: 'ApiError', code });
    expect(count(BIND)).toBe(1);
  });

  it('leaves the rest to the bridge when the bind has progressed already', async () => {
    scripts[BIND] = inTurn(refused('INTENT_NOT_PENDING'));
    expect(await withdraw()).toMatchObject({ state: 'SENT', originTxHash: ORIGIN });
  });
});
