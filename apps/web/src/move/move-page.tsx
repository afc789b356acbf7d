import type { TransferRecord } from '@causeway/sdk';
import { formatAmount } from '@causeway/ui/format';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Page } from '../components/page.js';
import { useSettings } from '../settings/context.js';
import { useConnect, WalletBar } from '../wallet/wallet-bar.js';
import { useWallet } from '../wallet/use-wallet.js';
import { MOVE } from '../words/move.js';
import { fillForm, type MoveLink } from './form.js';
import { MoveForm } from './move-form.js';

// The flows of transfers load after the form is shown.
const TransferList = lazy(async () => ({
  default: (await import('../transfers/transfer-list.js')).TransferList,
}));
const CreditClaim = lazy(async () => ({ default: (await import('./claim-button.js')).CreditClaim }));

/** The terms of a transfer, to begin it anew. */
function toLink({ asset, kind, amount, sender, recipient }: TransferRecord): MoveLink {
  return {
    asset,
    to: kind === 'DEPOSIT' ? 'partner' : 'ethereum',
    amount: formatAmount(asset, amount).replaceAll(',', ''),
    recipient: recipient.toLowerCase() === sender.toLowerCase() ? '' : recipient,
  };
}

/** The form, and the transfers of this browser below it. */
export function MovePage() {
  const link = useSearch({ from: '/' });
  const wallet = useWallet();
  const { start, dialog } = useConnect(wallet);
  // A transfer that is begun anew fills the form.
  const [refill, setRefill] = useState<MoveLink | null>(null);
  const { ethereum } = useSettings().addressBook;
  const assets = ['ETH', ...Object.keys(ethereum.tokens)];
  const filled = fillForm(refill ?? link, assets);
  return (
    <Page title={MOVE.title}>
      <WalletBar wallet={wallet} onConnect={start} />
      {dialog}
      <MoveForm
        filled={refill === null ? filled : { ...filled, isFromLink: false }}
        assets={assets}
        wallet={wallet}
        onConnect={start}
      />
      <Suspense>
        <TransferList
          wallet={wallet}
          onAnew={(record) => setRefill(toLink(record))}
          renderClaim={(operation) => <CreditClaim operation={operation} isStandalone={false} />}
        />
      </Suspense>
    </Page>
  );
}
