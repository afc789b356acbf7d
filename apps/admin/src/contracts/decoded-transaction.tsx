import type { PrepareCallResponse } from '@causeway/protocol/admin';
import { Badge, Facts, Hash, Notice, SmallTable, Time } from '@causeway/ui/components';
import { formatWei, nameWords, SIDE_WORDS } from '@causeway/ui/format';

/** Converts a sentence of the command line for a form: `--chain ethereum` to `the option "Chain" ethereum`. */
export function formWords(sentence: string): string {
  return sentence.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_option, name: string) => `the option "${nameWords(name)}"`);
}

/** One transaction of a contract call, decoded. */
export type Transaction = PrepareCallResponse['transactions'][number];

const STEPS: Readonly<Record<Transaction['step'], string>> = {
  call: 'Takes effect when mined',
  schedule: 'Schedules the call in the timelock; nothing changes yet',
  wait: 'The timelock delay has not passed',
  execute: 'Executes the scheduled call',
};

/** The decoded call of a transaction, its hash, and the values before and after it in the simulation. */
export function DecodedTransaction({ transaction }: { readonly transaction: Transaction }) {
  const { side, chainId, step, readyAt, problem, changes, blockNumber, isSimulated, maySend } = transaction;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Chain', `${SIDE_WORDS[side]} (${chainId})`],
          ['Step', STEPS[step]],
          ...(readyAt === null ? [] : [['Ready', <Time key="ready" at={readyAt} />] as const]),
          ['Arguments', <Arguments key="arguments" values={transaction.arguments} />],
          ['To', <Hash key="to" hex={transaction.to} label="address" isWhole />],
          ['Value', formatWei(transaction.value, side)],
          ['Data', <Hash key="data" hex={transaction.data} label="data" isWhole />],
          ['Call hash', <Hash key="hash" hex={transaction.callHash} label="call hash" isWhole />],
        ]}
      />
      {problem === null ? null : (
        <Notice
          tone={maySend ? 'warn' : 'bad'}
          title={maySend ? 'Check this before you sign.' : 'This cannot be sent now.'}
        >
          {formWords(problem)}
        </Notice>
      )}
      <section>
        <h4 className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Badge
            label={
              isSimulated ? { word: 'Simulated', tone: 'info' } : { word: 'Computed, not simulated', tone: 'warn' }
            }
          />
          {isSimulated
            ? `The values come from a simulation at block ${blockNumber ?? 'unknown'}.`
            : problem === null && changes.length > 0
              ? 'The nodes cannot simulate this call: the values after it are computed from the arguments.'
              : null}
        </h4>
        {changes.length === 0 ? null : (
          <SmallTable
            caption="Values before and after"
            columns={['Value', 'Before', 'After']}
            rows={changes.map(({ name, before, after }) => ({
              key: name,
              cells: [nameWords(name), before, <strong key="after">{after}</strong>],
            }))}
          />
        )}
      </section>
    </div>
  );
}

/** Named values of a call or an event, as text. */
export function Arguments({
  values,
}: {
  readonly values: readonly { readonly name: string; readonly value: string }[];
}) {
  if (values.length === 0) return <span className="text-muted">none</span>;
  return (
    <ul className="font-mono text-[0.8125rem]">
      {values.map(({ name, value }) => (
        <li key={name} className="wrap-anywhere">
          <span className="text-muted">{name} = </span>
          {value}
        </li>
      ))}
    </ul>
  );
}
