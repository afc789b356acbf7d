import { getReserves, type AssetState } from '@causeway/sdk';
import { Button, Card, SmallTable, ToneText, Unknown } from '@causeway/ui/components';
import { groupDigits } from '@causeway/ui/format';
import { lazy, Suspense, useState } from 'react';
import { useBridge, useSettings } from '../settings/context.js';
import { STATUS } from '../words/status.js';

const { reserves: WORDS, reservesCheck: CHECK } = STATUS;

/** The verifier is large, so it loads with a click. */
const ReservesCheck = lazy(async () => import('../check/reserves-check.js'));

/** Recomputes the reserves in the browser, through the nodes of the page's host. */
export function CheckReserves() {
  const settings = useSettings();
  const bridge = useBridge();
  const [isOpen, setOpen] = useState(false);
  const { ethereum, partner } = settings;
  return (
    <Card title={CHECK.title}>
      <p className="mb-3 max-w-prose text-muted">
        {CHECK.intro} <a href="/check.html">{CHECK.ownNodes}</a>
      </p>
      {isOpen ? (
        <Suspense fallback={<Button isBusy>{CHECK.running}</Button>}>
          <ReservesCheck
            settings={settings}
            urls={{ ethereum: ethereum.rpcUrls, partner: partner.rpcUrls }}
            readStatements={async () => getReserves(bridge, { limit: 10 })}
            isStarted
          />
        </Suspense>
      ) : (
        <Button onPress={() => setOpen(true)}>{CHECK.startHere}</Button>
      )}
    </Card>
  );
}

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
