import { useTransfer } from '@causeway/react';
import { switchChain, type BridgeOperationResponse, type CausewayErrorType } from '@causeway/sdk';
import { Button, Notice } from '@causeway/ui/components';
import { formatAmount } from '@causeway/ui/format';
import { useMutation } from '@tanstack/react-query';
import { useSettings } from '../settings/context.js';
import { makeChain } from '../wallet/chains.js';
import { useSdkWallet } from '../wallet/sdk-wallet.js';
import { useWallet } from '../wallet/use-wallet.js';
import { useConnect, WalletBar } from '../wallet/wallet-bar.js';
import { MOVE } from '../words/move.js';
import { getDestination } from './form.js';

const WORDS = MOVE.claim;

/** Claims the credit of a delivery that its recipient rejected: connects, switches the network and sends. */
export function CreditClaim({
  operation,
  isStandalone = true,
}: {
  readonly operation: BridgeOperationResponse;
  /** False on a page that shows the wallet itself. */
  readonly isStandalone?: boolean;
}) {
  const settings = useSettings();
  const wallet = useWallet();
  const { start, dialog } = useConnect(wallet);
  const signer = useSdkWallet(wallet);
  const transfer = useTransfer({ wallet: signer });
  const { asset, direction, settlement } = operation;
  const side = getDestination(direction);
  const owner = (settlement?.recipient ?? operation.recipient).toLowerCase() as `0x${string}`;
  const isOwner = wallet.account === owner;
  const claiming = useMutation<void, CausewayErrorType>({
    mutationFn: async () => {
      if (signer === null) return;
      await switchChain(signer, makeChain(settings, side));
      transfer.begin({ kind: 'CLAIM', asset, side, recipient: owner });
    },
  });
  const { error } = claiming;
  const isBusy = claiming.isPending || transfer.status === 'running';
  return (
    <div className="flex flex-col items-start gap-2">
      <p>{WORDS.text}</p>
      {isStandalone && wallet.status !== 'disconnected' ? <WalletBar wallet={wallet} onConnect={start} /> : null}
      {signer !== null && !isOwner ? <Notice tone="warn" title={WORDS.other(owner)} /> : null}
      {transfer.outcome === null ? (
        <Button
          look="primary"
          isBusy={isBusy}
          isDisabled={signer !== null && !isOwner}
          onPress={() => (signer === null ? start() : claiming.mutate())}
        >
          {signer === null
            ? MOVE.buttons.connect
            : WORDS.button(formatAmount(asset, settlement?.amount ?? operation.outputAmount), asset)}
        </Button>
      ) : null}
      <p role="status">
        {transfer.outcome === null
          ? error === null
            ? transfer.message
            : `${error.message} ${error.nextStep}`
          : WORDS.done}
      </p>
      {dialog}
    </div>
  );
}
