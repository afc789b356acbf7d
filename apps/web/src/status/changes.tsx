import type { Announcement } from '@causeway/sdk';
import { Card, SmallTable, Time } from '@causeway/ui/components';
import { useSettings } from '../settings/context.js';
import { STATUS } from '../words/status.js';

const WORDS = STATUS.changes;

/** The changes that the timelocks of the contracts have announced, with the earliest time of each. */
export function Changes({ announcements }: { readonly announcements: readonly Announcement[] | null }) {
  const settings = useSettings();
  return (
    <Card title={WORDS.title} isFlush>
      {announcements === null || announcements.length === 0 ? (
        <p className="p-4 text-muted">{announcements === null ? WORDS.unknown : WORDS.none}</p>
      ) : (
        <SmallTable
          caption={WORDS.title}
          columns={[WORDS.at, WORDS.chain, WORDS.what]}
          rows={announcements.map(({ side, title, what, executableAt }) => ({
            key: `${side} ${title} ${what}`,
            cells: [
              <Time key="at" at={executableAt} />,
              settings[side].name,
              <span key="what" className="wrap-anywhere">
                {title}
                {what === '' ? null : <span className="text-muted">: {what}</span>}
              </span>,
            ],
          }))}
        />
      )}
    </Card>
  );
}
