import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { Hash, Time } from '../components/value.js';
import { shorten } from '../format/amounts.js';
import { fieldWords } from '../format/words.js';

type Entry = AdminOperationResponse['timeline'][number];

const CHAINS = { ethereum: 'Ethereum', partner: 'Partner chain' } as const;

/** The events of an operation, oldest first, with who or what caused each. */
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
            <p className="font-medium">{fieldWords(entry.event)}</p>
            <p className="text-xs text-muted">
              <Time at={entry.at} />
            </p>
          </div>
          <p className="mt-0.5 text-muted wrap-anywhere">
            by {entry.actor.startsWith('0x') ? <span title={entry.actor}>{shorten(entry.actor)}</span> : entry.actor}
            {entry.chain === null ? null : `, on ${CHAINS[entry.chain]}`}
            {entry.cause === null ? null : `: ${entry.cause}`}
          </p>
          {entry.txHash === null ? null : <Hash hex={entry.txHash} label="transaction" />}
        </li>
      ))}
    </ol>
  );
}
