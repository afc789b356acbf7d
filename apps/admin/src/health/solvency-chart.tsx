import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { SolvencyResponse } from '@causeway/protocol/admin';
import { groupDigits } from '@causeway/ui/format';

const HEIGHT = 240;
/** The chart keeps 4 of the 18 decimals of XCN. The table is exact. */
const SCALE = 10n ** 14n;
const toChart = (atomic: string) => Number(BigInt(atomic) / SCALE) / 10_000;

/** Reads the theme's colours for the canvas. */
function colours(element: HTMLElement) {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(--color-${name})`;
    return getComputedStyle(probe).color;
  };
  const found = { ink: read('muted'), line: read('line'), minted: read('accent'), withdrawn: read('warn') };
  probe.remove();
  return found;
}

/** A chart of minted and withdrawn XCN. The lines differ by dashes as well as by colour. */
export default function SolvencyChart({ points }: Pick<SolvencyResponse, 'points'>) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const data: uPlot.AlignedData = [
      points.map(({ at }) => Date.parse(at) / 1_000),
      points.map(({ minted }) => toChart(minted)),
      points.map(({ withdrawn }) => toChart(withdrawn)),
    ];
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      const { ink, line, minted, withdrawn } = colours(element);
      const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
      chart = new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          cursor: { drag: { x: false, y: false } },
          axes: [axis, { ...axis, size: 84, values: (_, ticks) => ticks.map((tick) => groupDigits(String(tick))) }],
          series: [
            {},
            { label: 'Minted', stroke: minted, width: 2 },
            { label: 'Withdrawn', stroke: withdrawn, width: 2, dash: [6, 4] },
          ],
        },
        data,
        element,
      );
    };
    draw();
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      chart?.destroy();
    };
  }, [points]);
  return (
    <figure>
      <div ref={host} role="img" aria-label="Line chart of minted and withdrawn XCN; the table below has its figures" />
      <figcaption className="mt-2 flex flex-wrap gap-x-5 text-xs text-muted">
        <span>
          <span aria-hidden className="mr-1.5 inline-block w-5 border-t-2 border-accent align-middle" />
          Minted on the partner chain (solid)
        </span>
        <span>
          <span aria-hidden className="mr-1.5 inline-block w-5 border-t-2 border-dashed border-warn align-middle" />
          Withdrawn to Ethereum (dashed)
        </span>
      </figcaption>
    </figure>
  );
}
