import { Download } from 'lucide-react';
import { Button } from '../components/button.js';
import { DialogActions } from '../components/dialog.js';
import { download } from '../components/page-actions.js';
import { nameWords } from '../format/words.js';
import { CommandLine } from '../session/no-wallet.js';
import { useChosenWallet, WalletChoice } from '../session/wallets.js';
import { hashCommand, sendCommand, type Prepared } from './call-parts.js';
import { DecodedTransaction } from './decoded-transaction.js';
import { SendTransaction } from './send-transaction.js';

/** Offers a JSON file as a download. */
function downloadJson(name: string, content: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

/** The transactions of a call, decoded and simulated, to be signed by the wallet or exported for a Safe. */
export function PreparedCall({
  prepared,
  onBack,
  onClose,
}: {
  readonly prepared: Prepared;
  readonly onBack: () => void;
  readonly onClose: () => void;
}) {
  const [wallet, choose] = useChosenWallet();
  const { answer, command } = prepared;
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">
        Compare each hash on your own machine. This command computes them from the address book, so that a falsified
        page is noticed:
      </p>
      <div className="rounded-lg bg-sunken p-3">
        <CommandLine command={hashCommand(prepared)} />
      </div>
      {answer.transactions.some(({ step }) => step !== 'wait') ? (
        <WalletChoice wallet={wallet} onChoose={choose} command={sendCommand(prepared)} />
      ) : null}
      <ol className="flex flex-col gap-4">
        {answer.transactions.map((transaction, index) => (
          <li key={transaction.callHash} className="rounded-lg border border-line p-4">
            <h3 className="mb-3 font-semibold">
              {index + 1}. {nameWords(transaction.functionName)}
              <span className="font-normal text-muted"> {transaction.contract}</span>
            </h3>
            <DecodedTransaction transaction={transaction} />
            <div className="mt-4">
              <SendTransaction sending={prepared} transaction={transaction} wallet={wallet} />
            </div>
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-2">
        {Object.entries(answer.safeTransaction).map(([chainId, file]) => (
          <Button key={chainId} onPress={() => downloadJson(`${command}-${chainId}.json`, file)}>
            <Download aria-hidden className="size-4" />
            Export for a Safe on chain {chainId}
          </Button>
        ))}
      </div>
      <DialogActions>
        <Button onPress={onBack}>Back</Button>
        <Button onPress={onClose}>Close</Button>
      </DialogActions>
    </div>
  );
}
