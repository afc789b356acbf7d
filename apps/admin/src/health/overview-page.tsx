import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OverviewResponse } from '@causeway/protocol/admin';
import { Badge, Card, Empty, Facts, Hash, Loaded, SmallTable, Time, ToneText, Unknown } from '@causeway/ui/components';
import { DELAY_WORDS, groupDigits, SIDE_WORDS, STATUS_LABELS } from '@causeway/ui/format';
import { overviewQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { AssetsCard, BackingCard, DayCard } from './assets-cards.js';
import { LeaseFacts } from './lease.js';
import { SolvencyCard } from './solvency-card.js';
import { StateLine } from './state-line.js';

/** The bridge at a glance. */
export function OverviewPage() {
  const query = useQuery(overviewQuery);
  return (
    <Page
      title="Overview"
      subtitle={
        query.data === undefined ? (
          ' '
        ) : (
          <>
            As of <Time at={query.data.at} />
          </>
        )
      }
    >
      <StateLine />
      <Loaded query={query} rows={12}>
        {(overview) => (
          <>
            <AssetsCard assets={overview.assets} />
            <div className="grid gap-5 lg:grid-cols-2">
              <BackingCard assets={overview.assets} />
              <DayCard assets={overview.assets} />
            </div>
            <div className="grid gap-5 xl:grid-cols-[3fr_2fr]">
              <ChainsCard overview={overview} />
              <OpenCard open={overview.open} />
            </div>
            <div className="grid gap-5 lg:grid-cols-2">
              <DelaysCard open={overview.open} />
              <Card title="Pipeline">
                <LeaseFacts lease={overview.lease} />
                <div className="mt-4 border-t border-line pt-4">
                  <Facts
                    facts={[
                      ['Deliveries', <HaltState key="deliveries" halt={overview.deliveriesHalt} />],
                      [
                        'Awaiting decisions',
                        <span key="waiting" className="flex flex-wrap gap-x-4">
                          <Link to="/refunds" search={{ status: 'REQUESTED' }} className="text-accent hover:underline">
                            {overview.refundsWaiting} refunds
                          </Link>
                          <Link
                            to="/approvals"
                            search={{ state: 'AWAITING_APPROVAL' }}
                            className="text-accent hover:underline"
                          >
                            {overview.requestsWaiting} requests
                          </Link>
                        </span>,
                      ],
                    ]}
                  />
                </div>
              </Card>
            </div>
          </>
        )}
      </Loaded>
      <SolvencyCard />
    </Page>
  );
}

/** A halt with its reason. "Not halted" does not mean that the bridge runs: `StateLine` shows that. */
function HaltState({ halt }: { readonly halt: OverviewResponse['deliveriesHalt'] }) {
  if (halt === null) return <span className="text-muted">not halted</span>;
  return (
    <span>
      <ToneText label={{ word: 'Halted', tone: 'bad' }} /> <Time at={halt.since} isShort />: {halt.reason}
    </span>
  );
}

function ChainsCard({ overview }: { readonly overview: OverviewResponse }) {
  return (
    <Card title="Chains" isFlush>
      <SmallTable
        caption="Heads, lag and halts of the chains"
        columns={['Chain', 'Head', 'Read to', 'Lag', 'Read', 'Halt']}
        numbers={['Head', 'Read to', 'Lag']}
        rows={overview.chains.map(({ side, chainId, head, nextBlock, lagBlocks, readAt, halt }) => ({
          key: side,
          cells: [
            <span key="side">
              <span className="font-semibold">{SIDE_WORDS[side]}</span> <span className="text-muted">{chainId}</span>
            </span>,
            head === null ? <Unknown key="head" /> : groupDigits(String(head)),
            groupDigits(String(nextBlock - 1)),
            lagBlocks === null ? (
              <Unknown key="lag" />
            ) : (
              <span key="lag" className="whitespace-nowrap">
                {lagBlocks} blocks
              </span>
            ),
            readAt === null ? (
              <span key="read" className="text-muted">
                never
              </span>
            ) : (
              <Time key="read" at={readAt} isShort />
            ),
            <HaltState key="halt" halt={halt} />,
          ],
        }))}
      />
    </Card>
  );
}

function OpenCard({ open }: Pick<OverviewResponse, 'open'>) {
  const { total, byStatus, oldest } = open;
  return (
    <Card title="Open operations" actions={<span className="text-muted tabular-nums">{total} open</span>}>
      {total === 0 ? (
        <Empty title="No open operations." />
      ) : (
        <ul className="flex flex-col gap-2">
          {byStatus.map(({ status, count }) => (
            <li key={status} className="flex items-center justify-between gap-4">
              <Link to="/operations" search={{ status }} className="hover:underline">
                <Badge label={STATUS_LABELS[status]} />
              </Link>
              <span className="tabular-nums">{count}</span>
            </li>
          ))}
        </ul>
      )}
      {oldest === null ? null : (
        <p className="mt-4 flex flex-wrap items-center gap-x-2 border-t border-line pt-3 text-muted">
          Oldest open:
          <Hash hex={oldest.id} label="id">
            <Link to="/operations/$id" params={{ id: oldest.id }} className="font-medium text-accent hover:underline">
              {oldest.id.slice(0, 10)}…
            </Link>
          </Hash>
          {STATUS_LABELS[oldest.status].word.toLowerCase()} since <Time at={oldest.since} isShort />
        </p>
      )}
    </Card>
  );
}

function DelaysCard({ open }: Pick<OverviewResponse, 'open'>) {
  return (
    <Card title="Delays by reason" isFlush>
      {open.byDelay.length === 0 ? (
        <Empty title="No delayed operations." />
      ) : (
        <SmallTable
          caption="Delayed operations by reason"
          columns={['Reason', 'Operations', 'Oldest']}
          numbers={['Operations']}
          rows={open.byDelay.map(({ reason, count, oldestSince }) => ({
            key: reason,
            cells: [
              <Link
                key="reason"
                to="/operations"
                search={{ delay: reason }}
                className="font-medium text-accent hover:underline"
              >
                {DELAY_WORDS[reason]}
              </Link>,
              count,
              <Time key="oldest" at={oldestSince} isShort />,
            ],
          }))}
        />
      )}
    </Card>
  );
}
