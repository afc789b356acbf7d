import { useState } from 'react';
import type { ContractsResponse, EXECUTE_ANNOUNCED } from '@causeway/protocol/admin';
import { Button, Dialog, DialogActions, TextField } from '@causeway/ui/components';
import { nameWords } from '@causeway/ui/format';
import { useChosenWallet, WalletChoice } from '@causeway/ui/wallet';
import { ADMIN, NoWallet } from '../session/no-wallet.js';
import { useSession } from '../session/session.js';
import { DecodedTransaction, type Transaction } from './decoded-transaction.js';
import { SendTransaction } from './send-transaction.js';

/** The name of this call in the audit log. Only the type is imported, because its module contains large schemas. */
const COMMAND: typeof EXECUTE_ANNOUNCED = 'execute-announced';
/** Running the scheduling command again after the delay executes the call. */
const AGAIN = `${ADMIN} <the command that announced it> --book <file> --ethereum-rpc <url> --partner-rpc <url> --keystore <file> --send`;

/** Executes a scheduled call: shows the transaction, asks for signer and reason, and follows the progress. */
export function ExecuteDialog({
  transaction,
  roles,
  onClose,
}: {
  readonly transaction: Transaction;
  readonly onClose: () => void;
} & Pick<ContractsResponse, 'roles'>) {
  const { address } = useSession();
  const [wallet, choose] = useChosenWallet();
  const owners = roles
    .filter(({ side, role }) => side === transaction.side && role === 'owner')
    .map((owner) => owner.address);
  const [account, setAccount] = useState<string>(
    owners.find((owner) => owner === address.toLowerCase()) ?? owners[0] ?? address,
  );
  const [reason, setReason] = useState('');
  const line = reason.trim().replace(/\s+/g, ' ');
  const isComplete = line.length >= 3 && account.trim() !== '';
  return (
    <Dialog title={`Execute: ${nameWords(transaction.functionName)}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-5">
        <DecodedTransaction transaction={transaction} />
        <TextField
          label="Account that signs"
          value={account}
          onChange={setAccount}
          isRequired
          hint="The owner of the timelock. If the owner is a Safe, prepare the same call again and export it for the Safe."
        />
        <TextField
          label="Reason"
          value={reason}
          onChange={setReason}
          isLong
          isRequired
          hint="Recorded in the audit log. At least 3 characters."
        />
        <WalletChoice wallet={wallet} onChoose={choose}>
          <NoWallet command={AGAIN} />
        </WalletChoice>
        <SendTransaction
          sending={{ command: COMMAND, reason: line, account: account.trim() }}
          transaction={{ ...transaction, maySend: transaction.maySend && isComplete }}
          wallet={wallet}
        />
      </div>
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
