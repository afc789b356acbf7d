import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { Hash, Time } from '@causeway/ui/components';
import { DELAY_WORDS, nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { Member } from '../session/member.js';

type Entry = AdminOperationResponse['timeline'][number];

/** Converts the reason of a delay to words; returns any other cause unchanged. */
function causeWords(cause: string): string {
  return Object.entries(DELAY_WORDS).find(([reason]) => reason === cause)?.[1] ?? cause;
}

/** The events of an operation in the order of the API, each with its actor and cause, including ended delays. */
export function Timeline({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <ol className="flex flex-col">
      {entries.map((entry, index) => (
        <li
          key={`${entry.at} ${entry.event} ${entry.txHash ?? index}`}
          className="relative border-l border-line pb-5 pl-5 last:border-transparent last:pb-0"
        >
          <span
            aria-hidden
            className={`absolute top-1 -left-[5px] size-2.5 rounded-full border-2 ${index === entries.length - 1 ? 'border-accent bg-accent' : 'border-edge bg-surface'}`}
          />
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <p className="font-medium">{nameWords(entry.event)}</p>
            <p className="text-xs text-muted">
              <Time at={entry.at} />
            </p>
          </div>
          <p className="mt-0.5 text-muted wrap-anywhere">
            by {entry.actor.startsWith('0x') ? <Member address={entry.actor} /> : entry.actor}
            {entry.chain === null ? null : `, on ${SIDE_WORDS[entry.chain]}`}
            {entry.cause === null ? null : `: ${causeWords(entry.cause)}`}
          </p>
          {entry.txHash === null ? null : <Hash hex={entry.txHash} label="transaction" />}
        </li>
      ))}
    </ol>
  );
}
