import { describe, expect, it } from '@jest/globals';
import { createWalletClient, custom, http, padHex } from 'viem';
import { mainnet } from 'viem/chains';
import { checkTransfer, deposit, fromProvider, fromViem, resume, switchChain } from '../src/index.js';
import type { RetryEvent, Wallet } from '../src/index.js';
import { CONFIG, RECIPIENT, TransferWorld, USER } from './transfer-world.js';

// Each read of the wallet and its node has a time-out and a signal, and no repetition is silent.

const TERMS = { asset: 'ETH', amount: '0.5', recipient: RECIPIENT } as const;
const never = async () => new Promise(() => undefined);
const reason = new Error('the user left');
const catchError = async (run: Promise<unknown>) => run.catch((error: unknown) => error);

describe('a wallet that sleeps', () => {
  it.each(['eth_chainId', 'eth_getBalance', 'eth_estimateGas', 'eth_getTransactionReceipt'])(
    'at %s is a WalletFailedError with the method and the seconds',
    async (method) => {
      const world = new TransferWorld();
      world.answers[method] = never;
      const bridge = { ...world.bridge, timeoutMs: 300 };
      expect(await catchError(deposit(bridge, world.connectWallet(), TERMS, { store: world.store }))).toMatchObject({
        name: 'WalletFailedError',
        message: expect.stringContaining(`${method} (no answer within 0.3 s)`),
      });
    },
  );

  it('when a transfer is resumed is one, too', async () => {
    const world = new TransferWorld();
    world.send = never as never;
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 20);
    expect(await world.deposit('ETH', controller.signal)).toBe(reason);
    world.answers['eth_chainId'] = never;
    const { record, store } = world;
    const resumed = resume({ ...world.bridge, timeoutMs: 300 }, world.connectWallet(), record, { store });
    expect(await catchError(resumed)).toMatchObject({ name: 'WalletFailedError' });
  });

  it('has no time-out while its window is open', async () => {
    const world = new TransferWorld();
    const { send } = world;
    world.send = async (nonce) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return send(nonce);
    };
    const bridge = { ...world.bridge, timeoutMs: 300 };
    expect(await deposit(bridge, world.connectWallet(), TERMS, { pollMs: 1 })).toMatchObject({ state: 'SENT' });
  });
});

describe('a malformed answer', () => {
  it.each<[string, unknown]>([
    ['eth_chainId', 1],
    ['eth_getBlockByNumber', null],
    ['eth_getTransactionReceipt', { status: 'mined' }],
    ['eth_getTransactionByHash', { from: 'the user' }],
    ['eth_getTransactionCount', undefined],
  ])('to %s is a WalletFailedError with the method', async (method, answer) => {
    const world = new TransferWorld();
    world.answers[method] = () => answer;
    if (method === 'eth_getTransactionByHash') world.answers['eth_getTransactionReceipt'] = () => null;
    const outcome = await catchError(deposit(world.bridge, world.connectWallet(), TERMS, { pollMs: 1 }));
    expect(outcome).toMatchObject({
      name: 'WalletFailedError',
      message: expect.stringContaining(`${method} (malformed answer: ${JSON.stringify(answer)})`),
    });
  });
});

describe('a signal', () => {
  it.each<[string, string, (wallet: Wallet, world: TransferWorld, signal: AbortSignal) => Promise<unknown>]>([
    [
      'a check',
      'eth_getBalance',
      async (wallet, { bridge }, signal) => checkTransfer(bridge, wallet, { kind: 'DEPOSIT', ...TERMS }, { signal }),
    ],
    ['a deposit', 'eth_estimateGas', async (wallet, { bridge }, signal) => deposit(bridge, wallet, TERMS, { signal })],
    ['a switch', 'eth_chainId', async (wallet, _, signal) => switchChain(wallet, mainnet, { signal })],
    [
      'the window of a switch',
      'wallet_switchEthereumChain',
      async (wallet, _, signal) => switchChain(wallet, mainnet, { signal }),
    ],
  ])('ends %s while %s is not answered', async (_, method, run) => {
    const world = new TransferWorld();
    const controller = new AbortController();
    world.answers[method] = async () => {
      controller.abort(reason);
      return never();
    };
    expect(await catchError(run(world.connectWallet(), world, controller.signal))).toBe(reason);
  });
});

describe('a busy node', () => {
  it('is asked again, also behind MetaMask, and each repetition is reported', async () => {
    const world = new TransferWorld();
    const busy = { code: -32_005, message: 'too many requests' };
    const refusals = [busy, { code: -32_603, message: 'Internal JSON-RPC error.', data: busy }];
    world.answers['eth_getBalance'] = () => {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw Object.assign(new Error(refusal.message), refusal);
      return padHex('0xffffffffffffffffff', { size: 32 });
    };
    const retries: RetryEvent[] = [];
    const options = { onRetry: (retry: RetryEvent) => retries.push(retry) };
    await checkTransfer(world.bridge, world.connectWallet(), { kind: 'DEPOSIT', ...TERMS }, options);
    const error = { name: 'WalletFailedError', message: expect.stringContaining('too many requests') };
    expect(retries).toMatchObject([
      { request: 'eth_getBalance', attempt: 1, error },
      { request: 'eth_getBalance', attempt: 2, error },
    ]);
  });

  it('is not asked again by viem', async () => {
    let asked = 0;
    const fetchFn = async () => {
      asked += 1;
      return new Response('busy', { status: 503, headers: { 'retry-after': '60' } });
    };
    const client = createWalletClient({ account: USER, transport: http('http://node.example', { fetchFn }) });
    const wallet = fromViem(client);
    await expect(wallet.request('eth_chainId')).rejects.toThrow('HTTP request failed');
    expect(asked).toBe(1);
    const { chainId } = CONFIG.ethereum;
    const prepared = wallet.prepareTransaction?.({ chainId, to: RECIPIENT, data: '0x', value: 0n });
    await expect(prepared).rejects.toThrow('HTTP request failed');
    expect(asked).toBeLessThan(6);
  });

  it('with a window that fails is asked to send once, on the chain of the transfer', async () => {
    const asked: { method: string; params?: unknown }[] = [];
    const request = async (call: { method: string; params?: unknown }) => {
      asked.push(call);
      throw Object.assign(new Error('request timed out'), { code: -32_000 });
    };
    const wallet = fromProvider({ request }, USER.address);
    const call = { chainId: 31_337, to: USER.address, data: '0x', value: 1n, gas: 21_000n } as const;
    await expect(wallet.sendTransaction(call)).rejects.toThrow('request timed out');
    const params = [expect.objectContaining({ chainId: '0x7a69', value: '0x1' })];
    expect(asked).toEqual([{ method: 'eth_sendTransaction', params }]);
  });

  it('that refuses for another reason is asked once', async () => {
    let asked = 0;
    const request = async () => {
      asked += 1;
      throw Object.assign(new Error('internal'), { code: -32_603 });
    };
    const wallet = fromViem(createWalletClient({ account: USER.address, transport: custom({ request }) }));
    await expect(wallet.request('wallet_sendCalls', [])).rejects.toThrow('internal');
    await expect(wallet.request('eth_chainId', [])).rejects.toThrow('internal');
    expect(asked).toBe(2);
  });
});
