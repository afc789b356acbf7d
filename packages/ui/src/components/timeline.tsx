import type { ReactNode } from 'react';
import { Time } from './value.js';

/** An event or a step of a timeline. */
export interface TimelineEntry {
  readonly key: string;
  readonly title: string;
  /** Null if unknown. */
  readonly at: string | null;
  /** Default: whether its time is known. */
  readonly isDone?: boolean;
  readonly content?: ReactNode;
}

/** Events in order. The newest one is marked. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const newest = entries.findLastIndex(({ at, isDone = at !== null }) => isDone);
  return (
    <ol className="flex flex-col">
      {entries.map(({ key, title, at, content }, index) => (
        <li key={key} className="relative border-l border-line pb-5 pl-5 last:border-transparent last:pb-0">
          <span
            aria-hidden
            className={`absolute top-1 -left-[5px] size-2.5 rounded-full border-2 ${index === newest ? 'border-accent bg-accent' : 'border-edge bg-surface'}`}
          />
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <p className={index > newest ? 'text-muted' : 'font-medium'}>{title}</p>
            {at === null ? null : (
              <p className="text-xs text-muted">
                <Time at={at} />
              </p>
            )}
          </div>
          {content}
        </li>
      ))}
    </ol>
  );
}

/** Confirmations as a bar with its numbers. */
export function Confirmations({ counted, required }: { readonly counted: number; readonly required: number }) {
  const shown = Math.min(counted, required);
  return (
    <div>
      <label htmlFor="confirmations" className="text-xs font-medium text-muted">
        Confirmations:{' '}
        <span className="text-ink tabular-nums">
          {shown} of {required}
        </span>
      </label>
      <progress
        id="confirmations"
        value={shown}
        max={required}
        className="mt-1 block h-2 w-full overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent-fill [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent-fill"
      />
    </div>
  );
}
