import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { Notice, useNow } from '@causeway/ui/components';
import { formatDuration, formatLocal } from '@causeway/ui/format';
import { apiUrl } from '../api/client.js';
import { EventStream } from '../api/event-stream.js';
import { LiveUpdates } from '../api/live-updates.js';

/** Minimum downtime for a warning. After a shorter gap the browser reopens the stream. */
const STALE_AFTER_MS = 10_000;

/** Opens the event stream while a member is signed in. Returns when it went down, in epoch milliseconds, or null. */
export function useLiveUpdates(): number | null {
  const client = useQueryClient();
  const stream = useMemo(() => {
    const updates = new LiveUpdates(client);
    return new EventStream(apiUrl('/events'), {
      onEvent: (name, data) => updates.apply(name, data),
      onGap: () => updates.readAll(),
    });
  }, [client]);
  useEffect(() => {
    stream.start();
    return () => stream.stop();
  }, [stream]);
  return useSyncExternalStore(stream.subscribe, stream.downSince);
}

/** Shows in the header whether the page is live. */
export function LiveMark({ downSince }: { readonly downSince: number | null }) {
  const isLive = downSince === null;
  return (
    <span className="inline-flex items-center gap-1.5 text-xs font-medium text-muted">
      <span
        aria-hidden
        className={`size-2 rounded-full ${isLive ? 'bg-good' : 'border-2 border-warn bg-transparent'}`}
      />
      {isLive ? 'Live' : 'Connecting'}
    </span>
  );
}

/** Warns of an outdated page once the stream has been down for more than 10 seconds. */
export function StaleNotice({ downSince }: { readonly downSince: number | null }) {
  const now = useNow();
  if (downSince === null || now - downSince <= STALE_AFTER_MS) return null;
  return (
    <div className="px-4 pt-4 sm:px-6 lg:px-8">
      <Notice
        tone="warn"
        title={`This page may be out of date: no live updates since ${formatLocal(new Date(downSince))}`}
      >
        {formatDuration((now - downSince) / 1_000)} without updates. The console reconnects automatically.
      </Notice>
    </div>
  );
}
