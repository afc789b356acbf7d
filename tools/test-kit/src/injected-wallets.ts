import type { BrowserContext } from 'playwright-core';
import {
  createWalletClient,
  defineChain,
  hexToString,
  http,
  isHex,
  keccak256,
  numberToHex,
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
 * - `stall`: does not answer.
 */
export type WalletMood = 'sign' | 'refuse' | 'stall';

/** A wallet that pages find by EIP-6963. It signs with a real key in the test's process. */
export interface InjectedWallet {
  readonly name: string;
  account: PrivateKeyAccount;
  chainId: number;
  mood: WalletMood;
  /** Replaces its next transaction with higher fees: the hash that the page gets is never mined. */
  replacesNext: boolean;
  /** Selects another account like its user, and announces it. */
  readonly switchAccount: (account: PrivateKeyAccount) => Promise<void>;
  /** Selects another chain, and announces it. */
  readonly switchChain: (chainId: number) => Promise<void>;
  /** The methods that pages called, oldest first. */
  readonly calls: string[];
  /** The typed data that pages asked it to sign, oldest first. */
  readonly typedData: TypedDataDefinition[];
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

type Outcome = { readonly result: unknown } | { readonly error: RpcError };

const REFUSED: RpcError = { code: 4_001, message: 'User rejected the request.' };
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
): Promise<InjectedWallet> {
  const chainId = Number(Object.keys(chains)[0]);
  const announce = async (event: string, value: unknown) => {
    const detail = JSON.stringify({ name, event, value });
    const script = `window.dispatchEvent(new CustomEvent('test-wallet', { detail: ${JSON.stringify(detail)} }))`;
    await Promise.all(context.pages().map(async (page) => page.evaluate(script)));
  };
  const wallet: InjectedWallet = {
    name,
    account,
    chainId,
    mood: 'sign',
    replacesNext: false,
    calls: [],
    typedData: [],
    switchAccount: async (next) => {
      wallet.account = next;
      await announce('accountsChanged', [next.address]);
    },
    switchChain: async (next) => {
      wallet.chainId = next;
      await announce('chainChanged', numberToHex(next));
    },
  };
  await context.exposeFunction(requestName(name), async (method: string, params: unknown): Promise<Outcome> => {
    wallet.calls.push(method);
    try {
      return await answer(wallet, chains, method, (params ?? []) as unknown[], announce);
    } catch (error) {
      return { error: { code: -32_603, message: error instanceof Error ? error.message : String(error) } };
    }
  });
  await context.addInitScript(announceProvider, { name, request: requestName(name) });
  return wallet;
}

function requestName(name: string): string {
  return `testWallet_${name.replaceAll(/\W/g, '_')}`;
}

/** Runs in the page: an EIP-1193 provider, announced by EIP-6963. */
function announceProvider({ name, request }: { name: string; request: string }): void {
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
  const info = { uuid: crypto.randomUUID(), name, icon: 'data:image/svg+xml,<svg/>', rdns: `test.${request}` };
  const announce = () =>
    target.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info: Object.freeze(info), provider }) }),
    );
  target.addEventListener('eip6963:requestProvider', announce);
  announce();
}

async function answer(
  wallet: InjectedWallet,
  chains: WalletChains,
  method: string,
  params: unknown[],
  announce: (event: string, value: unknown) => Promise<void>,
): Promise<Outcome> {
  switch (method) {
    case 'eth_requestAccounts':
    case 'eth_accounts':
      return { result: [wallet.account.address] };
    case 'eth_chainId':
      return { result: numberToHex(wallet.chainId) };
    case 'wallet_switchEthereumChain': {
      const chainId = Number((params[0] as { chainId: string }).chainId);
      if (chains[chainId] === undefined) return { error: UNKNOWN_CHAIN };
      if (wallet.mood === 'refuse') return { error: REFUSED };
      wallet.chainId = chainId;
      await announce('chainChanged', numberToHex(chainId));
      return { result: null };
    }
    case 'personal_sign':
    case 'eth_signTypedData_v4':
    case 'eth_sendTransaction':
      break;
    default:
      return { result: await askNode(chains, wallet.chainId, method, params) };
  }
  if (wallet.mood === 'refuse') return { error: REFUSED };
  if (wallet.mood === 'stall') return new Promise(() => undefined);
  return { result: await sign(wallet, chains, method, params) };
}

async function sign(
  wallet: InjectedWallet,
  chains: WalletChains,
  method: 'personal_sign' | 'eth_signTypedData_v4' | 'eth_sendTransaction',
  params: unknown[],
): Promise<Hex> {
  const { account } = wallet;
  if (method === 'personal_sign') {
    const [text] = params as [string];
    return account.signMessage({ message: isHex(text) ? hexToString(text) : text });
  }
  if (method === 'eth_signTypedData_v4') {
    const [, given] = params as [string, string | TypedDataDefinition];
    const typedData = typeof given === 'string' ? (JSON.parse(given) as TypedDataDefinition) : given;
    wallet.typedData.push(typedData);
    return account.signTypedData(typedData);
  }
  return sendTransaction(wallet, chains, params[0] as { to: Hex; data?: Hex; value?: Hex });
}

async function sendTransaction(
  wallet: InjectedWallet,
  chains: WalletChains,
  { to, data, value }: { to: Hex; data?: Hex; value?: Hex },
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
  const request = { to, value: BigInt(value ?? 0), ...(data === undefined ? {} : { data }) };
  if (!wallet.replacesNext) return client.sendTransaction(request);
  wallet.replacesNext = false;
  // Like a wallet's "speed up": the page gets a hash that is never mined.
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = await client.prepareTransactionRequest({
    ...request,
    type: 'eip1559',
  });
  const first = {
    ...request,
    type: 'eip1559',
    chainId: chain.id,
    nonce,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  } as const;
  const unsent = await wallet.account.signTransaction(first);
  const raised = { ...first, maxFeePerGas: maxFeePerGas * 2n + 1n };
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
