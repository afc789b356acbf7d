import type { BrowserContext } from 'playwright-core';
import {
  createWalletClient,
  defineChain,
  encodeFunctionData,
  hexToString,
  http,
  isHex,
  keccak256,
  numberToHex,
  parseAbi,
  type Address,
  type Hex,
  type TypedDataDefinition,
} from 'viem';
import { type PrivateKeyAccount } from 'viem/accounts';

/** URLs of the nodes that a wallet knows, by chain id. */
export type WalletChains = Readonly<Record<number, string>>;

/**
 * How a wallet behaves.
 *
 * - `sign`: signs with its key.
 * - `refuse`: answers like a wallet whose user pressed "Reject" (EIP-1193, code 4001).
 * - `stall`: does not answer until the test approves or refuses the request in `windows`.
 */
export type WalletMood = 'sign' | 'refuse' | 'stall';

/** A request that waits for the wallet's user. It outlives the page that made it. */
export interface OpenWindow {
  readonly method: string;
  readonly approve: () => Promise<void>;
  readonly refuse: () => void;
}

/** A transaction, or a call of a batch, that a page asked for. */
export interface AskedCall {
  readonly chainId: number;
  readonly to: Address;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
}

/** A wallet that pages find by EIP-6963 or `window.ethereum`. It signs with a real key in the test's process. */
export interface InjectedWallet {
  readonly name: string;
  account: PrivateKeyAccount;
  chainId: number;
  mood: WalletMood;
  /** While locked, it shows no account and does not answer a request for one. */
  isLocked: boolean;
  /** Chains that it does not know until a page adds them. */
  readonly unknownChains: Set<number>;
  /** The nodes that pages asked it to add. */
  readonly addedNodes: string[];
  /** How its user replaces its next transaction: the hash that the page gets is never mined. */
  replacesNext: 'speed-up' | 'cancel' | null;
  /** Injects the same wallet into the pages of another context. */
  readonly injectInto: (context: BrowserContext) => Promise<void>;
  /** Selects another account like its user, and announces it. */
  readonly switchAccount: (account: PrivateKeyAccount) => Promise<void>;
  /** Selects another chain, and announces it. */
  readonly switchChain: (chainId: number) => Promise<void>;
  /** The methods that pages called, oldest first. */
  readonly calls: string[];
  /** The typed data that pages asked it to sign, oldest first. */
  readonly typedData: TypedDataDefinition[];
  /** The transactions that pages asked it to send, oldest first. */
  readonly transactions: AskedCall[];
  /** Number of transactions that it sent. */
  sent: number;
  /** The unanswered requests of a wallet that stalls, oldest first. */
  readonly windows: OpenWindow[];
}

/** The kind of a wallet. */
export interface WalletKind {
  /** The address of a smart account (`OwnedAccount`) of the key. It signs by ERC-1271 and sends batches (EIP-5792). */
  readonly contract?: Address;
  /** Sets `window.ethereum` instead of announcing itself. */
  readonly isLegacy?: boolean;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

type Outcome = { readonly result: unknown } | { readonly error: RpcError };

const REFUSED: RpcError = { code: 4_001, message: 'User rejected the request.' };
const UNSUPPORTED = Object.assign(new Error('Unsupported method'), { code: 4_200 });
const UNKNOWN_CHAIN: RpcError = { code: 4_902, message: 'Unrecognized chain ID.' };

/**
 * Injects a wallet into every page that the context opens from this call on.
 *
 * @param name shown by the page; unique in the context.
 */
export async function injectWallet(
  context: BrowserContext,
  name: string,
  account: PrivateKeyAccount,
  chains: WalletChains,
  kind: WalletKind = {},
): Promise<InjectedWallet> {
  const contexts: BrowserContext[] = [];
  const announce = async (event: string, value: unknown) => {
    const detail = JSON.stringify({ name, event, value });
    const script = `window.dispatchEvent(new CustomEvent('test-wallet', { detail: ${JSON.stringify(detail)} }))`;
    const pages = contexts.flatMap((each) => each.pages());
    // A page can close meanwhile.
    await Promise.all(pages.map(async (page) => page.evaluate(script).catch(() => undefined)));
  };
  const wallet: InjectedWallet = {
    name,
    account,
    chainId: Number(Object.keys(chains)[0]),
    mood: 'sign',
    isLocked: false,
    unknownChains: new Set(),
    addedNodes: [],
    replacesNext: null,
    calls: [],
    typedData: [],
    transactions: [],
    sent: 0,
    windows: [],
    switchAccount: async (next) => {
      wallet.account = next;
      await announce('accountsChanged', [next.address]);
    },
    switchChain: async (next) => {
      wallet.chainId = next;
      await announce('chainChanged', numberToHex(next));
    },
    injectInto: async (target) => {
      contexts.push(target);
      await target.exposeFunction(requestName(name), async (method: string, params: unknown): Promise<Outcome> => {
        wallet.calls.push(method);
        try {
          return await open.answer(method, (params ?? []) as unknown[]);
        } catch (error) {
          const { code = -32_603 } = error as { code?: number };
          return { error: { code, message: error instanceof Error ? error.message : String(error) } };
        }
      });
      const { isLegacy = false } = kind;
      await target.addInitScript(provideWallet, { name, request: requestName(name), isLegacy });
    },
  };
  const open = new WalletAnswers(wallet, chains, kind.contract, announce);
  await wallet.injectInto(context);
  return wallet;
}

function requestName(name: string): string {
  return `testWallet_${name.replaceAll(/\W/g, '_')}`;
}

/** Runs in the page: an EIP-1193 provider, announced by EIP-6963 or set as `window.ethereum`. */
function provideWallet({ name, request, isLegacy }: { name: string; request: string; isLegacy: boolean }): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      const call = (globalThis as unknown as Record<string, (...args: unknown[]) => Promise<Outcome>>)[request];
      const outcome = await call?.(method, params);
      if (outcome === undefined) throw new Error('The test has removed this wallet');
      if ('error' in outcome) throw Object.assign(new Error(outcome.error.message), { code: outcome.error.code });
      return outcome.result;
    },
    on: (event: string, listener: (value: unknown) => void) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener: (event: string, listener: (value: unknown) => void) => void listeners.get(event)?.delete(listener),
  };
  const target = globalThis as unknown as EventTarget;
  target.addEventListener('test-wallet', (event) => {
    const said = JSON.parse((event as CustomEvent<string>).detail) as { name: string; event: string; value: unknown };
    if (said.name === name) for (const listener of listeners.get(said.event) ?? []) listener(said.value);
  });
  if (isLegacy) {
    Object.assign(globalThis, { ethereum: provider });
    return;
  }
  const info = { uuid: crypto.randomUUID(), name, icon: 'data:image/svg+xml,<svg/>', rdns: `test.${request}` };
  const announce = () =>
    target.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info: Object.freeze(info), provider }) }),
    );
  target.addEventListener('eip6963:requestProvider', announce);
  announce();
}

