import { useTransfer, type UseTransferResult } from '@causeway/react';
import { isBegun, type Direction, type FindingCode } from '@causeway/sdk';
import { Button, Card, Notice, Select, TextField, Time } from '@causeway/ui/components';
import { useState, type FormEvent } from 'react';
import { useSettings } from '../settings/context.js';
import type { PageWallet } from '../wallet/use-wallet.js';
import { MOVE } from '../words/move.js';
import { Findings } from './findings.js';
import { mayBegin, nameSignature, getOrigin, type MoveForm as Form } from './form.js';
import { QuoteFacts } from './quote-facts.js';
import { RecipientField } from './recipient-field.js';
import { useMove, type Move } from './use-move.js';

/** The form of a transfer. Its button says what the next signature does. */
export function MoveForm({
  filled,
  assets,
  wallet,
  onConnect,
}: {
  /** By a link. A new one fills the form again. */
  readonly filled: Form;
  readonly assets: readonly string[];
  readonly wallet: PageWallet;
  readonly onConnect: () => void;
}) {
  const settings = useSettings();
  const [form, setForm] = useState(filled);
  const [filledBy, setFilledBy] = useState(JSON.stringify(filled));
  const [confirmed, setConfirmed] = useState('');
  const [accepted, setAccepted] = useState<readonly FindingCode[]>([]);
  if (filledBy !== JSON.stringify(filled)) {
    setFilledBy(JSON.stringify(filled));
    setForm(filled);
  }
  const move = useMove(form, wallet);
  // At most the fee that is shown.
  const maxFee = move.quote === null ? {} : { maxFee: BigInt(move.quote.feeAmount) };
  const transfer = useTransfer({ wallet: wallet.wallet, accept: accepted, ...maxFee });
  const change = (changes: Partial<Form>) => {
    setForm({ ...form, ...changes });
    setAccepted([]);
  };
  const { asset, direction } = form;
  const { parsed, digits, most, balance, closed } = move;
  const account = wallet.wallet?.account ?? null;
  const isConfirmed =
    form.recipient === '' || (confirmed === form.recipient && move.recipientProblem === null) || isOwn(form, account);
  const action = chooseAction(move, { form, wallet, transfer, accepted, isConfirmed, settings });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (action.isDisabled) return;
    if (action.does === 'connect') onConnect();
    else if (action.does === 'switch') move.switching.mutate();
    else if (move.transfer !== null) transfer.begin(move.transfer);
  };
  const names = { ethereum: settings.ethereum.name, partner: settings.partner.name };
  return (
    <Card title={MOVE.form}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label={MOVE.asset}
            value={asset}
            choices={assets.map((each) => ({ value: each, words: each }))}
            onChange={(value) => change({ asset: value })}
          />
          <Select
            label={MOVE.direction}
            value={direction}
            choices={[
              { value: 'ETHEREUM_TO_PARTNER', words: `${names.ethereum} → ${names.partner}` },
              { value: 'PARTNER_TO_ETHEREUM', words: `${names.partner} → ${names.ethereum}` },
            ]}
            onChange={(value) => change({ direction: value as Direction })}
          />
        </div>
        <div className="flex flex-col gap-1">
          <TextField
            label={MOVE.amount}
            value={form.amount}
            onChange={(amount) => change({ amount })}
            placeholder="0.0"
            error={
              parsed.state === 'wrong'
                ? MOVE.amountProblems[parsed.problem](
                    asset,
                    parsed.problem === 'DUST' ? digits.movable : digits.decimals,
                  )
                : null
            }
          />
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-xs text-muted">{balance === null ? '' : MOVE.balance(balance, asset)}</p>
            <div className="flex flex-wrap gap-2">
              {parsed.state === 'wrong' && parsed.remedy !== null ? (
                <Button isSmall onPress={() => change({ amount: parsed.remedy ?? '' })}>
                  {MOVE.remedies.amount(parsed.remedy, asset)}
                </Button>
              ) : null}
              {most === null ? null : (
                <Button isSmall aria-label={MOVE.maxLabel(most, asset)} onPress={() => change({ amount: most })}>
                  {MOVE.max}
                </Button>
              )}
            </div>
          </div>
        </div>
        <RecipientField
          form={form}
          account={account}
          problem={move.recipientProblem}
          isConfirmed={isConfirmed}
          onChange={change}
          onConfirm={() => setConfirmed(form.recipient)}
        />
        {asset === 'XCN' && direction === 'PARTNER_TO_ETHEREUM' ? (
          <Select
            label={MOVE.way}
            value={form.byIntent ? 'intent' : 'call'}
            hint={MOVE.ways.hint}
            choices={[
              { value: 'call', words: MOVE.ways.call },
              { value: 'intent', words: MOVE.ways.intent },
            ]}
            onChange={(way) => change({ byIntent: way === 'intent' })}
          />
        ) : null}
        <div aria-live="polite" className="empty:hidden">
          {closed === null ? null : (
            <Notice tone="warn" title={`${MOVE.closedTitle}. ${closed.reason ?? ''}`}>
              {closed.problem === null ? null : <p>{closed.problem}</p>}
              {closed.until === null ? null : (
                <p>
                  {MOVE.closedUntil} <Time at={closed.until} />
                </p>
              )}
              <p>{MOVE.closedOpens}</p>
            </Notice>
          )}
        </div>
        <QuoteFacts form={form} move={move} />
        <Findings
          form={form}
          move={move}
          accepted={accepted}
          onChange={change}
          onAccept={(code) => setAccepted([...accepted, code])}
        />
        <Button type="submit" look="primary" isDisabled={action.isDisabled} isBusy={transfer.status === 'running'}>
          {action.words}
        </Button>
        <p role="status" className="empty:hidden">
          {transfer.record === null ? transfer.message : ''}
        </p>
      </form>
    </Card>
  );
}

