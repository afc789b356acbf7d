import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Card, Empty, Hash, Loaded, PageTabs, SmallTable } from '@causeway/ui/components';
import { nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { contractsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { AnnouncedCalls } from './announced-calls.js';
import { CallButton } from './call-dialog.js';
import { ContractHistory } from './contract-history.js';
import { LimitsTable } from './limits-table.js';

const SIDES = ['ethereum', 'partner'] as const;

/** The current fees and limits of the contracts, the scheduled calls, the roles, and earlier changes. */
export function FeesAndLimitsPage() {
  const query = useQuery(contractsQuery);
  const { part = 'limits' } = useSearch({ from: '/shell/fees-and-limits' });
  const navigate = useNavigate();
  const blocks = query.data?.blocks ?? [];
  return (
    <Page
      title="Fees and limits"
      subtitle={
        blocks.length === 0
          ? 'The current state of the contracts.'
          : `Read at ${blocks.map(({ side, number }) => `${SIDE_WORDS[side]} block ${number}`).join(' and ')}.`
      }
      actions={<CallButton />}
    >
      <Loaded query={query} rows={10}>
        {(contracts) => (
          <PageTabs
            label="Parts of the page"
            chosen={part}
            onChoose={(id) =>
              void navigate({
                to: '/fees-and-limits',
                search: id === 'limits' ? {} : { part: id },
                replace: true,
                resetScroll: false,
              })
            }
            parts={[
              { id: 'limits', title: 'Fees and limits', content: <Limits contracts={contracts} /> },
              { id: 'roles', title: 'Roles', content: <Roles roles={contracts.roles} /> },
              {
                id: 'history',
                title: 'History',
                content: (
                  <>
                    <Completeness blocks={contracts.blocks} />
                    <Card title="History" isFlush>
                      <ContractHistory history={contracts.history} />
                    </Card>
                  </>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Limits({ contracts }: { readonly contracts: ContractsResponse }) {
  return (
    <>
      <Card title="Scheduled in the timelock" isFlush>
        <AnnouncedCalls announced={contracts.announced} roles={contracts.roles} />
      </Card>
      <Completeness blocks={contracts.blocks} />
      {SIDES.map((side) => {
        const assets = contracts.assets.filter((each) => each.side === side);
        return (
          <Card key={side} title={SIDE_WORDS[side]} isFlush>
            {assets.length === 0 ? (
              <Empty title="No asset is listed on this chain." />
            ) : (
              <LimitsTable chain={SIDE_WORDS[side]} assets={assets} />
            )}
          </Card>
        );
      })}
    </>
  );
}

/** Shows how far the relayer has read events: scheduled calls and history may lag behind the other values. */
function Completeness({ blocks }: Pick<ContractsResponse, 'blocks'>) {
  return (
    <p className="-mt-2 text-xs text-muted">
      {blocks
        .map(({ side, eventsThrough }) =>
          eventsThrough === null
            ? `Scheduled calls and history of ${SIDE_WORDS[side]} have not been read yet.`
            : `Scheduled calls and history of ${SIDE_WORDS[side]} are complete up to block ${eventsThrough}.`,
        )
        .join(' ')}
    </p>
  );
}

function Roles({ roles }: Pick<ContractsResponse, 'roles'>) {
  return (
    <Card title="Roles" isFlush>
      {roles.length === 0 ? (
        <Empty title="No roles are known." />
      ) : (
        <SmallTable
          caption="Account of each role"
          columns={['Role', 'Chain', 'Account']}
          rows={roles.map(({ side, role, address }) => ({
            key: `${side} ${role} ${address}`,
            cells: [
              <span key="role" className="font-medium">
                {nameWords(role)}
              </span>,
              SIDE_WORDS[side],
              <Hash key="address" hex={address} label="account" isWhole />,
            ],
          }))}
        />
      )}
    </Card>
  );
}
