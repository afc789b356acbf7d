import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { Badge, Card, Empty, Hash, SmallTable, Time } from '@causeway/ui/components';
import { formatWei, groupDigits, nameWords, SIDE_WORDS } from '@causeway/ui/format';

type Call = AdminOperationResponse['calls'][number];
type Attempt = Call['attempts'][number];

/** The wallet's calls for an operation, each with all transactions signed for it. */
export function CallsCard({
  calls,
  ethereumChainId,
}: {
  readonly calls: readonly Call[];
  readonly ethereumChainId: number;
}) {
  const getSide = (call: Call) => (call.chainId === ethereumChainId ? 'ethereum' : 'partner');
  return (
    <Card title="Wallet journal" isFlush>
      {calls.length === 0 ? (
        <Empty title="No transaction has been signed for it yet." />
      ) : (
        <ul className="divide-y divide-line">
          {calls.map((call) => (
            <li key={call.id}>
              <div className="flex flex-wrap items-center gap-x-5 gap-y-1 px-4 pt-3 pb-1">
                <span className="font-medium">{nameWords(call.purpose)}</span>
                <span className="text-muted">{nameWords(call.state)}</span>
                <span className="text-muted">
                  nonce <span className="text-ink tabular-nums">{call.nonce}</span> on {SIDE_WORDS[getSide(call)]}
                </span>
                <Hash hex={call.sender} label="wallet" />
                {call.feePaid === null ? null : (
                  <span className="text-muted">gas paid: {formatWei(call.feePaid, getSide(call))}</span>
                )}
              </div>
              <SmallTable
                caption={`Transactions signed for nonce ${call.nonce}`}
                columns={['Transaction', 'Signed', 'Gas', 'Fee cap and tip', 'Role']}
                numbers={['Gas', 'Fee cap and tip']}
                rows={call.attempts.map((attempt, index) => ({
                  key: attempt.txHash,
                  cells: [
                    <Hash key="hash" hex={attempt.txHash} label="transaction" />,
                    <Time key="at" at={attempt.signedAt} isShort />,
                    groupDigits(attempt.gas),
                    <span key="fees" className="flex flex-col">
                      <span>{formatWei(attempt.maxFeePerGas, getSide(call))}</span>
                      <span className="text-muted">{formatWei(attempt.maxPriorityFeePerGas, getSide(call))}</span>
                    </span>,
                    <AttemptRole key="role" attempt={attempt} isFirst={index === 0} />,
                  ],
                }))}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function AttemptRole({ attempt, isFirst }: { readonly attempt: Attempt; readonly isFirst: boolean }) {
  if (attempt.isFinal) return <Badge label={{ word: 'Final', tone: 'good' }} />;
  if (attempt.isCancellation) return <Badge label={{ word: 'Cancellation', tone: 'warn' }} />;
  return <Badge label={isFirst ? { word: 'First', tone: 'neutral' } : { word: 'Replacement', tone: 'info' }} />;
}
