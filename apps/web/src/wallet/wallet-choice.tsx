import { Button, Dialog, Notice } from '@causeway/ui/components';
import { Wallet as WalletIcon } from 'lucide-react';
import { WALLET } from '../words/wallet.js';
import type { PageWallet } from './use-wallet.js';

/** Lets the user choose one of several wallets, or says how to get one. */
export function WalletChoice({
  offers,
  connect,
  onClose,
}: Pick<PageWallet, 'offers' | 'connect'> & { readonly onClose: () => void }) {
  return (
    <Dialog title={WALLET.choose} isOpen onClose={onClose}>
      {offers.length === 0 ? (
        <Notice tone="info" title={WALLET.none.title}>
          {WALLET.none.text}
        </Notice>
      ) : (
        <div className="flex flex-col gap-2">
          {offers.map((offer) => (
            <Button
              key={offer.id}
              onPress={() => {
                onClose();
                connect(offer);
              }}
            >
              {offer.icon === null ? (
                <WalletIcon aria-hidden className="size-4 text-muted" />
              ) : (
                <img src={offer.icon} alt="" className="size-4 rounded" />
              )}
              {offer.name}
            </Button>
          ))}
        </div>
      )}
    </Dialog>
  );
}
