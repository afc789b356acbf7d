import type { Asset } from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Amount, SmallTable, ToneText } from '@causeway/ui/components';

/** The fees and limits of one chain, one row per asset. */
export function LimitsTable({ chain, assets }: { readonly chain: string } & Pick<ContractsResponse, 'assets'>) {
  return (
    <SmallTable
      caption={`Fees and limits on ${chain}`}
      columns={[
        'Asset',
        'Sending',
        'Delivery',
        'Fee',
        'Minimum fee',
        'Minimum per operation',
        'Maximum per operation',
        'Outflow left',
        'Fees to collect',
      ]}
      numbers={[
        'Fee',
        'Minimum fee',
        'Minimum per operation',
        'Maximum per operation',
        'Outflow left',
        'Fees to collect',
      ]}
      rows={assets.map(({ asset, feeBps, ...each }) => ({
        key: asset,
        cells: [
          <span key="asset" className="font-semibold">
            {asset}
          </span>,
          <Switch key="sending" isOpen={each.mayBegin} />,
          <Switch key="delivery" isOpen={each.mayBeDelivered} />,
          feeBps === null ? <None key="fee" words="none" /> : `${feeBps}\u00a0bps`,
          <MaybeAmount key="fee minimum" asset={asset} atomic={each.minimumFee} none="none" />,
          <MaybeAmount key="minimum" asset={asset} atomic={each.minimumAmount} none="none" />,
          <MaybeAmount key="maximum" asset={asset} atomic={each.maximumAmount} none="no limit" />,
          <Outflow key="outflow" asset={asset} room={each.outflowRoom} capacity={each.outflowCapacity} />,
          <MaybeAmount key="collect" asset={asset} atomic={each.collectableFees} none="nothing" />,
        ],
      }))}
    />
  );
}

function None({ words }: { readonly words: string }) {
  return <span className="text-muted">{words}</span>;
}

function Switch({ isOpen }: { readonly isOpen: boolean }) {
  return <ToneText label={isOpen ? { word: 'Open', tone: 'neutral' } : { word: 'Closed', tone: 'warn' }} />;
}

function MaybeAmount({
  asset,
  atomic,
  none,
}: {
  readonly asset: Asset;
  readonly atomic: string | null;
  readonly none: string;
}) {
  return atomic === null ? <None words={none} /> : <Amount asset={asset} atomic={atomic} />;
}

/** The amount that can leave the chain now, and the capacity of the outflow limit. */
function Outflow({
  asset,
  room,
  capacity,
}: {
  readonly asset: Asset;
  readonly room: string | null;
  readonly capacity: string | null;
}) {
  if (capacity === null) return <None words="no limit" />;
  return (
    <span className="inline-flex flex-col items-end">
      <MaybeAmount asset={asset} atomic={room} none="unknown" />
      <span className="text-xs text-muted">
        of <Amount asset={asset} atomic={capacity} />
      </span>
    </span>
  );
}
