import type { WalletProvider } from './provider.js';

/** The message of each wallet failure for the page. */
const SENTENCES = {
  REFUSED: 'The wallet refused the request. Nothing was signed, and nothing changed.',
  CANCELLED: 'You stopped waiting for the wallet. If it still shows the request, reject it there.',
  BUSY: 'The wallet already shows a request. Answer it there, then try again.',
  NO_ACCOUNT: 'The wallet shared no account. Unlock it, choose an account, then try again.',
  WRONG_ACCOUNT: 'The wallet uses another account. Switch to the account named here, then start again.',
  ACCOUNT_CHANGED:
    "The wallet's account changed in the meantime. Its answer was discarded. Check in the wallet that it sent nothing, then start again.",
  WRONG_CHAIN: 'The wallet is on another chain and did not switch. Choose the chain in the wallet, then start again.',
  UNKNOWN_CHAIN: 'The wallet does not know this chain. Add it in the wallet, then start again.',
  CHAIN_CHANGED:
    "The wallet's chain changed in the meantime. Its answer was discarded. Check in the wallet that it sent nothing, then start again.",
  FAILED: 'The wallet failed. Its message follows.',
} as const;

/** Code of a wallet failure. */
export type WalletFailure = keyof typeof SENTENCES;

/** A wallet did not do what was requested. The message says what to do, followed by the wallet's own message. */
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

/** Returns the error code of EIP-1193 or JSON-RPC, or null. */
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
 * Sends a request to the wallet, and waits until it answers or the person stops waiting.
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

/** Returns the accounts of an answer, lower-case. */
function addresses(answer: unknown): readonly string[] {
  return Array.isArray(answer) ? answer.map((each) => String(each).toLowerCase()) : [];
}

/**
 * Requests the first account that the wallet shares, lower-case.
 *
 * @throws WalletError
 */
export async function connect(provider: WalletProvider, signal: AbortSignal): Promise<string> {
  const [account] = addresses(await ask(provider, 'eth_requestAccounts', [], signal));
  if (account === undefined) throw new WalletError('NO_ACCOUNT');
  return account;
}

/** Reads the id of the wallet's chain. */
export async function readChainId(provider: WalletProvider, signal: AbortSignal): Promise<number> {
  return Number(await ask(provider, 'eth_chainId', [], signal));
}

/** The account and chain that a signature or transaction is bound to. A null chain means any chain. */
export interface Binding {
  readonly account: string;
  readonly chainId: number | null;
}

/**
 * Runs a request with the account and on the chain that it is bound to. Both are checked before and after it, and any
 * change in between, even one that was undone, discards the answer.
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
    // Handles a rejection after the race has ended.
    changed.promise.catch(() => changes);
  }
}

/** Encodes a text as hex, because wallets interpret a text that begins with 0x as bytes. */
function encodeHex(text: string): string {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Lets the wallet sign a text (EIP-191).
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

/** Typed data of the API (EIP-712). */
export type TypedData = Readonly<Record<string, unknown>>;

/** Returns the chain id in the domain of typed data, or null. */
export function findTypedDataChain({ domain }: TypedData): number | null {
  if (typeof domain !== 'object' || domain === null || !('chainId' in domain)) return null;
  return Number(domain.chainId);
}

/**
 * Lets the wallet sign typed data on the chain of its domain.
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
