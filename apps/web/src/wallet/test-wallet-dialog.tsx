import { Button, Dialog, DialogActions, Facts } from '@causeway/ui/components';
import { useSyncExternalStore } from 'react';
import { WALLET } from '../words/wallet.js';
import { readConfirmation, watchConfirmation } from './confirmation.js';

const WORDS = WALLET.test;

/** Asks the user of a test wallet before each signature. */
export function TestWalletDialog() {
  const question = useSyncExternalStore(watchConfirmation, readConfirmation);
  if (question === null) return null;
  const { wallet, what, facts, answer } = question;
  return (
    <Dialog title={WORDS.title(wallet)} isOpen onClose={() => answer(false)}>
      <p className="mb-3 font-medium">{WORDS[what]}</p>
      <Facts facts={facts} />
      <p className="mt-3 text-muted">{WORDS.note}</p>
      <DialogActions>
        <Button onPress={() => answer(false)}>{WORDS.reject}</Button>
        <Button look="primary" onPress={() => answer(true)}>
          {WORDS.approve}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