function isOwn({ recipient }: Form, account: string | null): boolean {
  return recipient.trim().toLowerCase() === account;
}

interface Action {
  readonly words: string;
  readonly does: 'connect' | 'switch' | 'begin';
  readonly isDisabled: boolean;
}

/** Chooses what the button does, and names it. */
function chooseAction(
  move: Move,
  {
    form,
    wallet,
    transfer,
    accepted,
    isConfirmed,
    settings,
  }: {
    readonly form: Form;
    readonly wallet: PageWallet;
    readonly transfer: UseTransferResult;
    readonly accepted: readonly FindingCode[];
    readonly isConfirmed: boolean;
    readonly settings: ReturnType<typeof useSettings>;
  },
): Action {
  const words = MOVE.buttons;
  const { parsed, check, closed } = move;
  const stop = (text: string): Action => ({ words: text, does: 'begin', isDisabled: true });
  const { record, outcome } = transfer;
  if (transfer.status === 'running') return stop(record === null ? words.checking : words.running);
  if (closed !== null) return stop(words.closed);
  if (record !== null && outcome === null && isBegun(record)) return stop(words.open);
  if (wallet.wallet === null)
    return { words: words.connect, does: 'connect', isDisabled: wallet.status === 'connecting' };
  if (parsed.state === 'empty') return stop(words.amount);
  if (parsed.state === 'wrong' || move.recipientProblem !== null) return stop(words.correct);
  if (!isConfirmed) return stop(words.recipient);
  if (check.data === undefined || move.transfer === null)
    return stop(check.error === null ? words.checking : words.findings);
  if (check.data.actualChainId !== check.data.expectedChainId)
    return {
      words: words.switch(settings[getOrigin(form.direction)].name),
      does: 'switch',
      isDisabled: move.switching.isPending,
    };
  if (check.error !== null || !mayBegin(check.data, accepted)) return stop(words.findings);
  if (!move.arePlanned) return stop(words.checking);
  const named = { kind: move.kind, asset: form.asset, amount: move.amount };
  return { words: nameSignature(named, move.steps), does: 'begin', isDisabled: false };
}
