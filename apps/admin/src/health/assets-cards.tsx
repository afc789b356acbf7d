import type { Asset } from '@causeway/protocol';
import type { OverviewResponse } from '@causeway/protocol/admin';
import { Amount, Badge, Card, Empty, SmallTable, ToneText, Unknown } from '@causeway/ui/components';
import { formatAmount, formatUnits } from '@causeway/ui/format';

/** Days of float below which a refill is urgent, as in the alert rules. */
const FLOAT_DAYS_LOW = 3;

type AssetRow = OverviewResponse['assets'][number];
type Assets = Pick<OverviewResponse, 'assets'>;

/** The locked, owed and pending amounts of each asset. */
export function AssetsCard({ assets }: Assets) {
  return (
    <Card title="Assets" isFlush>
      <SmallTable
        caption="Locked, supply, surplus, in flight and float of each asset"
        columns={['Asset', 'Locked', 'Supply', 'Surplus', 'In flight', 'Float']}
        numbers={['Locked', 'Supply', 'Surplus', 'In flight', 'Float']}
        rows={assets.map(({ asset, locked, supply, surplus, inFlight, float, floatDaysLeft }) => ({
          key: asset,
          cells: [
            <AssetName key="asset" asset={asset} />,
            <Amount key="locked" asset={asset} atomic={locked} />,
            <Amount key="supply" asset={asset} atomic={supply} />,
            <Surplus key="surplus" asset={asset} surplus={surplus} />,
            <Amount key="flight" asset={asset} atomic={inFlight} />,
            <span key="float" className="inline-flex flex-wrap items-center justify-end gap-2">
              {asset === 'XCN' ? <Amount asset={asset} atomic={float} /> : <span className="text-muted">none</span>}
              <FloatDays days={asset === 'XCN' ? floatDaysLeft : null} />
            </span>,
          ],
        }))}
      />
    </Card>
  );
}

function AssetName({ asset }: { readonly asset: Asset }) {
  return <span className="font-semibold">{asset}</span>;
}

function Surplus({ asset, surplus }: Pick<AssetRow, 'asset' | 'surplus'>) {
  if (surplus === null) return <Unknown />;
  if (BigInt(surplus) >= 0n) return <Amount asset={asset} atomic={surplus} />;
  return <ToneText label={{ word: `${formatAmount(asset, surplus)} ${asset}, short`, tone: 'bad' }} />;
}

function FloatDays({ days }: { readonly days: number | null }) {
  if (days === null) return null;
  const tone = days < FLOAT_DAYS_LOW ? 'warn' : 'good';
  return <Badge label={{ word: `${days < 100 ? days.toFixed(1) : Math.round(days)} days left`, tone }} />;
}

/** The amounts delivered in the last 24 hours, and their fees. */
export function DayCard({ assets }: Assets) {
  return (
    <Card title="Last 24 hours" isFlush>
      {assets.length === 0 ? (
        <Empty title="No assets are listed." />
      ) : (
        <SmallTable
          caption="Amounts delivered and fees in the last 24 hours by asset"
          columns={['Asset', 'Delivered', 'Fees']}
          numbers={['Delivered', 'Fees']}
          rows={assets.map(({ asset, delivered24h, fees24h }) => ({
            key: asset,
            cells: [
              <AssetName key="asset" asset={asset} />,
              <Amount key="delivered" asset={asset} atomic={delivered24h} />,
              <Amount key="fees" asset={asset} atomic={fees24h} />,
            ],
          }))}
        />
      )}
    </Card>
  );
}

/** Locked against supply: a pair of bars per asset, each pair with its own scale. */
export function BackingCard({ assets }: Assets) {
  return (
    <Card title="Locked against supply">
      {assets.length === 0 ? (
        <Empty title="No assets are listed." />
      ) : (
        <ul className="flex flex-col gap-4">
          {assets.map((each) => (
            <Backing key={each.asset} row={each} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Returns the part in thousandths of the whole; null if the whole is 0. */
function ratio(part: bigint, whole: bigint): bigint | null {
  return whole === 0n ? null : (part * 1_000n) / whole;
}

function Backing({ row: { asset, locked, supply } }: { readonly row: AssetRow }) {
  if (locked === null || supply === null) {
    return (
      <li className="flex items-baseline justify-between gap-4">
        <AssetName asset={asset} />
        <Unknown />
      </li>
    );
  }
  const [held, owed] = [BigInt(locked), BigInt(supply)];
  const most = held > owed ? held : owed;
  const backed = ratio(held, owed);
  const words = backed === null ? 'no supply' : `${formatUnits(backed, 1)} % is locked`;
  return (
    <li>
      <p className="mb-1 flex items-baseline justify-between gap-4">
        <AssetName asset={asset} />
        <ToneText label={{ word: words, tone: held < owed ? 'bad' : 'neutral' }} />
      </p>
      <div
        role="img"
        aria-label={`${asset}: ${formatAmount(asset, locked)} locked, ${formatAmount(asset, supply)} supply, ${words}`}
        className="grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 text-xs text-muted"
      >
        <span>Locked</span>
        <Bar share={ratio(held, most)} fill="bg-accent-fill" />
        <span>Supply</span>
        <Bar share={ratio(owed, most)} fill="border-2 border-accent-fill bg-accent-soft" />
      </div>
    </li>
  );
}

function Bar({ share, fill }: { readonly share: bigint | null; readonly fill: string }) {
  return (
    <span className="h-3 overflow-hidden rounded-sm bg-sunken">
      <span className={`block h-full rounded-sm ${fill}`} style={{ width: `${formatUnits(share ?? 0n, 1)}%` }} />
    </span>
  );
}
