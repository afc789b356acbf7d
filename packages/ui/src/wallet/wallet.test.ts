import { describe, expect, it } from '@jest/globals';
import { findTypedDataChain, connect, signText, signTypedData, WalletError } from './signing.js';
import { followTransaction, sendTransaction, type Progress } from './transactions.js';
import type { WalletProvider } from './provider.js';

// The wallet flows against a scripted provider, with every kind of wallet failure.

/** The answer of a wallet to a method: a value, a thrown value, or a promise. */
type Script = Readonly<Record<string, (...params: readonly never[]) => unknown>>;

/** A wallet with scripted answers (EIP-1193). */
class ScriptedProvider implements WalletProvider {
  readonly methods: string[] = [];
  private readonly listeners = new Set<readonly [event: string, listener: (value: unknown) => void]>();

  constructor(private readonly script: Script) {}

  async request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    this.methods.push(method);
    const answer = this.script[method];
    if (answer === undefined) throw Object.assign(new Error(`no ${method}`), { code: 4_200 });
    return answer(...(params as never[]));
  }

  on(event: string, listener: (value: unknown) => void): void {
    this.listeners.add([event, listener]);
  }

  removeListener(event: string, listener: (value: unknown) => void): void {
    for (const each of this.listeners) if (each[0] === event && each[1] === listener) this.listeners.delete(each);
  }

  /** Emits a change event, as after a user's action. */
  emit(event: string, value: unknown): void {
    for (const [name, listener] of this.listeners) if (name === event) listener(value);
  }

  /** Returns the number of remaining listeners. */
  get listenerCount(): number {
    return this.listeners.size;
  }
}

const ACCOUNT = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;
const READY: Script = {
  eth_requestAccounts: () => [ACCOUNT.toUpperCase().replace('0X', '0x')],
  eth_accounts: () => [ACCOUNT],
  eth_chainId: () => '0x22c5',
  personal_sign: () => '0xsigned',
  eth_signTypedData_v4: () => '0xtyped',
};
const signal = () => new AbortController().signal;
const typedData = { domain: { chainId: 8_901 }, message: {} };

async function catchFailure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof WalletError ? error.failure : `not a WalletError: ${String(error)}`;
  }
  return 'none';
}

const refusing = (code: number) => () => {
  throw Object.assign(new Error('said by the wallet'), { code });
};

describe('a signature', () => {
  it('encodes the text as bytes, so that text like hex stays text', async () => {
    const asked: unknown[] = [];
    const provider = new ScriptedProvider({ ...READY, personal_sign: (text: string) => asked.push(text) });
    await signText(provider, { account: ACCOUNT, chainId: null }, '0x41', signal());
    expect(asked).toEqual(['0x30783431']);
  });

  it('comes from the requested account and chain, and leaves no listener', async () => {
    const provider = new ScriptedProvider(READY);
    expect(await signTypedData(provider, ACCOUNT, typedData, signal())).toBe('0xtyped');
    expect(provider.listenerCount).toBe(0);
  });

  it.each<[string, Script]>([
    ['REFUSED', { eth_signTypedData_v4: refusing(4_001) }],
    ['BUSY', { eth_signTypedData_v4: refusing(-32_002) }],
    ['FAILED', { eth_signTypedData_v4: refusing(-32_603) }],
    ['NO_ACCOUNT', { eth_requestAccounts: () => [] }],
    ['WRONG_ACCOUNT', { eth_requestAccounts: () => [OTHER] }],
    ['ACCOUNT_CHANGED', { eth_accounts: () => [OTHER] }],
    ['WRONG_CHAIN', { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => null }],
    ['UNKNOWN_CHAIN', { eth_chainId: () => '0x1', wallet_switchEthereumChain: refusing(4_902) }],
    ['REFUSED', { eth_chainId: () => '0x1', wallet_switchEthereumChain: refusing(4_001) }],
  ])('fails with %s', async (failure, script) => {
    const provider = new ScriptedProvider({ ...READY, ...script });
    expect(await catchFailure(signTypedData(provider, ACCOUNT, typedData, signal()))).toBe(failure);
    expect(provider.listenerCount).toBe(0);
  });

  it.each([
    ['accountsChanged', [OTHER], 'ACCOUNT_CHANGED'],
    ['accountsChanged', [], 'ACCOUNT_CHANGED'],
    ['chainChanged', '0x1', 'CHAIN_CHANGED'],
  ])('is discarded if %s occurs during the request', async (event, value, failure) => {
    const provider: ScriptedProvider = new ScriptedProvider({
      ...READY,
      eth_signTypedData_v4: () => {
        provider.emit(event, value);
        return '0xtyped';
      },
    });
    expect(await catchFailure(signTypedData(provider, ACCOUNT, typedData, signal()))).toBe(failure);
  });

  it('can be cancelled while the wallet is silent', async () => {
    const stop = new AbortController();
    const provider = new ScriptedProvider({
      ...READY,
      eth_signTypedData_v4: async () => {
        stop.abort();
        return new Promise(() => undefined);
      },
    });
    expect(await catchFailure(signTypedData(provider, ACCOUNT, typedData, stop.signal))).toBe('CANCELLED');
    expect(await catchFailure(connect(provider, stop.signal))).toBe('CANCELLED');
  });

  it('names the chain of its domain, if there is one', () => {
    expect([findTypedDataChain(typedData), findTypedDataChain({ domain: {} }), findTypedDataChain({})]).toEqual([
      8_901,
      null,
      null,
    ]);
  });
});

