import { useQuery } from '@tanstack/react-query';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { contractsQuery } from '../api/queries.js';
import { Badge } from '../components/icon.js';
import { Card, Page, SmallTable } from '../components/page.js';
import { Empty, Loaded } from '../components/states.js';
import { Amount, Countdown, Hash, Time } from '../components/value.js';
import { Arguments, SIDES } from './call-parts.js';
import { CallButton } from './call-dialog.js';

/** What the contracts say now, the announced calls, and what changed before. */
export function FeesAndLimitsPage() {
  const query = useQuery(contractsQuery);
  const blocks = query.data?.blocks ?? [];
  return (
    <Page
      title="Fees and limits"
      subtitle={
        blocks.length === 0
          ? 'What the contracts say now.'
          : `Read at ${blocks.map(({ side, number }) => `${SIDES[side]} block ${number}`).join(' and ')}.`
      }
      actions={<CallButton />}
    >
      <Loaded query={query} rows={10}>
        {(contracts) => (
          <>
            <Card title="Now" isFlush>
              <AssetTable assets={contracts.assets} />
            </Card>
            <Completeness blocks={contracts.blocks} />
            <Card title="Announced" isFlush>
              <Announced announced={contracts.announced} />
            </Card>
            <Card title="Roles" isFlush>
              <Roles roles={contracts.roles} />
            </Card>
            <Card title="History" isFlush>
              <History history={contracts.history} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Events are read by the relayer: announcements and history may lag behind the values above. */
function Completeness({ blocks }: Pick<ContractsResponse, 'blocks'>) {
  return (
    <p className="-mb-2 text-xs text-muted">
      {blocks
        .map(({ side, eventsThrough }) =>
          eventsThrough === null
            ? `Announcements and history of ${SIDES[side]} are not read yet.`
            : `Announcements and history of ${SIDES[side]} are complete to block ${eventsThrough}.`,
        )
        .join(' ')}
    </p>
  );
}

function MaybeAmount({ asset, atomic, none }: Parameters<typeof Amount>[0] & { readonly none: string }) {
  return atomic === null ? <span className="text-muted">{none}</span> : <Amount asset={asset} atomic={atomic} />;
}

function Allowed({ isAllowed, words }: { readonly isAllowed: boolean; readonly words: string }) {
  return <Badge label={isAllowed ? { word: words, tone: 'good' } : { word: `${words}: no`, tone: 'warn' }} />;
}

function AssetTable({ assets }: Pick<ContractsResponse, 'assets'>) {
  if (assets.length === 0) return <Empty title="No asset is listed." />;
  return (
    <SmallTable
      caption="Fees and limits of each asset"
      columns={['Asset', 'Listing', 'Fee', 'Least fee', 'Minimum', 'Maximum', 'Outflow room', 'To collect']}
      rows={assets.map((each) => {
        const { side, asset, feeBps, outflowCapacity } = each;
        return {
          key: `${side} ${asset}`,
          cells: [
            <span key="asset">
              <span className="font-semibold">{asset}</span> <span className="text-muted">{SIDES[side]}</span>
            </span>,
            <span key="listing" className="inline-flex flex-wrap gap-1">
              <Allowed isAllowed={each.mayBegin} words="May begin" />
              <Allowed isAllowed={each.mayBeDelivered} words="May be delivered" />
            </span>,
            feeBps === null ? (
              <span key="fee" className="text-muted">
                none
              </span>
            ) : (
              `${feeBps} bps`
            ),
            <MaybeAmount key="least" asset={asset} atomic={each.minimumFee} none="none" />,
            <MaybeAmount key="minimum" asset={asset} atomic={each.minimumAmount} none="none" />,
            <MaybeAmount key="maximum" asset={asset} atomic={each.maximumAmount} none="none" />,
            outflowCapacity === null ? (
              <span key="room" className="text-muted">
                no limit
              </span>
            ) : (
              <span key="room">
                <MaybeAmount asset={asset} atomic={each.outflowRoom} none="unknown" />{' '}
                <span className="text-muted">of</span> <Amount asset={asset} atomic={outflowCapacity} />
              </span>
            ),
            <MaybeAmount key="collect" asset={asset} atomic={each.collectableFees} none="nothing" />,
          ],
        };
      })}
    />
  );
}

function Announced({ announced }: Pick<ContractsResponse, 'announced'>) {
  if (announced.length === 0) return <Empty title="Nothing waits in the timelock." />;
  return (
    <SmallTable
      caption="Calls that wait in the timelock"
      columns={['Call', 'Arguments', 'Ready', 'Announced in', 'Id']}
      rows={announced.map((each) => ({
        key: each.id,
        cells: [
          <span key="call">
            <span className="font-mono text-[0.8125rem] font-medium">
              {each.contract}.{each.functionName}
            </span>{' '}
            <span className="text-muted">{SIDES[each.side]}</span>
          </span>,
          <Arguments key="arguments" values={each.arguments} />,
          each.isReady ? (
            <Badge key="ready" label={{ word: 'Ready to execute', tone: 'good' }} />
          ) : (
            <span key="ready">
              in <Countdown until={Date.parse(each.readyAt)} />
            </span>
          ),
          <Hash key="tx" hex={each.txHash} label="transaction" />,
          <Hash key="id" hex={each.id} label="id" />,
        ],
      }))}
    />
  );
}

function Roles({ roles }: Pick<ContractsResponse, 'roles'>) {
  if (roles.length === 0) return <Empty title="No role is known." />;
  return (
    <SmallTable
      caption="Which account has which role"
      columns={['Chain', 'Role', 'Account']}
      rows={roles.map(({ side, role, address }) => ({
        key: `${side} ${role} ${address}`,
        cells: [SIDES[side], role, <Hash key="address" hex={address} label="account" isWhole />],
      }))}
    />
  );
}

function History({ history }: Pick<ContractsResponse, 'history'>) {
  if (history.length === 0) return <Empty title="Nothing has changed since the deployment." />;
  return (
    <SmallTable
      caption="Changes of the contracts' parameters"
      columns={['When', 'Event', 'Values', 'Transaction']}
      rows={history.map((each, index) => ({
        key: `${each.txHash} ${each.event} ${index}`,
        cells: [
          each.at === null ? `block ${each.blockNumber}` : <Time key="at" at={each.at} isShort />,
          <span key="event">
            <span className="font-medium">{each.event}</span> <span className="text-muted">{SIDES[each.side]}</span>
          </span>,
          <Arguments key="values" values={each.arguments} />,
          <Hash key="tx" hex={each.txHash} label="transaction" />,
        ],
      }))}
    />
  );
}
