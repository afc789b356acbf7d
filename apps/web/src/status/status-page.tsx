import { getState, type CausewayErrorType, type StateResponse } from '@causeway/sdk';
import { Failure, Loading, Notice, useNow } from '@causeway/ui/components';
import { formatLocal } from '@causeway/ui/format';
import { useQuery } from '@tanstack/react-query';
import { Page } from '../components/page.js';
import { useBridge } from '../settings/context.js';
import { STATUS } from '../words/status.js';
import { Changes } from './changes.js';
import { Directions } from './directions.js';
import { Parts } from './parts.js';
import { CheckReserves, Reserves } from './reserves.js';

/** Milliseconds between reads while the page is shown. */
const INTERVAL_MS = 5_000;

/** Whether the bridge is well: each part now, the reserves, and the announced changes. */
export function StatusPage() {
  const bridge = useBridge();
  const { data, error, dataUpdatedAt, refetch } = useQuery<StateResponse, CausewayErrorType>({
    queryKey: ['state'],
    queryFn: async ({ signal }) => getState({ ...bridge, timeoutMs: INTERVAL_MS }, { signal }),
    refetchInterval: INTERVAL_MS,
  });
  const now = useNow();
  if (data === undefined)
    return (
      <Page title={STATUS.title} isWide>
        {error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  // The device's clock can be wrong, so an age is the API's and the time since its answer.
  const secondsSince = Math.max(0, Math.floor((now - dataUpdatedAt) / 1_000));
  return (
    <Page title={STATUS.title} isWide>
      {error === null ? (
        <Summary state={data} />
      ) : (
        <Notice tone="warn" title={STATUS.old(formatLocal(new Date(dataUpdatedAt)))}>
          {STATUS.oldText}
        </Notice>
      )}
      <Parts state={data} secondsSince={secondsSince} />
      <Directions state={data} />
      <Reserves assets={data.assets} />
      <CheckReserves />
      <Changes announcements={data.announcements} />
    </Page>
  );
}

/** Counts what does not work. */
function Summary({ state: { chains, relayer, directions, assets } }: { readonly state: StateResponse }) {
  const broken = [chains.ethereum, chains.partner, relayer].filter(({ connected }) => !connected).length;
  const short = assets.filter(({ isCovered }) => isCovered === false).length;
  const closed = directions.filter(({ open }) => !open).length;
  if (broken + short + closed === 0) return <Notice tone="good" title={STATUS.well} />;
  return (
    <Notice tone={broken + short > 0 ? 'bad' : 'warn'} title={STATUS.unwell({ broken, short, closed })}>
      {STATUS.unwellText}
    </Notice>
  );
}
