import { useState, type ReactNode } from 'react';
import { ACTIONS, FIELDS, type FieldName, type RequestKind, type RequestTerms } from '@causeway/protocol/admin';
import { Button, Dialog, DialogActions, Select, TextField } from '@causeway/ui/components';
import { nameWords } from '@causeway/ui/format';
import { useRequestDialog } from './request-button.js';

/** Patterns of typed fields, with the error message. */
const CHECKS = {
  id: [/^0x[0-9a-fA-F]{64}$/, 'Enter an id: 0x and 64 hex digits.'],
  address: [/^0x[0-9a-fA-F]{40}$/, 'Enter an address: 0x and 40 hex digits.'],
  amount: [/^\d+$/, 'Enter a whole number of atomic units.'],
} as const;

/**
 * Asks for the fields of an action that the page does not know, then opens the dialog of the request. Labels, choices
 * and field types come from the table of actions.
 *
 * @param known values of the other fields.
 */
export function FieldsDialog({
  kind,
  title,
  known = {},
  hint,
  children,
  onClose,
}: {
  readonly kind: RequestKind;
  readonly title: string;
  readonly known?: Partial<Readonly<Record<FieldName, string>>>;
  readonly hint?: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  const ask = useRequestDialog();
  const names: readonly FieldName[] = ACTIONS[kind].fields;
  const asked = names.filter((name) => known[name] === undefined);
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({});
  const [isTried, setTried] = useState(false);
  const valueOf = (name: FieldName) => {
    const field = FIELDS[name];
    return values[name]?.trim() ?? (field.type === 'choice' ? field.choices[0] : '');
  };
  const findProblem = (name: FieldName) => {
    const { type } = FIELDS[name];
    return type === 'choice' || CHECKS[type][0].test(valueOf(name)) ? null : CHECKS[type][1];
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (asked.some((name) => findProblem(name) !== null)) return;
          onClose();
          const given = Object.fromEntries(asked.map((name) => [name, valueOf(name)]));
          ask({ kind, ...known, ...given } as RequestTerms);
        }}
      >
        {children}
        {asked.map((name) => {
          const field = FIELDS[name];
          const onChange = (value: string) => setValues({ ...values, [name]: value });
          return field.type === 'choice' ? (
            <Select
              key={name}
              label={field.label}
              value={valueOf(name)}
              choices={field.choices.map((value) => ({ value, words: nameWords(value) }))}
              onChange={onChange}
            />
          ) : (
            <TextField
              key={name}
              label={field.label}
              value={values[name] ?? ''}
              onChange={onChange}
              isRequired
              hint={hint}
              error={isTried ? findProblem(name) : null}
            />
          );
        })}
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Continue
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
