import { Badge, Card, Hash, Notice, SmallTable, Time } from '@causeway/ui/components';
import type { Label } from '@causeway/ui/format';
import { valueOf } from '@causeway/verifier';
import { CHECK } from '../words/check.js';
import type { FieldJudgement, FieldVerdict } from './case.js';
import type { Checked } from './check-page.js';

const LABELS: Readonly<Record<FieldVerdict, Label>> = {
  disagree: { word: CHECK.words.disagree, tone: 'bad' },
  'cannot tell': { word: CHECK.words['cannot tell'], tone: 'neutral' },
  agree: { word: CHECK.words.agree, tone: 'good' },
};

/** Contradictions first. */
const ORDER: readonly FieldVerdict[] = ['disagree', 'agree', 'cannot tell'];

/** The verdict in one sentence, and the judgement of each field. */
export function Result({ checked }: { readonly checked: Checked }) {
  const { claimed, facts, rows } = checked;
  const problems = new Set(
    Object.values(facts).flatMap((fact) => (fact instanceof Object && 'problem' in fact ? fact.problem : [])),
  );
  const heads = valueOf(facts.heads);
  const shown = rows.filter(({ claimed: said, found }) => said !== null || found !== null);
  const sorted = ORDER.flatMap((verdict) => shown.filter((row) => row.verdict === verdict));
  return (
    <>
      <Verdict rows={rows} isSilent={claimed.claim === null} />
      {claimed.claim === null ? <Notice tone="warn" title={CHECK.noApi(claimed.problem)} /> : null}
      {problems.size === 0 ? null : (
        <Notice tone="warn" title={CHECK.noAgreement}>
          {[...problems].map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      {sorted.length === 0 ? null : (
        <Card title={CHECK.result} isFlush>
          <SmallTable
            caption={CHECK.result}
            columns={Object.values(CHECK.columns)}
            rows={sorted.map((row) => ({ key: row.field, cells: toCells(row) }))}
          />
        </Card>
      )}
      {heads === null ? null : (
        <p className="text-xs text-muted">{CHECK.readAt(`${heads.ethereum.number}`, `${heads.partner.number}`)}</p>
      )}
    </>
  );
}

function Verdict({ rows, isSilent }: { readonly rows: readonly FieldJudgement[]; readonly isSilent: boolean }) {
  const count = (verdict: FieldVerdict) => rows.filter((row) => row.verdict === verdict).length;
  const words = CHECK.verdict;
  if (count('disagree') > 0)
    return (
      <Notice tone="bad" title={words.wrong(count('disagree'))}>
        {words.wrongText}
      </Notice>
    );
  const isFound = rows.some(({ field, found }) => field === 'amount' && found !== null);
  if (!isFound)
    return (
      <Notice tone="warn" title={words.nothing}>
        {words.nothingText}
      </Notice>
    );
  if (isSilent) return <Notice tone="info" title={words.silent} />;
  return (
    <Notice tone="good" title={words.right(count('agree'))}>
      {words.rightText}
    </Notice>
  );
}

function toCells({ field, claimed, found, verdict, why }: FieldJudgement) {
  const name = CHECK.fields[field] ?? field;
  return [
    <span title={field}>{name}</span>,
    <Value text={claimed} label={name} />,
    <Value text={found} label={name} />,
    <span className="flex flex-col items-start gap-1 max-sm:items-end">
      <Badge label={LABELS[verdict]} />
      <span className="text-xs text-muted">{why}</span>
    </span>,
  ];
}

function Value({ text, label }: { readonly text: string | null; readonly label: string }) {
  if (text === null) return <span className="text-muted">{CHECK.nothing}</span>;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return <Time at={text} />;
  return /^0x[0-9a-f]{40,64}$/.test(text) ? <Hash hex={text} label={label} /> : <>{text}</>;
}
