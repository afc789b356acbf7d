import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { getAction, includesRole, type RequestResponse } from '@causeway/protocol/admin';
import { Badge, Button, Card, Countdown, Empty, Facts, Hash, Loaded, SmallTable, Time } from '@causeway/ui/components';
import { requestQuery } from '../api/queries.js';
import { usePageActions } from '../components/page-actions.js';
import { Page } from '../components/page.js';
import { Member } from '../session/member.js';
import { useSession } from '../session/session.js';
import { ApproveDialog } from './approve-dialog.js';
import { RequestFacts, RequestProgress, RequestState, REQUEST_LABELS } from './request-parts.js';

/** One request: its effect, the state when it was made, the signatures, and the progress. */
export function RequestPage() {
  const { id } = useParams({ from: '/shell/approvals/$id' });
  const query = useQuery(requestQuery(id));
  return (
    <Page
      title={query.data === undefined ? 'Request' : getAction(query.data.terms).title(query.data.terms)}
      subtitle={<Hash hex={id} label="id" isWhole />}
      actions={query.data === undefined ? null : <ApproveButton request={query.data} />}
    >
      <Loaded query={query}>{(request) => <Request request={request} />}</Loaded>
    </Page>
  );
}

/** The approve button, or why the member cannot approve. */
function ApproveButton({ request }: { readonly request: RequestResponse }) {
  const { address, role } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { state, requestedBy, approvals, terms } = request;
  const isOwn = requestedBy === address;
  const hasSigned = approvals.some((approval) => approval.address === address);
  const isOpenForMe =
    state === 'AWAITING_APPROVAL' && !isOwn && !hasSigned && includesRole(role, getAction(terms).role);
  usePageActions(
    useMemo(() => (isOpenForMe ? [{ title: 'Approve this request', run: () => setOpen(true) }] : []), [isOpenForMe]),
  );
  // An open dialog stays until the member closes it, whatever the state of the request.
  const dialog = isOpen ? <ApproveDialog request={request} onClose={() => setOpen(false)} /> : null;
  if (isOpenForMe || isOpen) {
    return (
      <>
        <Button look="primary" onPress={() => setOpen(true)}>
          Approve
        </Button>
        {dialog}
      </>
    );
  }
  if (state !== 'AWAITING_APPROVAL') return null;
  const why =
    hasSigned || isOwn ? 'You signed this request: another member must approve it.' : 'Your role cannot approve this.';
  return <p className="text-muted">{why}</p>;
}

function Request({ request }: { readonly request: RequestResponse }) {
  const { state, approvals, approvalsNeeded, endedAt } = request;
  return (
    <>
      <RequestProgress request={request} />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Card title="The request" actions={<Badge label={REQUEST_LABELS[state]} />}>
          <RequestFacts request={request} />
          <div className="mt-4 border-t border-line pt-4">
            <Facts
              facts={[
                ['Requested by', <Member key="by" address={request.requestedBy} />],
                ['Requested', <Time key="at" at={request.createdAt} />],
                endedAt === null
                  ? ['Time left', <Countdown key="until" until={request.validUntil * 1_000} />]
                  : ['Ended', <Time key="ended" at={endedAt} />],
                ['Concerns', <Subject key="subject" request={request} />],
              ]}
            />
          </div>
        </Card>
        <Card title="State at the request">
          <RequestState request={request} />
          <p className="mt-4 border-t border-line pt-3 text-xs text-muted">
            The relayer refuses the request if this state has changed.
          </p>
        </Card>
      </div>
      <Card
        title="Signatures"
        isFlush
        actions={
          <span className="text-muted">
            {approvals.length} of {approvalsNeeded}
          </span>
        }
      >
        {approvals.length === 0 ? (
          <Empty title={approvalsNeeded === 0 ? 'No signature is needed.' : 'No signatures yet.'} />
        ) : (
          <SmallTable
            caption="Signatures of the request"
            columns={['Signed by', 'When']}
            rows={approvals.map(({ address, at }) => ({
              key: address,
              cells: [<Member key="by" address={address} />, <Time key="at" at={at} />],
            }))}
          />
        )}
      </Card>
    </>
  );
}

/** A link to the operation or refund of a request. */
function Subject({ request: { terms } }: { readonly request: RequestResponse }) {
  const style = 'font-medium text-accent hover:underline';
  if ('refundId' in terms) {
    return (
      <Link to="/refunds/$id" params={{ id: terms.refundId }} className={style}>
        Open the refund
      </Link>
    );
  }
  const id = 'operationId' in terms ? terms.operationId : 'intentId' in terms ? terms.intentId : null;
  if (id === null) return 'address' in terms ? 'the allow-list' : 'the pipeline';
  return (
    <Link to="/operations/$id" params={{ id }} className={style}>
      Open the operation
    </Link>
  );
}
