import { Button, Hash, Notice, TextField } from '@causeway/ui/components';
import { useSettings } from '../settings/context.js';
import { WALLET } from '../words/wallet.js';
import { MOVE } from '../words/move.js';
import { getDestination, type MoveForm } from './form.js';

/** Whom the transfer pays: the user, or another address that the user confirms with its full text. */
export function RecipientField({
  form,
  account,
  problem,
  isConfirmed,
  onChange,
  onConfirm,
}: {
  readonly form: MoveForm;
  readonly account: string | null;
  readonly problem: string | null;
  readonly isConfirmed: boolean;
  /** A null recipient is the user's own address; an empty one is another address that is not entered yet. */
  readonly onChange: (change: Partial<MoveForm>) => void;
  readonly onConfirm: () => void;
}) {
  const settings = useSettings();
  const { recipient, isFromLink, direction } = form;
  const chain = settings[getDestination(direction)].name;
  const useOwn = (
    <Button isSmall onPress={() => onChange({ recipient: '', isFromLink: false })}>
      {MOVE.useOwn}
    </Button>
  );
  if (recipient === '')
    return (
      <div className="flex flex-col gap-1">
        <p className="text-xs font-medium text-muted">{MOVE.recipient}</p>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="flex flex-wrap items-center gap-x-2">
            {account === null ? MOVE.noWallet : MOVE.own}
            {account === null ? null : <Hash hex={account} label={WALLET.account} />}
          </p>
          <Button isSmall onPress={() => onChange({ recipient: ' ' })}>
            {MOVE.useAnother}
          </Button>
        </div>
      </div>
    );
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={MOVE.recipientField(chain)}
        value={recipient.trim()}
        onChange={(value) => onChange({ recipient: value === '' ? ' ' : value, isFromLink: false })}
        placeholder="0x…"
        error={recipient.trim() === '' ? null : problem}
      />
      {problem === null && !isConfirmed ? (
        <Notice tone="warn" title={isFromLink ? MOVE.confirmLinkTitle : MOVE.confirmTitle}>
          <p>{MOVE.confirmText(chain)}</p>
          <p className="my-2 font-mono font-medium wrap-anywhere">{recipient.trim()}</p>
          <div className="flex flex-wrap gap-2">
            <Button isSmall onPress={onConfirm}>
              {MOVE.confirm}
            </Button>
            {useOwn}
          </div>
        </Notice>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p role="status" className="text-muted">
            {problem === null ? MOVE.confirmed : ''}
          </p>
          {useOwn}
        </div>
      )}
    </div>
  );
}
