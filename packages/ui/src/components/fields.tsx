import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { FieldError, Input, Label, Text, TextArea, TextField as AriaTextField } from 'react-aria-components';

const BOX =
  'w-full rounded-md border border-edge bg-raised px-2.5 text-sm text-ink placeholder:text-muted data-[invalid]:border-bad';

/** A single-line or multi-line text field with a label, a hint and an error. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  isLong = false,
  isRequired = false,
  isLabelHidden = false,
  placeholder,
  type = 'text',
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  readonly type?: 'text' | 'search' | 'datetime-local';
}) {
  const isInvalid = error !== undefined && error !== null;
  return (
    <AriaTextField
      value={value}
      onChange={onChange}
      isInvalid={isInvalid}
      isRequired={isRequired}
      type={type}
      className="flex min-w-0 flex-col gap-1"
    >
      <Label className={isLabelHidden ? 'sr-only' : 'text-xs font-medium text-muted'}>
        {label}
        {isRequired ? <span aria-hidden> *</span> : null}
      </Label>
      {isLong ? (
        <TextArea rows={3} className={`${BOX} py-2`} {...(placeholder === undefined ? {} : { placeholder })} />
      ) : (
        <Input className={`${BOX} h-8.5`} spellCheck={false} {...(placeholder === undefined ? {} : { placeholder })} />
      )}
      {hint === undefined ? null : (
        <Text slot="description" className="text-xs text-muted">
          {hint}
        </Text>
      )}
      <FieldError className="text-xs font-medium text-bad">{error}</FieldError>
    </AriaTextField>
  );
}

/** A choice of a select: the value and its words. */
export interface Choice {
  readonly value: string;
  readonly words: string;
}

/** The browser's own select, with a label and a hint. */
export function Select({
  label,
  value,
  choices,
  onChange,
  hint,
  isLabelHidden = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly isLabelHidden?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-xs font-medium text-muted'}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          className={`${BOX} h-8.5 cursor-pointer appearance-none truncate pr-8`}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.words}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute top-2.25 right-2 size-4 text-muted" />
      </div>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
