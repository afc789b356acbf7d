import type { WalletProvider } from '@causeway/ui/wallet';
import { WALLET } from '../words/wallet.js';
import type { WalletOffer } from './offers.js';

/** The wallet of the page. */
export interface WalletState {
  readonly status: 'disconnected' | 'connecting' | 'connected';
  /** Name of the wallet that is connected or asked. */
  readonly name: string;
  /** Null until connected. */
  readonly provider: WalletProvider | null;
  /** In lower case. */
  readonly account: `0x${string}` | null;
  readonly chainId: number | null;
  /** Why it is not connected, as a sentence. */
  readonly problem: string | null;
}

const DISCONNECTED: WalletState = {
  status: 'disconnected',
  name: '',
  provider: null,
  account: null,
  chainId: null,
  problem: null,
};
const KEY = 'causeway:wallet';

/** Remembers in which wallet the user connected. */
type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Connects one wallet and follows its account and chain. */
export class WalletSession {
  private state = DISCONNECTED;
  private readonly listeners = new Set<() => void>();
  private unfollow = () => {};
  private attempt = 0;

  constructor(private readonly memory: () => Memory) {}

  readonly read = (): WalletState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Asks the wallet for its accounts, which opens its window. Call it on a click. */
  async connect(offer: WalletOffer): Promise<void> {
    await this.open(offer, 'eth_requestAccounts');
    if (this.state.status === 'connected') this.remember((memory) => memory.setItem(KEY, offer.id));
  }

  /** Reconnects the wallet that the user connected before, without a window. */
  async restore(offers: readonly WalletOffer[]): Promise<void> {
    if (this.attempt > 0) return;
    const id = this.remember((memory) => memory.getItem(KEY));
    const offer = offers.find((each) => each.id === id);
    if (offer !== undefined) await this.open(offer, 'eth_accounts');
  }

  /** Forgets the wallet, or stops waiting for it. */
  readonly disconnect = (): void => {
    this.attempt += 1;
    this.unfollow();
    this.remember((memory) => memory.removeItem(KEY));
    this.change(DISCONNECTED);
  };

  private async open(offer: WalletOffer, method: 'eth_requestAccounts' | 'eth_accounts'): Promise<void> {
    this.attempt += 1;
    const { attempt } = this;
    const { name } = offer;
    this.unfollow();
    this.change({ ...DISCONNECTED, status: 'connecting', name });
    try {
      const provider = await offer.open();
      const accounts = await provider.request({ method });
      const chainId = Number(await provider.request({ method: 'eth_chainId' }));
      if (attempt !== this.attempt) return;
      this.follow(provider, name);
      this.setAccount(provider, name, accounts);
      this.change({ ...this.state, chainId });
    } catch (error) {
      if (attempt === this.attempt) this.change({ ...DISCONNECTED, problem: describeProblem(name, error) });
    }
  }

  private follow(provider: WalletProvider, name: string): void {
    const onAccounts = (accounts: unknown) => this.setAccount(provider, name, accounts);
    const onChain = (chainId: unknown) => this.change({ ...this.state, chainId: Number(chainId) });
    provider.on('accountsChanged', onAccounts);
    provider.on('chainChanged', onChain);
    this.unfollow = () => {
      provider.removeListener('accountsChanged', onAccounts);
      provider.removeListener('chainChanged', onChain);
      this.unfollow = () => {};
    };
  }

  private setAccount(provider: WalletProvider, name: string, accounts: unknown): void {
    const [first] = (Array.isArray(accounts) ? accounts : []) as string[];
    const { chainId } = this.state;
    const account = first?.toLowerCase() as `0x${string}` | undefined;
    if (account === undefined) this.change({ ...DISCONNECTED, chainId, problem: WALLET.locked(name) });
    else this.change({ status: 'connected', name, provider, account, chainId, problem: null });
  }

  private change(state: WalletState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }

  private remember<T>(use: (memory: Memory) => T): T | null {
    try {
      return use(this.memory());
    } catch {
      // The user blocks the storage.
      return null;
    }
  }
}

function describeProblem(name: string, error: unknown): string {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  if (code === 4001) return WALLET.refused(name);
  if (code === -32_002) return WALLET.busy(name);
  return WALLET.failed(name, String(message ?? error).slice(0, 200));
}