const accountAbi = parseAbi([
  'function execute(address to, uint256 value, bytes data)',
  'function executeBatch(address[] to, uint256[] values, bytes[] data)',
]);

interface RawCall {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: Hex;
}

interface Batch {
  readonly id: string;
  readonly chainId: Hex;
  readonly calls: readonly RawCall[];
}

/** The wallet's answers to pages. */
class WalletAnswers {
  private readonly batches = new Map<string, { readonly chainId: number; readonly hash: Hex }>();
  /** Sends one transaction after another, so that each gets its own nonce. */
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly wallet: InjectedWallet,
    private readonly chains: WalletChains,
    private readonly contract: Address | undefined,
    private readonly announce: (event: string, value: unknown) => Promise<void>,
  ) {}

  async answer(method: string, params: unknown[]): Promise<Outcome> {
    const { wallet } = this;
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        if (wallet.isLocked) return method === 'eth_accounts' ? { result: [] } : new Promise(() => undefined);
        return { result: [this.contract ?? wallet.account.address] };
      case 'eth_chainId':
        return { result: numberToHex(wallet.chainId) };
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain':
        return this.chooseChain(method, params[0] as { chainId: Hex; rpcUrls?: string[] });
      case 'wallet_getCapabilities':
        if (this.contract === undefined) throw UNSUPPORTED;
        return { result: { [numberToHex(wallet.chainId)]: { atomic: { status: 'supported' } } } };
      case 'wallet_getCallsStatus':
        return { result: await this.readBatch(params[0] as string) };
      case 'personal_sign':
      case 'eth_signTypedData_v4':
        return this.open(method, this.planSignature(method, params));
      case 'eth_sendTransaction':
        return this.open(method, this.planTransaction(params[0] as RawCall));
      case 'wallet_sendCalls':
        return this.open(method, this.planBatch(params[0] as Batch));
      default:
        return { result: await askNode(this.chains, wallet.chainId, method, params) };
    }
  }

  private async chooseChain(method: string, asked: { chainId: Hex; rpcUrls?: string[] }): Promise<Outcome> {
    const { wallet } = this;
    const chainId = Number(asked.chainId);
    const isAdded = method === 'wallet_addEthereumChain';
    wallet.addedNodes.push(...(asked.rpcUrls ?? []));
    if (this.chains[chainId] === undefined || (!isAdded && wallet.unknownChains.has(chainId)))
      return { error: UNKNOWN_CHAIN };
    return this.open(method, async () => {
      if (isAdded) wallet.unknownChains.delete(chainId);
      wallet.chainId = chainId;
      await this.announce('chainChanged', numberToHex(chainId));
      return null;
    });
  }

  /** Opens a window for the user, who approves, refuses, or lets it wait. */
  private async open(method: string, work: () => Promise<unknown>): Promise<Outcome> {
    const { mood, windows } = this.wallet;
    if (mood === 'refuse') return { error: REFUSED };
    if (mood === 'sign') return { result: await work() };
    return new Promise((resolve, reject) => {
      const close = () => windows.splice(windows.indexOf(window), 1);
      const window: OpenWindow = {
        method,
        approve: async () => {
          close();
          await work().then((result) => resolve({ result }), reject);
        },
        refuse: () => {
          close();
          resolve({ error: REFUSED });
        },
      };
      windows.push(window);
    });
  }

  private planSignature(method: string, params: unknown[]): () => Promise<Hex> {
    const { wallet } = this;
    const [first, second] = params as [string, string | TypedDataDefinition];
    if (method === 'personal_sign')
      return async () => wallet.account.signMessage({ message: isHex(first) ? hexToString(first) : first });
    const typedData = typeof second === 'string' ? (JSON.parse(second) as TypedDataDefinition) : second;
    wallet.typedData.push(typedData);
    return async () => wallet.account.signTypedData(typedData);
  }

  private planTransaction(raw: RawCall): () => Promise<Hex> {
    const call = this.record(raw);
    const { contract } = this;
    if (contract === undefined) return async () => this.send(call);
    const args = [call.to, call.value, call.data] as const;
    const data = encodeFunctionData({ abi: accountAbi, functionName: 'execute', args });
    return async () => this.send({ to: contract, data, value: 0n });
  }

  private planBatch({ id, calls: raw }: Batch): () => Promise<{ id: string }> {
    const { contract, batches } = this;
    if (contract === undefined) throw UNSUPPORTED;
    if (batches.has(id)) throw Object.assign(new Error('Duplicate ID'), { code: 5_720 });
    const calls = raw.map((each) => this.record(each));
    const args = [calls.map(({ to }) => to), calls.map(({ value }) => value), calls.map(({ data }) => data)] as const;
    const data = encodeFunctionData({ abi: accountAbi, functionName: 'executeBatch', args });
    return async () => {
      const { chainId } = this.wallet;
      batches.set(id, { chainId, hash: await this.send({ to: contract, data, value: 0n }) });
      return { id };
    };
  }

  private record({ to, data = '0x', value = '0x0' }: RawCall): AskedCall {
    const { chainId, transactions } = this.wallet;
    const asked = { chainId, to, data, value: BigInt(value) };
    transactions.push(asked);
    return asked;
  }

  private async readBatch(id: string): Promise<unknown> {
    const batch = this.batches.get(id);
    if (batch === undefined) throw Object.assign(new Error('Unknown bundle ID'), { code: 5_730 });
    const receipt = await askNode(this.chains, batch.chainId, 'eth_getTransactionReceipt', [batch.hash]);
    return { status: receipt === null ? 100 : 200, receipts: receipt === null ? [] : [receipt] };
  }

  private async send(call: Omit<AskedCall, 'chainId'>): Promise<Hex> {
    const send = async () => {
      const hash = await sendTransaction(this.wallet, this.chains, call);
      this.wallet.sent += 1;
      return hash;
    };
    const sent = this.sending.then(send, send);
    this.sending = sent;
    return sent;
  }
}

