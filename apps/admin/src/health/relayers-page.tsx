import { useQuery } from '@tanstack/react-query';
import type { RelayersResponse } from '@causeway/protocol/admin';
import { Badge, Card, Empty, Facts, Hash, Loaded, SmallTable, Unknown } from '@causeway/ui/components';
import { formatWei, SIDE_WORDS } from '@causeway/ui/format';
import { relayersQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { LeaseFacts } from './lease.js';

/** The relayer that holds the lease, and the wallets that sign. */
export function RelayersPage() {
  const query = useQuery(relayersQuery);
  return (
    <Page
      title="Relayers"
      subtitle="The lease decides which relayer is active; the contracts decide which wallet can deliver."
    >
      <Loaded query={query}>
        {(relayers) => (
          <>
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <Card title="Pipeline">
                <LeaseFacts lease={relayers.lease} />
              </Card>
              <Card title="Standby and attesters">
                <Others relayers={relayers} />
              </Card>
            </div>
            <Card title="Wallets" isFlush>
              <Wallets wallets={relayers.wallets} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Others({ relayers: { standby, attesters } }: { readonly relayers: RelayersResponse }) {
  return (
    <Facts
      facts={[
        ...standby.map(
          ({ side, address }) =>
            [
              `Standby on ${SIDE_WORDS[side]}`,
              address === null ? (
                <span className="text-muted">none</span>
              ) : (
                <Hash key={side} hex={address} label="standby" />
              ),
            ] as const,
        ),
        [
          'Attesters',
          attesters === null ? (
            <Unknown key="attesters" />
          ) : (
            <div key="attesters" className="flex flex-col gap-1">
              <span>
                {attesters.threshold} of {attesters.addresses.length} must sign
              </span>
              {attesters.addresses.map((address) => (
                <Hash key={address} hex={address} label="attester" />
              ))}
            </div>
          ),
        ],
      ]}
    />
  );
}

function Wallets({ wallets }: Pick<RelayersResponse, 'wallets'>) {
  if (wallets.length === 0) return <Empty title="No wallet has signed a transaction." />;
  return (
    <SmallTable
      caption="Wallets of the relayers"
      columns={['Chain', 'Address', 'State', 'Balance', 'Pending calls', 'Last nonce', 'Gas paid in 24 h']}
      numbers={['Balance', 'Pending calls', 'Last nonce', 'Gas paid in 24 h']}
      rows={wallets.map((wallet) => ({
        key: `${wallet.side} ${wallet.address}`,
        cells: [
          SIDE_WORDS[wallet.side],
          <Hash key="address" hex={wallet.address} label="wallet" />,
          <Badge
            key="state"
            label={wallet.isCurrent ? { word: 'Current', tone: 'good' } : { word: 'Not current', tone: 'neutral' }}
          />,
          wallet.balance === null ? (
            <Unknown key="balance" />
          ) : (
            <Coin key="balance" side={wallet.side} wei={wallet.balance} />
          ),
          wallet.pendingCalls,
          wallet.lastNonce ?? 'none',
          <Coin key="gas" side={wallet.side} wei={wallet.gasPaid24h} />,
        ],
      }))}
    />
  );
}

/** An amount of the coin of a chain. */
function Coin({ side, wei }: { readonly side: keyof typeof SIDE_WORDS; readonly wei: string }) {
  return (
    <span title={`${wei} wei`} className="whitespace-nowrap">
      {formatWei(wei, side)}
    </span>
  );
}
