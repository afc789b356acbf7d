import { useMutation, useQuery } from '@tanstack/react-query';
import type { SessionsResponse } from '@causeway/protocol/admin';
import { Badge, Button, Card, describeError, Empty, Loaded, Notice, SmallTable, Time } from '@causeway/ui/components';
import { endSessions } from '../api/mutations.js';
import { sessionsQuery } from '../api/queries.js';

/** The member's sessions, with buttons to end one or all. */
export function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const end = useMutation(endSessions);
  return (
    <Card
      title="Your sessions"
      isFlush
      actions={
        <Button isSmall look="danger" isBusy={end.isPending} onPress={() => end.mutate(null)}>
          End all
        </Button>
      }
    >
      {end.isError ? (
        <div className="p-4">
          <Notice tone="bad" title="The session could not be ended.">
            {describeError(end.error)}
          </Notice>
        </div>
      ) : null}
      <Loaded query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Empty title="You have no sessions." />
          ) : (
            <SessionTable sessions={sessions} onEnd={(id) => end.mutate(id)} />
          )
        }
      </Loaded>
    </Card>
  );
}

function SessionTable({
  sessions,
  onEnd,
}: Pick<SessionsResponse, 'sessions'> & { readonly onEnd: (id: string) => void }) {
  return (
    <SmallTable
      caption="Your sessions"
      columns={['Browser', 'Address', 'Began', 'Last used', 'Ends', 'Action']}
      rows={sessions.map(({ id, isCurrent, userAgent, clientIp, createdAt, lastUsedAt, expiresAt }) => ({
        key: id,
        cells: [
          <span key="browser" className="flex flex-wrap items-center gap-2">
            {isCurrent ? <Badge label={{ word: 'This session', tone: 'good' }} /> : null}
            <span className="line-clamp-2 max-w-sm wrap-anywhere">{userAgent ?? 'unknown browser'}</span>
          </span>,
          clientIp ?? 'unknown',
          <Time key="began" at={createdAt} isShort />,
          <Time key="used" at={lastUsedAt} isShort />,
          <Time key="ends" at={expiresAt} isShort />,
          <Button key="end" isSmall onPress={() => onEnd(id)}>
            End
          </Button>,
        ],
      }))}
    />
  );
}
