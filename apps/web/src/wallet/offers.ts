import { findIcon, type Wallet as FoundWallet, type WalletProvider } from '@causeway/ui/wallet';
import type { Settings } from '../settings/settings.js';
import { WALLET } from '../words/wallet.js';

/** A wallet that the user can choose. Nothing of it is loaded or asked before. */
export interface WalletOffer {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly open: () => Promise<WalletProvider>;
}

interface WalletModule {
  readonly default: (options: { readonly chains: readonly number[] }) => Promise<WalletProvider>;
}

/** Lists the wallets of the browser, the host's modules and the test wallets. */
export function listOffers(found: readonly FoundWallet[], settings: Settings): readonly WalletOffer[] {
  const { walletModules = [], testWallets = [], addressBook } = settings;
  const chains = [addressBook.ethereum.chainId, addressBook.partner.chainId];
  return [
    ...found.map((wallet) => ({
      id: wallet.info.rdns,
      name: wallet.info.name,
      icon: findIcon(wallet),
      open: async () => wallet.provider,
    })),
    ...walletModules.map(({ name, module }) => ({
      id: module,
      name,
      icon: null,
      open: async () => {
        const loaded = (await import(/* @vite-ignore */ module)) as WalletModule;
        return loaded.default({ chains });
      },
    })),
    ...testWallets.map((key) => ({
      id: `test:${key.name}`,
      name: WALLET.test.name(key.name),
      icon: null,
      open: async () => {
        const { createTestWallet } = await import('./test-wallet.js');
        return createTestWallet(key, settings);
      },
    })),
  ];
}
