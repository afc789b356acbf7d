import type { OverviewResponse } from '@causeway/protocol/admin';
import { Facts, Time, ToneText } from '@causeway/ui/components';

/** Which relayer holds the lease, and until when. The database's clock decides, not the reader's. */
export function LeaseFacts({ lease: { holder, token, expiresAt, isHeld } }: Pick<OverviewResponse, 'lease'>) {
  return (
    <Facts
      facts={[
        [
          'Lease',
          <ToneText key="lease" label={isHeld ? { word: 'Held', tone: 'good' } : { word: 'Not held', tone: 'bad' }} />,
        ],
        [isHeld ? 'Holder' : 'Last holder', holder ?? <span className="text-muted">none</span>],
        [
          'Fencing token',
          <span key="token" className="tabular-nums">
            {token}
          </span>,
        ],
        [
          isHeld ? 'Ends unless renewed' : 'Ended',
          expiresAt === null ? <span className="text-muted">not held</span> : <Time key="ends" at={expiresAt} />,
        ],
      ]}
    />
  );
}
