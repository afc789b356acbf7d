import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { AdminRefundResponse } from '@causeway/protocol/admin';
import {
  Amount,
  Badge,
  Card,
  Empty,
  Facts,
  Hash,
  Loaded,
  MaybeHash,
  Notice,
  SmallTable,
  Time,
} from '@causeway/ui/components';
import { nameWords, REFUND_LABELS, SIDE_WORDS } from '@causeway/ui/format';
import { refundQuery, settingsQuery } from '../api/queries.js';
import { AttestersCard } from '../components/attesters-card.js';
import { Page } from '../components/page.js';
import { Member } from '../session/member.js';
import { RefundActions } from './refund-actions.js';

/** One refund: the arrival, the decisions, and the payment. */
export function RefundPage() {
  const { id } = useParams({ from: '/shell/refunds/$id' });
  const query = useQuery(refundQuery(id));
  return (
    <Page
      title="Refund"
      subtitle={<Hash hex={id} label="id" isWhole />}
      actions={query.data === undefined ? null : <RefundActions refund={query.data} />}
    >
      <Loaded query={query}>{(refund) => <Refund refund={refund} />}</Loaded>
    </Page>
  );
}

/** Shows a chain by its name, or by its id if the API does not name it. */
function ChainName({ chainId }: { readonly chainId: number }) {
  const chain = useQuery(settingsQuery).data?.chains.find((each) => each.chainId === chainId);
  return <>{chain === undefined ? `chain ${chainId}` : `${SIDE_WORDS[chain.side]} (chain ${chainId})`}</>;
}

function Refund({ refund }: { readonly refund: AdminRefundResponse }) {
  const { asset, status, maybePaidBy, decisions, attesters } = refund;
  return (
    <>
      {maybePaidBy.length === 0 ? null : (
        <Notice tone="bad" title="Warning: this may already have been paid.">
          No operation explains these deliveries. Check them before you decide. To approve the refund anyway, name each
          of them in the reason by its first ten characters:
          {maybePaidBy.map((txHash) => (
            <div key={txHash}>
              <Hash hex={txHash} label="delivery" isWhole />
            </div>
          ))}
        </Notice>
      )}
      <AttestersCard answers={attesters} />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Card title="What arrived" actions={<Badge label={REFUND_LABELS[status]} />}>
          <Facts
            facts={[
              ['Amount', <Amount key="amount" asset={asset} atomic={refund.amount} />],
              ['Chain', <ChainName key="chain" chainId={refund.chainId} />],
              ['Payer', <Hash key="payer" hex={refund.payer} label="payer" isWhole />],
              ['Wallet', <Hash key="wallet" hex={refund.wallet} label="wallet" isWhole />],
              ['Why', refund.failureReason === null ? 'none' : nameWords(refund.failureReason)],
              ['Arrived', <Time key="at" at={refund.createdAt} />],
              [
                'Operation',
                <Link
                  key="operation"
                  to="/operations/$id"
                  params={{ id: refund.operationId }}
                  className="font-medium text-accent hover:underline"
                >
                  Open the operation
                </Link>,
              ],
            ]}
          />
        </Card>
        <Card title="Payment">
          <Facts
            facts={[
              ['Recipient', <MaybeHash key="recipient" hex={refund.recipient} label="recipient" />],
              [
                'Paid',
                refund.paidAmount === null ? (
                  <span className="text-muted">nothing yet</span>
                ) : (
                  <Amount key="paid" asset={asset} atomic={refund.paidAmount} />
                ),
              ],
              [
                'Gas deducted',
                refund.gasFee === null ? (
                  <span className="text-muted">nothing yet</span>
                ) : refund.gasFee === '0' ? (
                  <span className="text-muted">none</span>
                ) : (
                  <Amount key="gas" asset={asset} atomic={refund.gasFee} />
                ),
              ],
              ['Transaction', <MaybeHash key="tx" hex={refund.txHash} label="payment" />],
              [
                'Settled',
                refund.settledAt === null ? (
                  <span className="text-muted">not yet</span>
                ) : (
                  <Time key="settled" at={refund.settledAt} />
                ),
              ],
            ]}
          />
        </Card>
      </div>
      <Card title="Decisions" isFlush>
        {decisions.length === 0 ? (
          <Empty title="No operator has decided yet." />
        ) : (
          <SmallTable
            caption="Decisions of operators"
            columns={['Operator', 'Decision', 'Recipient', 'When']}
            rows={decisions.map(({ operator, kind, recipient, at }, index) => ({
              key: `${operator} ${index}`,
              cells: [
                <Member key="operator" address={operator} />,
                nameWords(kind),
                <MaybeHash key="recipient" hex={recipient} label="recipient" />,
                <Time key="at" at={at} />,
              ],
            }))}
          />
        )}
      </Card>
    </>
  );
}
