import type { OverviewResponse } from '@causeway/protocol/admin';
import { ToneText } from '../components/icon.js';
import { Facts } from '../components/page.js';
import { Time, useNow } from '../components/value.js';

/** Which relayer runs the pipeline now, and until when. */
export function LeaseFacts({ lease: { holder, token, expiresAt } }: Pick<OverviewResponse, 'lease'>) {
  const now = useNow();
  const isHeld = holder !== null && expiresAt !== null && Date.parse(expiresAt) > now;
  return (
    <Facts
      facts={[
        [
          'Lease',
          <ToneText key="lease" label={isHeld ? { word: 'Held', tone: 'good' } : { word: 'Not held', tone: 'bad' }} />,
        ],
        ['Holder', holder ?? <span className="text-muted">nobody</span>],
        [
          'Fencing token',
          <span key="token" className="tabular-nums">
            {token}
          </span>,
        ],
        [
          'Ends',
          expiresAt === null ? <span className="text-muted">not held</span> : <Time key="ends" at={expiresAt} />,
        ],
      ]}
    />
  );
}
