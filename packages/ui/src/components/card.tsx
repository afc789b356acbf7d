import { useEffect, useRef, useState, type ReactNode } from 'react';

/** A titled part of a page. */
export function Card({
  title,
  actions,
  isFlush = false,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  /** The content reaches the edges, for a table or a list. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="min-w-0 rounded-xl border border-line bg-surface shadow-card">
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <h2 className="font-semibold">{title}</h2>
        {actions}
      </div>
      {isFlush ? <WideContent label={title}>{children}</WideContent> : <div className="p-4">{children}</div>}
    </section>
  );
}

/** Content that scrolls sideways if it is too wide, also by keyboard. */
export function WideContent({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = () => setWide(current.scrollWidth > current.clientWidth);
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    if (current.firstElementChild !== null) resized.observe(current.firstElementChild);
    return () => resized.disconnect();
  }, []);
  return (
    <div
      ref={element}
      className="overflow-x-auto"
      {...(isWide ? { tabIndex: 0, role: 'region', 'aria-label': `${label}, scrolls sideways` } : {})}
    >
      {children}
    </div>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-2.5 sm:grid-cols-[fit-content(45%)_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted max-sm:mt-1">{name}</dt>
          <dd className="min-w-0 wrap-anywhere max-sm:-mt-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A small table without paging. On a phone each row is a block with the column names. */
export function SmallTable({
  caption,
  columns,
  numbers = [],
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  /** Numeric columns: right-aligned, with tabular figures. */
  readonly numbers?: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}) {
  const alignment = columns.map((column) => (numbers.includes(column) ? 'sm:text-right tabular-nums' : ''));
  return (
    <table className="w-full text-left">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-sm:sr-only">
        <tr className="border-b border-line text-xs text-muted">
          {columns.map((column, index) => (
            <th key={column} scope="col" className={`px-4 py-2 align-bottom font-medium ${alignment[index]}`}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map(({ key, cells }) => (
          <tr key={key} className="max-sm:block max-sm:py-2">
            {cells.map((cell, index) => (
              <td
                key={columns[index]}
                className={`px-4 py-2.5 align-top max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 ${alignment[index]}`}
              >
                <span aria-hidden className="shrink-0 text-muted sm:hidden">
                  {columns[index]}
                </span>
                <span className="min-w-0 wrap-break-word max-sm:wrap-anywhere max-sm:text-right">{cell}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
