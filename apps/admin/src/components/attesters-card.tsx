import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { Badge, Card, Hash, SmallTable, Time } from '@causeway/ui/components';
import { nameWords, type Label } from '@causeway/ui/format';

type Answer = AdminOperationResponse['attesters'][number];

const LABELS: Readonly<Record<NonNullable<Answer['verdict']>, Label>> = {
  SIGN: { word: 'Signs', tone: 'good' },
  NOT_YET: { word: 'Not yet', tone: 'info' },
  REFUSE: { word: 'Refuses', tone: 'bad' },
};
const NO_ANSWER: Label = { word: 'No answer', tone: 'warn' };

/** The answer of each attester about an operation or refund. Empty while no attester is asked. */
export function AttestersCard({ answers }: { readonly answers: readonly Answer[] }) {
  if (answers.length === 0) return null;
  return (
    <Card title="Attesters" isFlush>
      <SmallTable
        caption="Attester answers"
        columns={['Attester', 'Answer', 'Why', 'Since']}
        rows={answers.map(({ address, verdict, reason, sentence, at }) => ({
          key: address,
          cells: [
            <Hash key="attester" hex={address} label="attester" />,
            <Badge key="answer" label={verdict === null ? NO_ANSWER : LABELS[verdict]} />,
            <span key="why">
              {reason === null ? null : <span className="font-medium">{nameWords(reason)}. </span>}
              {sentence}
            </span>,
            at === null ? null : <Time key="at" at={at} isShort />,
          ],
        }))}
      />
    </Card>
  );
}
