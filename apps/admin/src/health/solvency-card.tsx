import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Amount, Card, Empty, Loaded, Loading, Select, SmallTable } from '@causeway/ui/components';
import { formatLocal } from '@causeway/ui/format';
import { solvencyQuery } from '../api/queries.js';

const SolvencyChart = lazy(() => import('./solvency-chart.js'));

const SPANS = [
  { value: '1', words: 'Last day' },
  { value: '7', words: 'Last 7 days' },
  { value: '30', words: 'Last 30 days' },
];

/** Returns whether the element has been visible. A chart out of sight is not loaded. */
function useSeen() {
  const element = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, isSeen] as const;
}

/** Native XCN over time: minted against withdrawn, as a chart and as a table. */
export function SolvencyCard() {
  const [element, isSeen] = useSeen();
  const [days, setDays] = useState('7');
  // Fixed per chosen span: a moving time would be a new query at every render.
  const since = useMemo(() => new Date(Date.now() - Number(days) * 86_400_000).toISOString(), [days]);
  const query = useQuery({ ...solvencyQuery(since), enabled: isSeen });
  return (
    <Card
      title="Solvency of native XCN over time"
      actions={<Select label="Span" isLabelHidden value={days} choices={SPANS} onChange={setDays} />}
    >
      <div ref={element} className="min-h-64">
        <Loaded query={query} rows={8}>
          {({ points }) =>
            points.length < 2 ? (
              <Empty title="Too few readings in this period for a chart." />
            ) : (
              <>
                <Suspense fallback={<Loading rows={8} />}>
                  <SolvencyChart points={points} />
                </Suspense>
                <details className="mt-3">
                  <summary className="cursor-pointer text-xs text-muted">Show the figures as a table</summary>
                  <div
                    className="mt-2 max-h-72 overflow-auto"
                    tabIndex={0}
                    role="region"
                    aria-label="Figures of the chart"
                  >
                    <SmallTable
                      caption="Minted and withdrawn XCN over time"
                      columns={['Time', 'Minted', 'Withdrawn']}
                      numbers={['Minted', 'Withdrawn']}
                      rows={points.map(({ at, minted, withdrawn }) => ({
                        key: at,
                        cells: [
                          formatLocal(new Date(at)),
                          <Amount key="minted" asset="XCN" atomic={minted} />,
                          <Amount key="withdrawn" asset="XCN" atomic={withdrawn} />,
                        ],
                      }))}
                    />
                  </div>
                </details>
              </>
            )
          }
        </Loaded>
      </div>
    </Card>
  );
}
