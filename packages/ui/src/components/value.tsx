import { Check, Copy } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Asset } from '@causeway/protocol';
import { formatAmount, shorten } from '../format/amounts.js';
import { formatCountdown, formatLocal, formatRelative, formatUtc } from '../format/times.js';

const clock = { now: Date.now(), listeners: new Set<() => void>(), timer: 0 };

function watchClock(listener: () => void): () => void {
  clock.listeners.add(listener);
  if (clock.listeners.size === 1) {
    clock.now = Date.now();
    clock.timer = window.setInterval(() => {
      clock.now = Date.now();
      for (const each of clock.listeners) each();
    }, 1_000);
  }
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size === 0) window.clearInterval(clock.timer);
  };
}

/** Returns the time in epoch milliseconds; the component renders again every second. */
export function useNow(): number {
  return useSyncExternalStore(watchClock, () => clock.now);
}

/** A time of the API: local time with its zone, and the time since; UTC on hover. */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  const now = useNow();
  const date = new Date(at);
  const relative = formatRelative(date.getTime(), now);
  return (
    <time dateTime={at} title={`${formatLocal(date)}, ${formatUtc(date)}`} className="tabular-nums">
      {isShort ? (
        <span className="whitespace-nowrap">{relative}</span>
      ) : (
        <>
          <span className="whitespace-nowrap">{formatLocal(date)}</span>{' '}
          <span className="whitespace-nowrap text-muted">({relative})</span>
        </>
      )}
    </time>
  );
}

/** The remaining time until a moment. */
export function Countdown({ until }: { readonly until: number }) {
  const now = useNow();
  return (
    <span title={`${formatLocal(new Date(until))}, ${formatUtc(new Date(until))}`} className="tabular-nums">
      {formatCountdown(until, now)}
    </span>
  );
}

/** An exact amount with its asset; atomic units on hover. */
export function Amount({ asset, atomic }: { readonly asset: Asset; readonly atomic: string | null }) {
  if (atomic === null) return <Unknown />;
  return (
    <span title={`${atomic} atomic units`} className="whitespace-nowrap tabular-nums">
      {formatAmount(asset, atomic)} <span className="text-muted">{asset}</span>
    </span>
  );
}

/** A value on which the nodes do not agree. */
export function Unknown() {
  return (
    <span className="text-muted" title="The nodes do not answer or disagree. The page retries.">
      unknown
    </span>
  );
}

/** A button that copies a text and confirms it. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : `Copy ${label}`}
      onClick={() => void copy()}
      className="inline-flex size-5 shrink-0 cursor-pointer items-center justify-center rounded text-muted hover:bg-sunken hover:text-ink"
    >
      {isCopied ? <Check aria-hidden className="size-3.5 text-good" /> : <Copy aria-hidden className="size-3.5" />}
    </button>
  );
}

/** A hash, an id or an address, shortened or whole, with a copy button. */
export function Hash({
  hex,
  label,
  isWhole = false,
  children,
}: {
  readonly hex: string;
  readonly label: string;
  readonly isWhole?: boolean;
  /** A link around the text. */
  readonly children?: ReactNode;
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 font-mono text-[0.8125rem]">
      <span title={hex} className={isWhole ? 'wrap-anywhere' : 'whitespace-nowrap'}>
        {children ?? (isWhole ? hex : shorten(hex))}
      </span>
      <CopyButton text={hex} label={label} />
    </span>
  );
}

/** A hash that may be missing. */
export function MaybeHash({ hex, label }: { readonly hex: string | null; readonly label: string }) {
  return hex === null ? <span className="text-muted">none yet</span> : <Hash hex={hex} label={label} />;
}
