import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ContractCallsResponse, PrepareCallResponse } from '@causeway/protocol/admin';
import { contractCallsQuery } from '../api/queries.js';
import { Button } from '../components/button.js';
import { Dialog, DialogActions } from '../components/dialog.js';
import { Select, TextField } from '../components/fields.js';
import { Notice } from '../components/icon.js';
import { usePageActions } from '../components/page-actions.js';
import { Empty, Loaded, sentenceOf } from '../components/states.js';
import { fieldWords } from '../format/words.js';
import { useChange, useMay, useSession } from '../session/session.js';
import { hashCommandOf, type Prepared } from './call-parts.js';
import { PreparedCall } from './prepared-call.js';

type CallDefinition = ContractCallsResponse['calls'][number];

/** A button that prepares a contract call, and the same action in the command palette. Operators may. */
export function CallButton({
  command,
  words = 'Prepare a contract call',
}: {
  readonly command?: string;
  readonly words?: string;
}) {
  const isAllowed = useMay('operator');
  const [isOpen, setOpen] = useState(false);
  usePageActions(useMemo(() => (isAllowed ? [{ title: words, run: () => setOpen(true) }] : []), [isAllowed, words]));
  if (!isAllowed) return null;
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        {words}
      </Button>
      {isOpen ? <CallDialog command={command} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function CallDialog({ command, onClose }: { readonly command: string | undefined; readonly onClose: () => void }) {
  const query = useQuery(contractCallsQuery);
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  return (
    <Dialog
      title={prepared === null ? 'Prepare a contract call' : `Sign: ${prepared.command}`}
      isOpen
      onClose={onClose}
    >
      {prepared === null ? (
        <Loaded query={query}>
          {({ calls }) =>
            calls.length === 0 ? (
              <Empty title="The API offers no call." />
            ) : (
              <CallForm calls={calls} first={command} onPrepared={setPrepared} onClose={onClose} />
            )
          }
        </Loaded>
      ) : (
        <PreparedCall prepared={prepared} onBack={() => setPrepared(null)} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** The form of a call, drawn from what the command line has. */
function CallForm({
  calls,
  first,
  onPrepared,
  onClose,
}: {
  readonly calls: readonly CallDefinition[];
  readonly first: string | undefined;
  readonly onPrepared: (prepared: Prepared) => void;
  readonly onClose: () => void;
}) {
  const { address } = useSession();
  const change = useChange();
  const [command, setCommand] = useState(
    () => calls.find((each) => each.command === first)?.command ?? calls[0]?.command ?? '',
  );
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [account, setAccount] = useState<string>(address);
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const definition = calls.find((each) => each.command === command);
  const options = Object.fromEntries(
    (definition?.options ?? []).flatMap(({ name }) => {
      const value = values[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const missing = (definition?.options ?? []).filter(
    ({ name, isRequired }) => isRequired && options[name] === undefined,
  );
  const isComplete = missing.length === 0 && reason.trim().length >= 3 && account.trim() !== '';
  const prepare = useMutation({
    mutationFn: async () =>
      change<PrepareCallResponse>('POST', '/contracts/calls/prepare', { command, options, account: account.trim() }),
    onSuccess: (answer) => {
      const signer = account.trim();
      const hashCommand = definition === undefined ? '' : hashCommandOf(definition, options, signer);
      onPrepared({ command, hashCommand, reason: reason.trim().replace(/\s+/g, ' '), account: signer, answer });
    },
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (isComplete) prepare.mutate();
      }}
    >
      <Select
        label="Call"
        value={command}
        choices={calls.map((each) => ({ value: each.command, words: fieldWords(each.command) }))}
        onChange={setCommand}
      />
      {definition === undefined ? null : (
        <div className="text-muted">
          <p>{definition.description}</p>
          <p>
            Signed by: <span className="font-medium text-ink">{definition.role}</span>
          </p>
        </div>
      )}
      {(definition?.options ?? []).map(({ name, description, isRequired, choices, fallback }) =>
        choices === null ? (
          <TextField
            key={`${command} ${name}`}
            label={fieldWords(name)}
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
            hint={fallback === null ? description : `${description} Otherwise ${fallback}.`}
            isRequired={isRequired}
            error={isTried && isRequired && options[name] === undefined ? 'This is needed.' : null}
          />
        ) : (
          <Select
            key={`${command} ${name}`}
            label={`${fieldWords(name)}: ${description}`}
            value={values[name] ?? ''}
            choices={[
              { value: '', words: isRequired ? 'Choose one' : `Not given${fallback === null ? '' : `: ${fallback}`}` },
              ...choices.map((value) => ({ value, words: value })),
            ]}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ),
      )}
      <TextField
        label="Account that signs"
        value={account}
        onChange={setAccount}
        isRequired
        hint="Your own account, or the address of a Safe that has the role."
      />
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        isLong
        isRequired
        hint="It stands in the audit log."
        error={isTried && reason.trim().length < 3 ? 'Say why, in at least 3 characters.' : null}
      />
      {isTried && missing.length > 0 ? (
        <Notice tone="warn" title={`Still needed: ${missing.map(({ name }) => fieldWords(name)).join(', ')}.`} />
      ) : null}
      {prepare.isError ? (
        <Notice tone="bad" title="It could not be prepared. Nothing changed.">
          {sentenceOf(prepare.error)}
        </Notice>
      ) : null}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={prepare.isPending}>
          Simulate
        </Button>
      </DialogActions>
    </form>
  );
}
