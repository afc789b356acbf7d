import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContractCallsResponse } from '@causeway/protocol/admin';
import {
  Button,
  describeError,
  Dialog,
  DialogActions,
  Empty,
  Loaded,
  Notice,
  Select,
  TextField,
} from '@causeway/ui/components';
import { nameWords } from '@causeway/ui/format';
import { prepareCall } from '../api/mutations.js';
import { contractCallsQuery } from '../api/queries.js';
import { useMay, useSession } from '../session/session.js';
import { toCommandLine, PreparedCall, type Prepared } from './prepared-call.js';
import { formWords } from './decoded-transaction.js';

type CallDefinition = ContractCallsResponse['calls'][number];

/** The search parameter that opens the dialog for any call. */
const ANY = 'any';

/**
 * A button for operators that opens the dialog of a contract call. The open call is in the URL, so that the command
 * palette and links can open it too.
 */
export function CallButton({
  command = ANY,
  words = 'Prepare a contract call',
}: {
  readonly command?: string;
  readonly words?: string;
}) {
  const isAllowed = useMay('operator');
  const { call } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: ({ call: _call, ...previous }) => (next === undefined ? previous : { ...previous, call: next }),
      replace: true,
      resetScroll: false,
    });
  if (!isAllowed) return null;
  return (
    <>
      <Button look="primary" onPress={() => open(command)}>
        {words}
      </Button>
      {call === undefined ? null : <CallDialog command={call} onClose={() => open(undefined)} />}
    </>
  );
}

function CallDialog({ command, onClose }: { readonly command: string; readonly onClose: () => void }) {
  const query = useQuery(contractCallsQuery);
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  return (
    <Dialog
      title={prepared === null ? 'Prepare a contract call' : `Sign: ${nameWords(prepared.command)}`}
      isOpen
      onClose={onClose}
    >
      {prepared === null ? (
        <Loaded query={query}>
          {({ calls }) =>
            calls.length === 0 ? (
              <Empty title="The API offers no contract calls." />
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

/** Converts a description of the API to a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

/** Converts a choice of an option to words; an asset keeps its name. */
function choiceWords(choice: string): string {
  return /^[A-Z]+$/.test(choice) ? choice : nameWords(choice);
}

/** The form of a call, generated from its options. */
function CallForm({
  calls,
  first,
  onPrepared,
  onClose,
}: {
  readonly calls: readonly CallDefinition[];
  readonly first: string;
  readonly onPrepared: (prepared: Prepared) => void;
  readonly onClose: () => void;
}) {
  const { address } = useSession();
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
    ...prepareCall,
    onSuccess: (answer, { account: signer }) => {
      const commandLine = definition === undefined ? command : toCommandLine(definition, options);
      onPrepared({ command, commandLine, reason: reason.trim().replace(/\s+/g, ' '), account: signer, answer });
    },
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (isComplete) prepare.mutate({ command, options, account: account.trim() });
      }}
    >
      <Select
        label="Call"
        value={command}
        choices={calls.map((each) => ({ value: each.command, words: nameWords(each.command) }))}
        onChange={setCommand}
      />
      {definition === undefined ? null : (
        <div className="text-muted">
          <p>{sentence(definition.description)}</p>
          <p>
            Signed by: <span className="font-medium text-ink">{nameWords(definition.role)}</span>
          </p>
        </div>
      )}
      {(definition?.options ?? []).map(({ name, description, isRequired, choices, fallback }) =>
        choices === null ? (
          <TextField
            key={`${command} ${name}`}
            label={nameWords(name)}
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
            hint={fallback === null ? sentence(description) : `${sentence(description)} Default: ${fallback}.`}
            isRequired={isRequired}
            error={isTried && isRequired && options[name] === undefined ? 'This field is required.' : null}
          />
        ) : (
          <Select
            key={`${command} ${name}`}
            label={nameWords(name)}
            hint={sentence(description)}
            value={values[name] ?? ''}
            choices={[
              { value: '', words: isRequired ? 'Choose one' : fallback === null ? 'Not set' : `Default: ${fallback}` },
              ...choices.map((value) => ({ value, words: choiceWords(value) })),
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
        hint="Your own account, or the address of a Safe with the role."
      />
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        isLong
        isRequired
        hint="Recorded in the audit log."
        error={isTried && reason.trim().length < 3 ? 'Give a reason of at least 3 characters.' : null}
      />
      {isTried && missing.length > 0 ? (
        <Notice tone="warn" title={`Missing: ${missing.map(({ name }) => nameWords(name)).join(', ')}.`} />
      ) : null}
      {prepare.isError ? (
        <Notice tone="bad" title="The call could not be prepared. Nothing changed.">
          {formWords(describeError(prepare.error))}
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
