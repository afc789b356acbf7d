import { Wallet as WalletIcon } from 'lucide-react';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { Select } from '../components/fields.js';
import { announcedWallets, findIcon, watchWallets, type Wallet } from './provider.js';

const STORED = 'wallet';

/** Returns the wallets that announced themselves to this page. */
export function useWallets(): readonly Wallet[] {
  return useSyncExternalStore(watchWallets, announcedWallets);
}

/** Remembers the wallet as the last one used in this tab. */
export function rememberWallet({ info }: Wallet): void {
  sessionStorage.setItem(STORED, info.rdns);
}

/** Returns the wallet last used in this tab, or the only wallet. */
export function useChosenWallet(): readonly [wallet: Wallet | null, choose: (wallet: Wallet) => void] {
  const wallets = useWallets();
  const [rdns, setRdns] = useState(() => sessionStorage.getItem(STORED));
  const chosen = wallets.find(({ info }) => info.rdns === rdns) ?? (wallets.length === 1 ? wallets[0] : null);
  const choose = (wallet: Wallet) => {
    rememberWallet(wallet);
    setRdns(wallet.info.rdns);
  };
  return [chosen ?? null, choose];
}

/**
 * Lets the member choose one of several wallets.
 *
 * @param children shown if there is no wallet.
 */
export function WalletChoice({
  wallet,
  onChoose,
  children,
}: {
  readonly wallet: Wallet | null;
  readonly onChoose: (wallet: Wallet) => void;
  readonly children: ReactNode;
}) {
  const wallets = useWallets();
  if (wallets.length === 0) return children;
  if (wallets.length === 1) return null;
  return (
    <Select
      label="Wallet"
      value={wallet?.info.rdns ?? ''}
      choices={[
        ...(wallet === null ? [{ value: '', words: 'Choose a wallet' }] : []),
        ...wallets.map(({ info }) => ({ value: info.rdns, words: info.name })),
      ]}
      onChange={(rdns) => {
        const chosen = wallets.find(({ info }) => info.rdns === rdns);
        if (chosen !== undefined) onChoose(chosen);
      }}
    />
  );
}

/** The icon of a wallet, or a generic one if the page must not show it. */
export function WalletPicture({ wallet }: { readonly wallet: Wallet }) {
  const icon = findIcon(wallet);
  return icon === null ? (
    <WalletIcon aria-hidden className="size-6 text-muted" />
  ) : (
    <img src={icon} alt="" className="size-6 rounded" />
  );
}
