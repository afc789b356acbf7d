import type { CausewayErrorType, Finding, FindingCode } from '@causeway/sdk';
import { Button, Notice } from '@causeway/ui/components';
import { useSettings } from '../settings/context.js';
import { MOVE } from '../words/move.js';
import { listRemedies, getOrigin, type MoveForm, type Remedy } from './form.js';

const TONES = { blocking: 'bad', acceptable: 'warn', note: 'info' } as const;

/** The findings of the check with their remedies, and why the check or a switch failed. */
export function Findings({
  form,
  findings,
  errors,
  most,
  accepted,
  isSwitching,
  onSwitch,
  onChange,
  onAccept,
}: {
  readonly form: MoveForm;
  readonly findings: readonly Finding[];
  readonly errors: readonly (CausewayErrorType | null)[];
  /** The most that the account can move, in whole coins. */
  readonly most: string | null;
  readonly accepted: readonly FindingCode[];
  readonly isSwitching: boolean;
  readonly onSwitch: () => void;
  readonly onChange: (change: Partial<MoveForm>) => void;
  readonly onAccept: (code: FindingCode) => void;
}) {
  const settings = useSettings();
  const names: Readonly<Record<Remedy['kind'], (remedy: Remedy) => string>> = {
    switch: () => MOVE.remedies.switch(settings[getOrigin(form.direction)].name),
    amount: (remedy) => (remedy.kind === 'amount' ? MOVE.remedies.amount(remedy.amount, form.asset) : ''),
    'own-recipient': () => MOVE.useOwn,
    accept: () => MOVE.remedies.accept,
  };
  const apply = (remedy: Remedy, code: FindingCode) => {
    if (remedy.kind === 'switch') onSwitch();
    else if (remedy.kind === 'amount') onChange({ amount: remedy.amount });
    else if (remedy.kind === 'own-recipient') onChange({ recipient: '', isFromLink: false });
    else onAccept(code);
  };
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {findings.map((finding) => {
        const { code, severity, message, nextStep, field } = finding;
        const isAccepted = severity === 'acceptable' && accepted.includes(code);
        return (
          <Notice key={`${code} ${field}`} tone={TONES[severity]} title={message}>
            <p>{isAccepted ? MOVE.remedies.accepted : nextStep}</p>
            <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
              {listRemedies(finding, most)
                .filter(({ kind }) => !(isAccepted && kind === 'accept'))
                .map((remedy) => (
                  <Button
                    key={remedy.kind}
                    isSmall
                    isBusy={remedy.kind === 'switch' && isSwitching}
                    onPress={() => apply(remedy, code)}
                  >
                    {names[remedy.kind](remedy)}
                  </Button>
                ))}
            </div>
          </Notice>
        );
      })}
      {errors.map((each, index) =>
        each === null ? null : (
          <Notice key={index} tone="warn" title={each.message}>
            {each.nextStep}
          </Notice>
        ),
      )}
    </div>
  );
}
