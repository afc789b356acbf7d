/** The interface of a wallet to the page (EIP-1193). */
export interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on(event: 'accountsChanged' | 'chainChanged', listener: (value: unknown) => void): void;
  removeListener(event: 'accountsChanged' | 'chainChanged', listener: (value: unknown) => void): void;
}

/** A wallet that announced itself (EIP-6963). Its name and icon are untrusted: shown only as text and as an image. */
export interface Wallet {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string; readonly rdns: string };
  readonly provider: WalletProvider;
}

/** Time for wallets to announce themselves. */
const ANNOUNCEMENT_MS = 100;

const found = new Map<string, Wallet>();
let snapshot: readonly Wallet[] = [];
const listeners = new Set<() => void>();

function isWallet(detail: unknown): detail is Wallet {
  if (typeof detail !== 'object' || detail === null || !('info' in detail) || !('provider' in detail)) return false;
  const { info, provider } = detail;
  if (typeof info !== 'object' || info === null || typeof provider !== 'object' || provider === null) return false;
  const fields = info as Readonly<Record<string, unknown>>;
  return ['uuid', 'name', 'icon', 'rdns'].every((name) => typeof fields[name] === 'string') && 'request' in provider;
}

function announced(event: Event): void {
  const detail: unknown = (event as CustomEvent<unknown>).detail;
  if (!isWallet(detail) || found.has(detail.info.uuid)) return;
  found.set(detail.info.uuid, detail);
  snapshot = [...found.values()];
  for (const listener of listeners) listener();
}

/** Name and id of a wallet that only sets `window.ethereum`. */
const BROWSER_WALLET = { uuid: 'window.ethereum', name: 'Browser wallet', icon: '', rdns: 'window.ethereum' };

/** Finds an older wallet that does not announce itself. */
function findInjected(): void {
  const provider = (window as { readonly ethereum?: unknown }).ethereum;
  if (found.size > 0 || snapshot.length > 0 || typeof provider !== 'object' || provider === null) return;
  const wallet = { info: BROWSER_WALLET, provider };
  if (!isWallet(wallet)) return;
  snapshot = [wallet];
  for (const listener of listeners) listener();
}

/** Returns the wallets found so far. For `useSyncExternalStore`. */
export function announcedWallets(): readonly Wallet[] {
  return snapshot;
}

/**
 * Asks wallets to announce themselves, and calls the listener for each. If none does, `window.ethereum` is the only
 * wallet. Returns the unsubscribe function.
 */
export function watchWallets(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    window.addEventListener('eip6963:announceProvider', announced);
    window.addEventListener('ethereum#initialized', findInjected);
  }
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  // Wallets answer the request in their next task.
  const timer = setTimeout(findInjected, ANNOUNCEMENT_MS);
  return () => {
    clearTimeout(timer);
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener('eip6963:announceProvider', announced);
    window.removeEventListener('ethereum#initialized', findInjected);
  };
}

/** Returns the wallet's icon if it is a data: image, because the page loads nothing from other origins. */
export function findIcon({ info }: Wallet): string | null {
  return info.icon.startsWith('data:image/') ? info.icon : null;
}
