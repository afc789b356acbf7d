import { useQuery } from '@tanstack/react-query';
import { Card, Facts, Hash, Loaded, SmallTable } from '@causeway/ui/components';
import { formatDuration, SIDE_WORDS } from '@causeway/ui/format';
import { settingsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { MembersCard } from './members-card.js';
import { SessionsCard } from './sessions-card.js';

/** The members, the reader's sessions, and the settings of the API. */
export function SettingsPage() {
  const query = useQuery(settingsQuery);
  return (
    <Page title="Settings" subtitle="Members, your sessions, and the configuration of this API.">
      <MembersCard />
      <SessionsCard />
      <Loaded query={query}>
        {(settings) => (
          <>
            <Card title="Environment">
              <Facts
                facts={[
                  ['Environment', settings.environment],
                  ['Version', settings.version],
                  ['Security hold', formatDuration(settings.holdSeconds)],
                  ...settings.chains.map(
                    ({ side, chainId, requiredConfirmations, blockSeconds }) =>
                      [
                        SIDE_WORDS[side],
                        `chain ${chainId}, ${requiredConfirmations} confirmations, a block in ${blockSeconds} s`,
                      ] as const,
                  ),
                ]}
              />
            </Card>
            <Card title="Contracts" isFlush>
              <SmallTable
                caption="Addresses of the contracts"
                columns={['Chain', 'Contract', 'Address']}
                rows={settings.contracts.map(({ side, name, address }) => ({
                  key: `${side} ${name}`,
                  cells: [SIDE_WORDS[side], name, <Hash key="address" hex={address} label="address" isWhole />],
                }))}
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
