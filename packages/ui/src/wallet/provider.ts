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

const found = new Map<string, Wallet>();
let snapshot: readonly Wallet[] = [];
const listeners = new Set<() => void>();

function isWallet(detail: unknown): detail is Wallet {
  if (typeof detail !== 'object' || detail === null || !('info' in detail) || !('provider' in detail)) return false;
  const { info, provider } = detail;
  if (typeof info !== 'object' || info === null || typeof provider !== 'object' || provider === null) return false;
  return 'uuid' in info && 'name' in info && 'rdns' in info && 'request' in provider;
}

function announced(event: Event): void {
  const detail: unknown = (event as CustomEvent<unknown>).detail;
  if (!isWallet(detail) || found.has(detail.info.uuid)) return;
  found.set(detail.info.uuid, detail);
  snapshot = [...found.values()];
  for (const listener of listeners) listener();
}

/** Returns the wallets announced so far. For `useSyncExternalStore`. */
export function announcedWallets(): readonly Wallet[] {
  return snapshot;
}

/** Asks wallets to announce themselves, and calls the listener for each. Returns the unsubscribe function. */
export function watchWallets(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) window.addEventListener('eip6963:announceProvider', announced);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('eip6963:announceProvider', announced);
  };
}

/** Returns the wallet's icon if it is a data: image, because the page loads nothing from other origins. */
export function findIcon({ info }: Wallet): string | null {
  return info.icon.startsWith('data:image/') ? info.icon : null;
}
