import type { WalletProvider } from './provider.js';

/** Why a wallet did not do what it was asked, as the sentence that the page shows. */
const SENTENCES = {
  REFUSED: 'The wallet refused. Nothing was signed, and nothing changed.',
  CANCELLED: 'You stopped waiting for the wallet. If it asks later, refuse there.',
  BUSY: 'The wallet already shows a request. Answer it there, then try again.',
  NO_ACCOUNT: 'The wallet shared no account. Unlock it, choose an account, then try again.',
  WRONG_ACCOUNT: 'The wallet is at another account. Switch to the account named here, then start again.',
  ACCOUNT_CHANGED: 'The account of the wallet changed meanwhile. Nothing was used; start again.',
  WRONG_CHAIN: 'The wallet is at another chain and did not switch. Choose the chain in the wallet, then start again.',
  UNKNOWN_CHAIN: 'The wallet does not know this chain. Add it in the wallet, then start again.',
  CHAIN_CHANGED: 'The chain of the wallet changed meanwhile. Nothing was used; start again.',
  FAILED: 'The wallet failed. Its message follows.',
} as const;

/** A cause for which a wallet did not sign. */
export type WalletFailure = keyof typeof SENTENCES;

/** A wallet did not do what it was asked. The message says what to do; the wallet's own words follow it. */
export class WalletError extends Error {
  override readonly name = 'WalletError';

  constructor(
    readonly failure: WalletFailure,
    words = '',
    options?: ErrorOptions,
  ) {
    super(words === '' ? SENTENCES[failure] : `${SENTENCES[failure]} ${words.slice(0, 300)}`, options);
  }
}

/** A code of EIP-1193 or of the JSON-RPC layer below. */
function getErrorCode(thrown: unknown): number | null {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'number'
    ? thrown.code
    : null;
}

function toWalletError(thrown: unknown): WalletError {
  if (thrown instanceof WalletError) return thrown;
  const code = getErrorCode(thrown);
  if (code === 4001) return new WalletError('REFUSED', '', { cause: thrown });
  if (code === -32_002) return new WalletError('BUSY', '', { cause: thrown });
  if (code === 4902) return new WalletError('UNKNOWN_CHAIN', '', { cause: thrown });
  const words = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : '';
  return new WalletError('FAILED', words, { cause: thrown });
}

/**
 * Asks the wallet, until it answers or the person stops waiting.
 *
 * @throws WalletError
 */
export async function ask(
  provider: WalletProvider,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new WalletError('CANCELLED'));
  if (signal.aborted) throw new WalletError('CANCELLED');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([provider.request({ method, params }), stopped.promise]);
  } catch (error) {
    throw toWalletError(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The accounts of an answer, lower-case. */
function addresses(answer: unknown): readonly string[] {
  return Array.isArray(answer) ? answer.map((each) => String(each).toLowerCase()) : [];
}

/**
 * Asks for the account that the wallet shares first, lower-case.
 *
 * @throws WalletError
 */
export async function connect(provider: WalletProvider, signal: AbortSignal): Promise<string> {
  const [account] = addresses(await ask(provider, 'eth_requestAccounts', [], signal));
  if (account === undefined) throw new WalletError('NO_ACCOUNT');
  return account;
}

/** The id of the chain that the wallet is at. */
export async function readChainId(provider: WalletProvider, signal: AbortSignal): Promise<number> {
  return Number(await ask(provider, 'eth_chainId', [], signal));
}

/** The target that a signature or a transaction is bound to. A null chain: any. */
export interface Binding {
  readonly account: string;
  readonly chainId: number | null;
}

/**
 * Runs a request with the account and at the chain that it is bound to. Both are checked before it and after it, and a
 * change in between, even one that was taken back, discards the answer.
 *
 * @throws WalletError
 */
export async function bound<T>(
  provider: WalletProvider,
  { account, chainId }: Binding,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  if ((await connect(provider, signal)) !== account.toLowerCase()) throw new WalletError('WRONG_ACCOUNT');
  if (chainId !== null && (await readChainId(provider, signal)) !== chainId) {
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId: `0x${chainId.toString(16)}` }], signal);
    if ((await readChainId(provider, signal)) !== chainId) throw new WalletError('WRONG_CHAIN');
  }
  const changes: WalletFailure[] = [];
  const changed = Promise.withResolvers<never>();
  const onAccounts = (value: unknown) => {
    if (addresses(value)[0] === account.toLowerCase()) return;
    changes.push('ACCOUNT_CHANGED');
    changed.reject(new WalletError('ACCOUNT_CHANGED'));
  };
  const onChain = (value: unknown) => {
    if (chainId === null || Number(value) === chainId) return;
    changes.push('CHAIN_CHANGED');
    changed.reject(new WalletError('CHAIN_CHANGED'));
  };
  provider.on('accountsChanged', onAccounts);
  provider.on('chainChanged', onChain);
  try {
    const result = await Promise.race([run(), changed.promise]);
    if (addresses(await ask(provider, 'eth_accounts', [], signal))[0] !== account.toLowerCase())
      throw new WalletError('ACCOUNT_CHANGED');
    if (chainId !== null && (await readChainId(provider, signal)) !== chainId) throw new WalletError('CHAIN_CHANGED');
    return result;
  } finally {
    provider.removeListener('accountsChanged', onAccounts);
    provider.removeListener('chainChanged', onChain);
    // A rejection that no caller waits for any more is an answer that came after the other one.
    changed.promise.catch(() => changes);
  }
}

/** The bytes of a text as hex: wallets take a text that begins with 0x as bytes. */
function encodeHex(text: string): string {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Has the wallet sign a text (EIP-191).
 *
 * @throws WalletError
 */
export async function signText(
  provider: WalletProvider,
  binding: Binding,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  return bound(provider, binding, signal, async () =>
    String(await ask(provider, 'personal_sign', [encodeHex(text), binding.account], signal)),
  );
}

/** Typed data as the API gives it (EIP-712). */
export type TypedData = Readonly<Record<string, unknown>>;

/** The chain that typed data is for; null where its domain names none. */
export function findTypedDataChain({ domain }: TypedData): number | null {
  if (typeof domain !== 'object' || domain === null || !('chainId' in domain)) return null;
  return Number(domain.chainId);
}

/**
 * Has the wallet sign typed data, at the chain of its domain.
 *
 * @throws WalletError
 */
export async function signTypedData(
  provider: WalletProvider,
  account: string,
  typedData: TypedData,
  signal: AbortSignal,
): Promise<string> {
  const binding = { account, chainId: findTypedDataChain(typedData) };
  return bound(provider, binding, signal, async () =>
    String(await ask(provider, 'eth_signTypedData_v4', [account, JSON.stringify(typedData)], signal)),
  );
}
