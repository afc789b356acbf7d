import type { AttesterState, ChainState, PartState, StateResponse } from '@causeway/sdk';
import { Card, Facts, ToneText, Unknown } from '@causeway/ui/components';
import { formatDuration, groupDigits } from '@causeway/ui/format';
import { useSettings } from '../settings/context.js';
import { STATUS } from '../words/status.js';

const WORDS = STATUS.parts;

/** The chains with the age of their newest block, the relayer and the attesters. */
export function Parts({ state, secondsSince }: { readonly state: StateResponse; readonly secondsSince: number }) {
  const { ethereum, partner } = useSettings();
  const { chains, relayer, attesters } = state;
  return (
    <Card title={WORDS.title}>
      <Facts
        facts={[
          [ethereum.name, <Chain key="ethereum" chain={chains.ethereum} secondsSince={secondsSince} />],
          [partner.name, <Chain key="partner" chain={chains.partner} secondsSince={secondsSince} />],
          [WORDS.relayer, <Part key="relayer" part={relayer} />],
          [WORDS.attesters(ethereum.name), <Attesters key="attesters" state={attesters?.ethereum ?? null} />],
          [WORDS.attesters(partner.name), <Attesters key="others" state={attesters?.partner ?? null} />],
        ]}
      />
    </Card>
  );
}

function Chain({ chain, secondsSince }: { readonly chain: ChainState; readonly secondsSince: number }) {
  const { newestBlock } = chain;
  return (
    <>
      <Part part={chain} />
      <p className="text-muted tabular-nums">
        {newestBlock === null
          ? WORDS.noBlock
          : WORDS.block(groupDigits(String(newestBlock.number)), formatDuration(newestBlock.ageSeconds + secondsSince))}
      </p>
    </>
  );
}

function Part({ part: { connected, problem } }: { readonly part: PartState }) {
  return (
    <>
      <ToneText label={connected ? { word: WORDS.works, tone: 'good' } : { word: WORDS.broken, tone: 'bad' }} />
      {problem === null ? null : <p>{problem}</p>}
    </>
  );
}

function Attesters({ state }: { readonly state: AttesterState | null }) {
  if (state === null) return <Unknown />;
  return state.needed === 0 ? WORDS.noQuorum : WORDS.quorum(state.needed, state.members);
}