async function sendTransaction(
  wallet: InjectedWallet,
  chains: WalletChains,
  call: Omit<AskedCall, 'chainId'>,
): Promise<Hex> {
  const url = chains[wallet.chainId];
  if (url === undefined) throw new Error(`The test wallet knows no node of chain ${wallet.chainId}`);
  const chain = defineChain({
    id: wallet.chainId,
    name: 'test',
    nativeCurrency: { name: 'coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createWalletClient({ account: wallet.account, chain, transport: http(url) });
  const { replacesNext } = wallet;
  if (replacesNext === null) return client.sendTransaction(call);
  wallet.replacesNext = null;
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = await client.prepareTransactionRequest({
    ...call,
    type: 'eip1559',
  });
  const first = {
    ...call,
    type: 'eip1559',
    chainId: chain.id,
    nonce,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  } as const;
  const unsent = await wallet.account.signTransaction(first);
  const cancels = replacesNext === 'cancel' ? ({ to: wallet.account.address, data: '0x', value: 0n } as const) : {};
  const raised = { ...first, ...cancels, maxFeePerGas: maxFeePerGas * 2n + 1n };
  await client.sendRawTransaction({ serializedTransaction: await wallet.account.signTransaction(raised) });
  return keccak256(unsent);
}

async function askNode(chains: WalletChains, chainId: number, method: string, params: unknown[]): Promise<unknown> {
  const url = chains[chainId];
  if (url === undefined) throw new Error(`The test wallet knows no node of chain ${chainId}`);
  const answered = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await answered.json()) as { result?: unknown; error?: RpcError };
  if (body.error !== undefined) throw new Error(body.error.message);
  return body.result;
}
