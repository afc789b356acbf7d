import { Check, ChevronDown } from 'lucide-react';
import {
  Button as AriaButton,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
  TextArea,
  TextField as AriaTextField,
} from 'react-aria-components';

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

/** A select with a label and a hint. */
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
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <AriaSelect value={value} onChange={(key) => onChange(String(key))} className="flex min-w-0 flex-col gap-1">
      <Label className={isLabelHidden ? 'sr-only' : 'text-xs font-medium text-muted'}>{label}</Label>
      <AriaButton className={`${BOX} flex h-8.5 cursor-pointer items-center justify-between gap-2 text-left`}>
        <SelectValue className="truncate">{() => chosen?.words ?? value}</SelectValue>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </AriaButton>
      {hint === undefined ? null : (
        <Text slot="description" className="text-xs text-muted">
          {hint}
        </Text>
      )}
      <Popover className="min-w-(--trigger-width) overflow-auto rounded-lg border border-line bg-raised p-1 shadow-overlay">
        <ListBox
          items={choices.map((choice) => ({ id: choice.value, ...choice }))}
          className="max-h-80 overflow-auto outline-none"
        >
          {(item) => (
            <ListBoxItem
              id={item.id}
              textValue={item.words}
              className="group flex cursor-pointer items-center justify-between gap-3 rounded-md px-2.5 py-1.5 text-sm data-[focused]:bg-accent-soft data-[focused]:text-accent"
            >
              {item.words}
              <Check aria-hidden className="invisible size-4 group-data-[selected]:visible" />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
