import type { Direction, FindingCode } from '@causeway/sdk';
import { Button, Card, Loading, Notice, Select, TextField, Time } from '@causeway/ui/components';
import { lazy, Suspense, useRef, useState, type FormEvent } from 'react';
import { useSettings } from '../settings/context.js';
import type { PageWallet } from '../wallet/use-wallet.js';
import { MOVE } from '../words/move.js';
import { useClosed } from './closed.js';
import type { MoveForm as Form } from './form.js';
import { QuoteFacts } from './quote-facts.js';
import { RecipientField } from './recipient-field.js';
import { useTerms } from './use-terms.js';

const Funds = lazy(async () => ({ default: (await import('./connected.js')).Funds }));
const Begin = lazy(async () => ({ default: (await import('./connected.js')).Begin }));

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
    setAccepted([]);
  }
  const { account } = wallet;
  const { asset, direction } = form;
  const terms = useTerms(form, account);
  const { closed, isClockOff } = useClosed(asset, direction);
  const change = (changes: Partial<Form>) => {
    setForm({ ...form, ...changes });
    setAccepted([]);
  };
  const begin = useRef(() => {});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (account === null) onConnect();
    else begin.current();
  };
  const { parsed, digits, recipientProblem } = terms;
  const recipient = form.recipient.trim();
  // An address is confirmed for one chain: on the other one it can belong to nobody.
  const named = `${direction} ${recipient}`;
  const isConfirmed =
    recipient === '' || recipient.toLowerCase() === account || (confirmed === named && recipientProblem === null);
  const names = { ethereum: settings.ethereum.name, partner: settings.partner.name };
  const connected = { form, terms, wallet, onChange: change };
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
          <div className="flex flex-wrap items-center justify-between gap-2 empty:hidden">
            {parsed.state === 'wrong' && parsed.remedy !== null ? (
              <Button isSmall onPress={() => change({ amount: parsed.remedy ?? '' })}>
                {MOVE.remedies.amount(parsed.remedy, asset)}
              </Button>
            ) : null}
            {account === null ? null : (
              <Suspense>
                <Funds {...connected} />
              </Suspense>
            )}
          </div>
        </div>
        <RecipientField
          form={form}
          account={account}
          problem={recipientProblem}
          isConfirmed={isConfirmed}
          onChange={change}
          onConfirm={() => setConfirmed(named)}
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
        <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
          {isClockOff ? <Notice tone="warn" title={MOVE.clock} /> : null}
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
        {account === null ? (
          <>
            <QuoteFacts
              form={form}
              quote={terms.quote}
              gasFee={null}
              isQuoting={terms.isQuoting && terms.error === null}
            />
            {terms.error === null ? null : (
              <Notice tone="warn" title={terms.error.message}>
                {terms.error.nextStep}
              </Notice>
            )}
            <Button type="submit" look="primary" isDisabled={closed !== null || wallet.status === 'connecting'}>
              {closed === null ? MOVE.buttons.connect : MOVE.buttons.closed}
            </Button>
          </>
        ) : (
          <Suspense fallback={<Loading rows={3} />}>
            <Begin
              {...connected}
              isClosed={closed !== null}
              isConfirmed={isConfirmed}
              accepted={accepted}
              onAccept={(code) => setAccepted([...accepted, code])}
              submit={begin}
            />
          </Suspense>
        )}
      </form>
    </Card>
  );
}
