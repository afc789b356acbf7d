import { Download } from 'lucide-react';
import type { ContractCallsResponse, PrepareCallResponse } from '@causeway/protocol/admin';
import { Button, DialogActions } from '@causeway/ui/components';
import { nameWords } from '@causeway/ui/format';
import { useChosenWallet, WalletChoice } from '@causeway/ui/wallet';
import { download } from '../components/page-actions.js';
import { ADMIN, CommandLine, NoWallet } from '../session/no-wallet.js';
import { DecodedTransaction } from './decoded-transaction.js';
import { SendTransaction, type Sending } from './send-transaction.js';

/** A prepared call with its inputs. */
export interface Prepared extends Sending {
  /** Command line, starting with the name of the call. */
  readonly commandLine: string;
  readonly answer: PrepareCallResponse;
}

/** Returns the command that prepares and sends the same call without the console. */
function sendCommand({ commandLine }: Prepared): string {
  return `${ADMIN} ${commandLine} --book <file> --ethereum-rpc <url> --partner-rpc <url> --keystore <file> --send`;
}

/** Returns the command that computes the call's hashes from the address book, on the member's own machine. */
function hashCommand({ commandLine, account }: Prepared): string {
  return `${ADMIN} hash ${commandLine} --signer ${account} --book <file>`;
}

/**
 * Returns a call with its options as a command line.
 *
 * @param definition the call, with its options.
 * @param options the values of the form, by name.
 */
export function toCommandLine(
  { command, options: definitions }: ContractCallsResponse['calls'][number],
  options: Readonly<Record<string, string>>,
): string {
  const words = definitions.flatMap(({ name, choices, fallback }) => {
    const value = options[name];
    if (value === undefined) return [];
    // A flag without a value on the command line.
    if (choices?.join() === 'yes,no' && fallback === 'no') return value === 'yes' ? [`--${name}`] : [];
    return [`--${name}`, /^[\w.:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`];
  });
  return [command, ...words].join(' ');
}

/** Offers a JSON file as a download. */
function downloadJson(name: string, content: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

/** The decoded and simulated transactions of a call, to sign with the wallet or export for a Safe. */
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
        Compare each hash on your own machine. This command computes them from the address book and so reveals a
        manipulated page:
      </p>
      <div className="rounded-lg bg-sunken p-3">
        <CommandLine command={hashCommand(prepared)} />
      </div>
      {answer.transactions.some(({ step }) => step !== 'wait') ? (
        <WalletChoice wallet={wallet} onChoose={choose}>
          <NoWallet command={sendCommand(prepared)} />
        </WalletChoice>
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
