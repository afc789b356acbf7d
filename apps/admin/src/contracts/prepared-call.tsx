import { Download } from 'lucide-react';
import type { PrepareCallResponse } from '@causeway/protocol/admin';
import { Button } from '../components/button.js';
import { DialogActions } from '../components/dialog.js';
import { Notice } from '../components/icon.js';
import { Facts, SmallTable } from '../components/page.js';
import { Countdown, Hash } from '../components/value.js';
import { formatWei } from '../format/amounts.js';
import { fieldWords } from '../format/words.js';
import { useChosenWallet, WalletChoice } from '../session/wallets.js';
import { Arguments, SIDES, type Prepared } from './call-parts.js';
import { SendTransaction } from './send-transaction.js';

type Transaction = PrepareCallResponse['transactions'][number];

const STEPS: Readonly<Record<Transaction['step'], string>> = {
  call: 'Takes effect when it is mined',
  schedule: 'Announces it in the timelock; nothing changes yet',
  wait: 'The timelock still holds it',
  execute: 'Executes what was announced',
};

/** Offers a JSON file as a download. */
function download(name: string, content: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
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
  const { answer, command, hashCommand } = prepared;
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">
        Compare each hash on your own machine. This command computes them from the address book, so that a falsified
        page is noticed:
      </p>
      <code className="rounded-lg bg-sunken p-3 text-[0.8125rem] wrap-anywhere">{hashCommand}</code>
      {answer.transactions.some(({ step }) => step !== 'wait') ? (
        <WalletChoice wallet={wallet} onChoose={choose} />
      ) : null}
      <ol className="flex flex-col gap-4">
        {answer.transactions.map((transaction, index) => (
          <li key={transaction.callHash} className="rounded-lg border border-line p-4">
            <h3 className="mb-3 font-semibold">
              {index + 1}. {transaction.contract}.{transaction.functionName}
            </h3>
            <Decoded transaction={transaction} />
            <div className="mt-4">
              <SendTransaction prepared={prepared} transaction={transaction} wallet={wallet} />
            </div>
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-2">
        {Object.entries(answer.safeTransaction).map(([chainId, file]) => (
          <Button key={chainId} onPress={() => download(`${command}-${chainId}.json`, file)}>
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

/** What a transaction does, its hash, and the values before and after in the simulation. */
function Decoded({ transaction }: { readonly transaction: Transaction }) {
  const { side, chainId, step, readyAt, problem, changes, blockNumber, isSimulated, maySend } = transaction;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Chain', `${SIDES[side]} (${chainId})`],
          ['Step', STEPS[step]],
          ...(readyAt === null ? [] : [['Ready in', <Countdown key="ready" until={Date.parse(readyAt)} />] as const]),
          ['Arguments', <Arguments key="arguments" values={transaction.arguments} />],
          ['To', <Hash key="to" hex={transaction.to} label="address" isWhole />],
          ['Value', formatWei(transaction.value)],
          ['Data', <Hash key="data" hex={transaction.data} label="data" isWhole />],
          ['Call hash', <Hash key="hash" hex={transaction.callHash} label="call hash" isWhole />],
        ]}
      />
      {problem === null ? null : (
        <Notice
          tone={maySend ? 'warn' : 'bad'}
          title={maySend ? 'Look at this before you sign.' : 'It cannot be sent now.'}
        >
          {problem}
        </Notice>
      )}
      {changes.length === 0 ? null : (
        <section>
          <h4 className="mb-1 text-xs font-medium text-muted">
            {isSimulated
              ? `Before and after, simulated at block ${blockNumber ?? 'unknown'}`
              : 'Before, and after as the arguments say: this was not simulated'}
          </h4>
          <SmallTable
            caption="Values before and after"
            columns={['Value', 'Before', 'After']}
            rows={changes.map(({ name, before, after }) => ({
              key: name,
              cells: [fieldWords(name), before, <strong key="after">{after}</strong>],
            }))}
          />
        </section>
      )}
    </div>
  );
}
