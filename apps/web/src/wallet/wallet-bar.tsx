import { Button, Hash, Notice } from '@causeway/ui/components';
import { Wallet as WalletIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSettings } from '../settings/context.js';
import { WALLET } from '../words/wallet.js';
import { findSide } from './chains.js';
import type { PageWallet } from './use-wallet.js';

const LATE_MS = 60_000;
const TestWalletDialog = lazy(async () => {
  const { TestWalletDialog: component } = await import('./test-wallet-dialog.js');
  return { default: component };
});
const WalletChoice = lazy(async () => {
  const { WalletChoice: component } = await import('./wallet-choice.js');
  return { default: component };
});

/** A hint that appears after a minute without an answer of the wallet. */
export function LateHint() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? <Notice tone="warn" title={WALLET.late} /> : null;
}

/** Returns what connects a wallet: directly if there is one, else by a choice. */
export function useConnect({ offers, connect }: PageWallet) {
  const [isChoosing, setChoosing] = useState(false);
  const [only] = offers;
  const start = () => (offers.length === 1 && only !== undefined ? connect(only) : setChoosing(true));
  const dialog = isChoosing ? (
    <Suspense>
      <WalletChoice offers={offers} connect={connect} onClose={() => setChoosing(false)} />
    </Suspense>
  ) : null;
  return { start, dialog };
}

/** The wallet of the page: connected account and network, or the way to connect one. */
export function WalletBar({ wallet, onConnect }: { readonly wallet: PageWallet; readonly onConnect: () => void }) {
  const settings = useSettings();
  const { status, name, account, chainId, problem, disconnect } = wallet;
  const side = findSide(settings, chainId);
  return (
    <section aria-label="Wallet" className="flex flex-col gap-2">
      {account !== null ? (
        <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <p className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="font-medium">{name}</span>
            <Hash hex={account} label={WALLET.account} />
            <span className="text-muted">
              {side === null ? WALLET.unknownNetwork(chainId ?? 0) : settings[side].name}
            </span>
          </p>
          <Button look="quiet" isSmall onPress={disconnect}>
            {WALLET.disconnect}
          </Button>
        </div>
      ) : null}
      {status === 'connecting' ? (
        <div className="flex flex-wrap items-center justify-between gap-2" role="status">
          <p>{WALLET.connecting(name)}</p>
          <Button isSmall onPress={disconnect}>
            {WALLET.stop}
          </Button>
          <LateHint />
        </div>
      ) : null}
      {status === 'disconnected' ? (
        <div className="flex flex-col items-start gap-2">
          {problem === null ? null : <Notice tone="warn" title={problem} />}
          <Button onPress={onConnect}>
            <WalletIcon aria-hidden className="size-4" />
            {WALLET.connect}
          </Button>
        </div>
      ) : null}
      {settings.testWallets === undefined ? null : (
        <Suspense>
          <TestWalletDialog />
        </Suspense>
      )}
    </section>
  );
}
