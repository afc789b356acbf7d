import { useWallets } from '@causeway/ui/wallet';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useSettings } from '../settings/context.js';
import { listOffers, type WalletOffer } from './offers.js';
import { WalletSession, type WalletState } from './session.js';

/** One wallet for all parts of the page, also after a change of route. */
const session = new WalletSession(() => localStorage);

/** The wallet of the page and what a user can do with it. */
export interface PageWallet extends WalletState {
  readonly offers: readonly WalletOffer[];
  readonly connect: (offer: WalletOffer) => void;
  readonly disconnect: () => void;
}

/** Returns the wallet of the page. It reconnects the wallet of the last visit without a window. */
export function useWallet(): PageWallet {
  const state = useSyncExternalStore(session.subscribe, session.read);
  const settings = useSettings();
  const found = useWallets();
  const offers = useMemo(() => listOffers(found, settings), [found, settings]);
  useEffect(() => void session.restore(offers), [offers]);
  return { ...state, offers, connect: (offer) => void session.connect(offer), disconnect: session.disconnect };
}
