import type { DirectionState, StateResponse } from '@causeway/sdk';
import { Card, SmallTable, Time, ToneText, Unknown } from '@causeway/ui/components';
import { groupDigits } from '@causeway/ui/format';
import { useSettings } from '../settings/context.js';
import { STATUS } from '../words/status.js';
import { readDirection } from './direction-state.js';

const WORDS = STATUS.directions;

/** Each asset and direction: open or why not, and what its outflow limit leaves. */
export function Directions({ state }: { readonly state: StateResponse }) {
  const { ethereum, partner } = useSettings();
  const names = {
    ETHEREUM_TO_PARTNER: `${ethereum.name} → ${partner.name}`,
    PARTNER_TO_ETHEREUM: `${partner.name} → ${ethereum.name}`,
  };
  return (
    <Card title={WORDS.title} isFlush>
      <SmallTable
        caption={WORDS.title}
        columns={[WORDS.asset, WORDS.from, WORDS.state, WORDS.left]}
        numbers={[WORDS.left]}
        rows={state.directions.map((each) => ({
          key: `${each.asset} ${each.direction}`,
          cells: [
            each.asset,
            names[each.direction],
            <Openness key="state" state={state} of={each} />,
            <Limit key="left" of={each} />,
          ],
        }))}
      />
    </Card>
  );
}

function Openness({ state, of: { asset, direction } }: { readonly state: StateResponse; readonly of: DirectionState }) {
  const { open, reason, until } = readDirection(state, asset, direction);
  if (open) return <ToneText label={{ word: WORDS.open, tone: 'good' }} />;
  return (
    <>
      <ToneText label={{ word: WORDS.closed, tone: 'warn' }} />
      <span className="block">{reason}</span>
      {until === null ? null : (
        <span className="block">
          {WORDS.until} <Time at={until} />
        </span>
      )}
    </>
  );
}

function Limit({ of: { asset, limit } }: { readonly of: DirectionState }) {
  if (limit === null) return <Unknown />;
  return WORDS.of(groupDigits(limit.remainingFormatted), groupDigits(limit.capacityFormatted), asset);
}
