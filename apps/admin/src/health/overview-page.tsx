import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OverviewResponse } from '@causeway/protocol/admin';
import { alertsQuery, overviewQuery } from '../api/queries.js';
import { Badge, Notice, ToneText } from '../components/icon.js';
import { Card, Facts, Page, SmallTable } from '../components/page.js';
import { Empty, Loaded } from '../components/states.js';
import { Amount, Hash, Time, Unknown } from '../components/value.js';
import { formatAmount } from '../format/amounts.js';
import { DELAY_WORDS, STATUS_LABELS } from '../format/words.js';
import { LeaseFacts } from './lease.js';
import { SolvencyCard } from './solvency-card.js';

/** Days of float below which the refill is urgent (the alert rules use the same). */
const FLOAT_DAYS_LOW = 3;
const SIDES = { ethereum: 'Ethereum', partner: 'Partner chain' } as const;

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
      <AlertSummary />
      <Loaded query={query} rows={12}>
        {(overview) => (
          <>
            <AssetsCard assets={overview.assets} />
            <div className="grid gap-5 xl:grid-cols-[3fr_2fr]">
              <ChainsCard overview={overview} />
              <OpenCard open={overview.open} />
            </div>
            <div className="grid gap-5 xl:grid-cols-2">
              <DelaysCard open={overview.open} />
              <Card title="Pipeline">
                <LeaseFacts lease={overview.lease} />
                <div className="mt-4 border-t border-line pt-4">
                  <Facts
                    facts={[
                      ['Deliveries', <HaltState key="deliveries" halt={overview.deliveriesHalt} />],
                      [
                        'Waiting for people',
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

/** One line when something needs a person; the page of alerts says what. */
function AlertSummary() {
  const { data } = useQuery(alertsQuery);
  if (data === undefined || data.alerts.length === 0) return null;
  const critical = data.alerts.filter(({ severity }) => severity === 'critical').length;
  const [first] = data.alerts;
  return (
    <Notice
      tone={critical > 0 ? 'bad' : 'warn'}
      title={`${data.alerts.length} ${data.alerts.length === 1 ? 'alert needs' : 'alerts need'} a person, ${critical} critical`}
    >
      {first?.sentence}{' '}
      <Link to="/alerts" className="font-medium underline">
        All alerts
      </Link>
    </Notice>
  );
}

function AssetsCard({ assets }: Pick<OverviewResponse, 'assets'>) {
  return (
    <Card title="Assets" isFlush>
      <SmallTable
        caption="Locked, supply, surplus, in flight and float of each asset"
        columns={['Asset', 'Locked', 'Supply', 'Surplus', 'In flight', 'Float']}
        rows={assets.map(({ asset, locked, supply, surplus, inFlight, float, floatDaysLeft }) => ({
          key: asset,
          cells: [
            <span key="asset" className="font-semibold">
              {asset}
            </span>,
            <Amount key="locked" asset={asset} atomic={locked} />,
            <Amount key="supply" asset={asset} atomic={supply} />,
            <Surplus key="surplus" asset={asset} surplus={surplus} />,
            <Amount key="flight" asset={asset} atomic={inFlight} />,
            <span key="float" className="inline-flex flex-wrap items-center gap-2 max-sm:justify-end">
              {asset === 'XCN' ? <Amount asset={asset} atomic={float} /> : <span className="text-muted">none</span>}
              <FloatDays days={asset === 'XCN' ? floatDaysLeft : null} />
            </span>,
          ],
        }))}
      />
    </Card>
  );
}

function Surplus({ asset, surplus }: Pick<OverviewResponse['assets'][number], 'asset' | 'surplus'>) {
  if (surplus === null) return <Unknown />;
  const isShort = BigInt(surplus) < 0n;
  return (
    <span className="tabular-nums">
      {isShort ? (
        <ToneText label={{ word: `${formatAmount(asset, surplus)} ${asset}, short`, tone: 'bad' }} />
      ) : (
        <Amount asset={asset} atomic={surplus} />
      )}
    </span>
  );
}

function FloatDays({ days }: { readonly days: number | null }) {
  if (days === null) return null;
  const tone = days < FLOAT_DAYS_LOW ? 'warn' : 'good';
  return <Badge label={{ word: `${days < 100 ? days.toFixed(1) : Math.round(days)} days left`, tone }} />;
}

function HaltState({ halt }: { readonly halt: OverviewResponse['deliveriesHalt'] }) {
  if (halt === null) return <ToneText label={{ word: 'Running', tone: 'good' }} />;
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
        columns={['Chain', 'Head', 'Read to', 'Lag', 'Read', 'State']}
        rows={overview.chains.map(({ side, chainId, head, nextBlock, lagBlocks, readAt, halt }) => ({
          key: side,
          cells: [
            <span key="side">
              <span className="font-semibold">{SIDES[side]}</span> <span className="text-muted">{chainId}</span>
            </span>,
            head === null ? (
              <Unknown key="head" />
            ) : (
              <span key="head" className="tabular-nums">
                {head}
              </span>
            ),
            <span key="next" className="tabular-nums">
              {nextBlock - 1}
            </span>,
            lagBlocks === null ? (
              <Unknown key="lag" />
            ) : (
              <span key="lag" className="whitespace-nowrap tabular-nums">
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
        <Empty title="No operation is open." />
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
          Oldest waiting:
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
        <Empty title="Nothing is delayed." />
      ) : (
        <SmallTable
          caption="Delayed operations by reason"
          columns={['Reason', 'Operations', 'Oldest']}
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
              <span key="count" className="tabular-nums">
                {count}
              </span>,
              <Time key="oldest" at={oldestSince} isShort />,
            ],
          }))}
        />
      )}
    </Card>
  );
}
