import { tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode } from 'react';
import { WideContent } from './card.js';

/** Tables do not sort or filter: the API does both, over all rows and not only over one page. */
const features = tableFeatures({});

/** A column. Numbers are right-aligned, with tabular figures. */
export type Column<Row extends object> = ColumnDef<typeof features, Row> & { readonly isNumber?: boolean };

const NARROW = '(max-width: 767px)';
const ROW_PIXELS = 41;
const CARD_PIXELS = 132;

/** Returns whether the window is as narrow as a phone. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(NARROW);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(NARROW).matches,
  );
}

/** Moves the focus to the link of the next or the previous row. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = (event.target as HTMLElement).closest('[data-index]');
  let sibling = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  if (sibling?.matches('[data-index]') !== true) sibling = null;
  const link = sibling?.querySelector<HTMLElement>('a') ?? sibling?.querySelector<HTMLElement>('button');
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}

/**
 * A page of rows that scrolls with the window; only the visible rows are in the document. On a phone each row is a
 * card. The arrow keys move between rows.
 */
export function DataTable<Row extends object>({
  caption,
  columns,
  rows,
  getKey,
  card,
}: {
  readonly caption: string;
  readonly columns: Column<Row>[];
  readonly rows: readonly Row[];
  readonly getKey: (row: Row) => string;
  readonly card: (row: Row) => ReactNode;
}) {
  const isNarrow = useIsNarrow();
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const table = useTable({ features, columns, data: rows, getRowId: getKey });
  const { rows: models } = table.getRowModel();
  useLayoutEffect(() => {
    const element = frame.current;
    if (element !== null) setTop(element.getBoundingClientRect().top + window.scrollY);
  }, [rows, isNarrow]);
  const virtualizer = useWindowVirtualizer({
    count: models.length,
    estimateSize: () => (isNarrow ? CARD_PIXELS : ROW_PIXELS),
    getItemKey: (index) => models[index]?.id ?? index,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const numbers = new Set(columns.filter(({ isNumber }) => isNumber === true).map(({ id }) => id));
  const alignment = (id: string) => (numbers.has(id) ? 'text-right tabular-nums' : '');
  const before = (items[0]?.start ?? top) - top;
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top);

  if (isNarrow) {
    return (
      <div ref={frame} onKeyDown={onArrow}>
        <ul aria-label={caption} style={{ paddingTop: before, paddingBottom: after }} className="divide-y divide-line">
          {items.map(({ index, key }) => (
            <li key={key} data-index={index} ref={virtualizer.measureElement} className="px-4 py-3">
              {models[index] === undefined ? null : card(models[index].original)}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div ref={frame}>
      <WideContent label={caption}>
        <table className="w-full text-left" aria-rowcount={models.length + 1} onKeyDown={onArrow}>
          <caption className="sr-only">{caption}</caption>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} className="border-b border-line text-xs text-muted">
                {group.headers.map((header) => (
                  <th
                    key={header.id}
                    scope="col"
                    className={`px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${alignment(header.column.id)}`}
                  >
                    <table.FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {before > 0 ? <Spacer height={before} columns={columns.length} /> : null}
            {items.map(({ index, key }) => {
              const row = models[index];
              return row === undefined ? null : (
                <tr
                  key={key}
                  data-index={index}
                  aria-rowindex={index + 2}
                  ref={virtualizer.measureElement}
                  className="border-b border-line last:border-0 hover:bg-sunken"
                >
                  {row.getAllCells().map((cell) => (
                    <td
                      key={cell.id}
                      className={`px-3 py-2 align-top first:pl-4 last:pr-4 ${alignment(cell.column.id)}`}
                    >
                      <table.FlexRender cell={cell} />
                    </td>
                  ))}
                </tr>
              );
            })}
            {after > 0 ? <Spacer height={after} columns={columns.length} /> : null}
          </tbody>
        </table>
      </WideContent>
    </div>
  );
}

/** Takes the place of the rows outside the document. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
