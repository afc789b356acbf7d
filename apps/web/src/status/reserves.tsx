import type { AssetState } from '@causeway/sdk';
import { Card, SmallTable, ToneText, Unknown } from '@causeway/ui/components';
import { groupDigits } from '@causeway/ui/format';
import { useSettings } from '../settings/context.js';
import { STATUS } from '../words/status.js';

const WORDS = STATUS.reserves;

/** The collateral of each asset on Ethereum, beside its supply on the partner chain. */
export function Reserves({ assets }: { readonly assets: readonly AssetState[] }) {
  const { ethereum, partner } = useSettings();
  const columns = [WORDS.asset, WORDS.locked(ethereum.name), WORDS.supply(partner.name), WORDS.float, WORDS.state];
  return (
    <Card title={WORDS.title} isFlush>
      <SmallTable
        caption={WORDS.title}
        columns={columns}
        numbers={columns.slice(1, 4)}
        rows={assets.map((each) => ({
          key: each.asset,
          cells: [
            each.asset,
            <Formatted key="locked" amount={each.lockedFormatted} />,
            <Formatted key="supply" amount={each.supplyFormatted} />,
            // Only the partner chain's own coin is paid from a float; tokens are minted.
            each.floatFormatted === null && each.asset !== 'XCN' ? (
              WORDS.noFloat
            ) : (
              <Formatted key="float" amount={each.floatFormatted} />
            ),
            <Cover key="state" isCovered={each.isCovered} />,
          ],
        }))}
      />
    </Card>
  );
}

function Formatted({ amount }: { readonly amount: string | null }) {
  return amount === null ? <Unknown /> : groupDigits(amount);
}

function Cover({ isCovered }: { readonly isCovered: boolean | null }) {
  if (isCovered === null) return <Unknown />;
  return <ToneText label={isCovered ? { word: WORDS.covered, tone: 'good' } : { word: WORDS.short, tone: 'bad' }} />;
}