describe('a transaction', () => {
  const call = { to: OTHER, data: '0x1234', value: '0' };
  const txHash = `0x${'11'.repeat(32)}`;
  const by = `0x${'22'.repeat(32)}`;
  const mined = { hash: by, from: ACCOUNT, to: OTHER, nonce: '0x7', input: '0x1234', value: '0x0' };
  const chain: Script = {
    eth_getTransactionReceipt: () => null,
    eth_getTransactionByHash: () => null,
    eth_blockNumber: () => '0xa',
    eth_getTransactionCount: () => '0x8',
    eth_getBlockByNumber: (number: string) => ({ transactions: number === '0x9' ? [mined] : [] }),
  };

  async function follow(script: Script): Promise<readonly Progress[]> {
    const states: Progress[] = [];
    const provider = new ScriptedProvider({ ...chain, ...script });
    const sent = { txHash, nonce: 7n };
    for await (const each of followTransaction(provider, { account: ACCOUNT, call, sent }, signal(), async () => {}))
      states.push(each);
    return states;
  }

  it('is sent on its chain, with the expected nonce', async () => {
    const provider = new ScriptedProvider({
      ...READY,
      eth_getTransactionCount: () => '0x7',
      eth_sendTransaction: () => txHash,
    });
    const sent = await sendTransaction(provider, { account: ACCOUNT, chainId: 8_901 }, call, signal());
    expect(sent).toEqual({ txHash, nonce: 7n });
  });

  it('fails if the wallet returns something other than a hash', async () => {
    const provider = new ScriptedProvider({
      ...READY,
      eth_getTransactionCount: () => '0x7',
      eth_sendTransaction: () => 'ok',
    });
    const sending = sendTransaction(provider, { account: ACCOUNT, chainId: 8_901 }, call, signal());
    expect(await catchFailure(sending)).toBe('FAILED');
  });

  it.each([
    ['0x1', 'SUCCEEDED'],
    ['0x0', 'REVERTED'],
  ])('with the status %s has %s', async (status, state) => {
    const states = await follow({ eth_getTransactionReceipt: () => ({ status }) });
    expect(states).toEqual([
      { state: 'PENDING', txHash },
      { state, txHash, replaced: null },
    ]);
  });

  it('is followed through a replacement with the same call', async () => {
    const states = await follow({
      eth_getTransactionReceipt: (hash: string) => (hash === by ? { status: '0x1' } : null),
    });
    expect(states.at(-1)).toEqual({ state: 'SUCCEEDED', txHash: by, replaced: txHash });
  });

  it('is reported as replaced if another call used its nonce', async () => {
    const other = { ...mined, to: ACCOUNT, input: '0x' };
    const states = await follow({ eth_getBlockByNumber: () => ({ transactions: [other] }) });
    expect(states.at(-1)).toEqual({ state: 'REPLACED', txHash, by });
  });
});
