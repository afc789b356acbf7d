import { useQuery } from '@tanstack/react-query';
import type { ContractsResponse, FieldValues, OverviewResponse } from '@causeway/protocol/admin';
import { Badge, Card, Countdown, Empty, Loaded, SmallTable, Time, ToneText } from '@causeway/ui/components';
import { DIRECTION_WORDS, nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { contractsQuery, overviewQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { RequestButton } from '../requests/request-button.js';
import { CallButton } from './call-dialog.js';

type Target = FieldValues<'target'>['target'];

/** Pauses stop the contracts and are signed by a pauser or the guardian; halts stop the relayer and are requests. */
export function PausesAndHaltsPage() {
  const contracts = useQuery(contractsQuery);
  const overview = useQuery(overviewQuery);
  return (
    <Page
      title="Pauses and halts"
      subtitle="A pause stops the contracts and is signed by a pauser or the guardian. A halt stops the relayer."
      actions={<CallButton command="pause" words="Pause or unpause the contracts" />}
    >
      <Card title="Halts of the relayer" isFlush>
        <Loaded query={overview}>{(data) => <Halts overview={data} />}</Loaded>
      </Card>
      <Card title="Pauses of the contracts" isFlush>
        <Loaded query={contracts}>{({ pauses }) => <PauseTable pauses={pauses} />}</Loaded>
      </Card>
    </Page>
  );
}

function Halts({ overview }: { readonly overview: OverviewResponse }) {
  const rows: readonly (readonly [Target, string, OverviewResponse['deliveriesHalt']])[] = [
    ['deliveries', 'Deliveries to both chains', overview.deliveriesHalt],
    ...overview.chains.map(({ side, halt }) => [side, `Reading ${SIDE_WORDS[side]}`, halt] as const),
  ];
  return (
    <SmallTable
      caption="Halts of the relayer"
      columns={['What', 'State', 'Since', 'Why', 'Action']}
      rows={rows.map(([target, words, halt]) => ({
        key: target,
        cells: [
          <span key="what" className="font-medium">
            {words}
          </span>,
          <ToneText
            key="state"
            label={halt === null ? { word: 'Not halted', tone: 'neutral' } : { word: 'Halted', tone: 'bad' }}
          />,
          halt === null ? (
            <span key="since" className="text-muted">
              not halted
            </span>
          ) : (
            <Time key="since" at={halt.since} isShort />
          ),
          halt === null ? (
            <span key="why" className="text-muted">
              not halted
            </span>
          ) : (
            halt.reason
          ),
          <span key="action" className="inline-flex flex-wrap gap-1.5">
            {halt === null ? (
              <RequestButton terms={{ kind: 'HALT', target }} words="Halt" isSmall />
            ) : (
              <Resume target={target} />
            )}
          </span>,
        ],
      }))}
    />
  );
}

/** Resuming despite a lost final block or an unknown delivery is a separate decision that two members sign. */
function Resume({ target }: { readonly target: Target }) {
  return (
    <>
      <RequestButton terms={{ kind: 'RESUME', target, accept: 'nothing' }} words="Resume" isSmall />
      {target === 'deliveries' ? (
        <RequestButton
          terms={{ kind: 'RESUME', target, accept: 'unknown' }}
          words="Resume, accepting unknown deliveries"
          isSmall
        />
      ) : (
        <RequestButton
          terms={{ kind: 'RESUME', target, accept: 'reorg' }}
          words="Resume, accepting the reorg"
          isSmall
        />
      )}
    </>
  );
}

/** Returns the words for a direction, or the contracts' name for an unknown one. */
function directionWords(direction: string): string {
  return Object.entries(DIRECTION_WORDS).find(([name]) => name === direction)?.[1] ?? direction;
}

function PauseTable({ pauses }: Pick<ContractsResponse, 'pauses'>) {
  if (pauses.length === 0) return <Empty title="No directions are known." />;
  return (
    <SmallTable
      caption="Pauses of the contracts"
      columns={['Chain', 'Direction', 'Stops', 'State', 'Until', 'Pauses so far']}
      numbers={['Pauses so far']}
      rows={pauses.map(({ side, direction, what, isPaused, until, count }) => ({
        key: `${side} ${direction} ${what}`,
        cells: [
          SIDE_WORDS[side],
          directionWords(direction),
          nameWords(what),
          <Badge
            key="state"
            label={isPaused ? { word: 'Paused', tone: 'bad' } : { word: 'Not paused', tone: 'neutral' }}
          />,
          until === null ? (
            <span key="until" className="text-muted">
              {isPaused ? 'until it is unpaused' : 'not paused'}
            </span>
          ) : (
            <span key="until">
              ends in <Countdown until={Date.parse(until)} />
            </span>
          ),
          count,
        ],
      }))}
    />
  );
}
