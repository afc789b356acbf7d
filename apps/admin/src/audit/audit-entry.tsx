import type { AuditResponse, ReportedCall } from '@causeway/protocol/admin';
import { Badge, Facts, Hash, MaybeHash, Time } from '@causeway/ui/components';
import { nameWords, shorten, type Label } from '@causeway/ui/format';
import { Arguments } from '../contracts/decoded-transaction.js';
import { Member, useMember } from '../session/member.js';

/** Shows JSON as text with line breaks, never as markup. */
function Json({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span className="text-muted">none</span>;
  return (
    <pre className="max-h-60 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

const REPORTED_LABELS: Readonly<Record<ReportedCall['state'], Label>> = {
  SUCCEEDED: { word: 'Confirmed on the chain', tone: 'good' },
  REVERTED: { word: 'Reverted', tone: 'bad' },
  NOT_CONFIRMED: { word: 'Not confirmed', tone: 'warn' },
  FOREIGN: { word: 'Not a call to the bridge', tone: 'bad' },
};

/** The result on the chain of a transaction that a member reported. The row itself is only the member's claim. */
function Reported({ call: { state, sentence, calls, txHash } }: { readonly call: ReportedCall }) {
  return (
    <div className="flex flex-col items-start gap-1.5">
      <Badge label={REPORTED_LABELS[state]} />
      <p>{sentence}</p>
      {calls.map(({ contract, functionName, arguments: values }) => (
        <div key={`${contract} ${functionName}`}>
          <p>
            {nameWords(functionName)} <span className="text-muted">of {contract}</span>
          </p>
          <Arguments values={values} />
        </div>
      ))}
      <Hash hex={txHash} label="transaction" />
    </div>
  );
}

/** One row of the audit log: a line that expands to all fields. */
export function AuditEntry({ row }: { readonly row: AuditResponse['rows'][number] }) {
  const { sequence, at, actor, role, action, subject, reason, reported } = row;
  const { name } = useMember(actor);
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-sunken">
          <span className="w-14 text-muted tabular-nums">#{sequence}</span>
          <span className="font-medium">{nameWords(action)}</span>
          <span className="text-muted" title={actor ?? undefined}>
            {actor === null ? 'relayer' : `${name ?? shorten(actor)}, ${role ?? 'no role'}`}
          </span>
          {(reported ?? []).map(({ txHash, state }) => (
            <Badge key={txHash} label={REPORTED_LABELS[state]} />
          ))}
          {reason === null ? null : <span className="line-clamp-1 min-w-0 flex-1 wrap-anywhere">{reason}</span>}
          <span className="ml-auto text-xs text-muted">
            <Time at={at} />
          </span>
        </summary>
        <div className="px-4 pt-1 pb-4">
          <Facts
            facts={[
              ['Member', actor === null ? 'the relayer' : <Member key="actor" address={actor} />],
              ['Session', row.sessionId ?? 'none'],
              ['Subject', subject === null ? 'none' : <Hash key="subject" hex={subject} label="subject" isWhole />],
              ['Reason', reason ?? 'none'],
              ...(reported ?? []).map(
                (call, index) =>
                  [
                    index === 0 ? 'On the chain' : `On the chain (${index + 1})`,
                    <Reported key={call.txHash} call={call} />,
                  ] as const,
              ),
              ['Before', <Json key="before" value={row.before} />],
              ['After', <Json key="after" value={row.after} />],
              ['Transaction', <MaybeHash key="tx" hex={row.txHash} label="transaction" />],
              ['Hash of the previous row', <Hash key="previous" hex={row.previousHash} label="hash" isWhole />],
              ['Hash', <Hash key="hash" hex={row.hash} label="hash" isWhole />],
            ]}
          />
        </div>
      </details>
    </li>
  );
}
