import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { Hash, Timeline } from '@causeway/ui/components';
import { DELAY_WORDS, nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { Member } from '../session/member.js';

type Entry = AdminOperationResponse['timeline'][number];

/** Converts the reason of a delay to words; returns any other cause unchanged. */
function causeWords(cause: string): string {
  return Object.entries(DELAY_WORDS).find(([reason]) => reason === cause)?.[1] ?? cause;
}

/** The events of an operation in the order of the API, each with its actor and cause, including ended delays. */
export function OperationTimeline({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Timeline
      entries={entries.map((entry, index) => ({
        key: `${entry.at} ${entry.event} ${entry.txHash ?? index}`,
        title: nameWords(entry.event),
        at: entry.at,
        content: (
          <>
            <p className="mt-0.5 text-muted wrap-anywhere">
              by {entry.actor.startsWith('0x') ? <Member address={entry.actor} /> : entry.actor}
              {entry.chain === null ? null : `, on ${SIDE_WORDS[entry.chain]}`}
              {entry.cause === null ? null : `: ${causeWords(entry.cause)}`}
            </p>
            {entry.txHash === null ? null : <Hash hex={entry.txHash} label="transaction" />}
          </>
        ),
      }))}
    />
  );
}
