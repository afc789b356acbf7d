import { useMemo, useState } from 'react';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Badge, Button, Countdown, Empty, Hash, SmallTable, useNow } from '@causeway/ui/components';
import { nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { usePageActions } from '../components/page-actions.js';
import { useMay } from '../session/session.js';
import { Arguments } from './decoded-transaction.js';
import { ExecuteDialog } from './execute-dialog.js';

type Announced = ContractsResponse['announced'][number];

/** The calls that wait in the timelock of a chain, each with its execution once it is ready. */
export function AnnouncedCalls({ announced, roles }: Pick<ContractsResponse, 'announced' | 'roles'>) {
  const isAllowed = useMay('operator');
  // An executed call leaves the list, and its dialog stays and shows how it ended.
  const [opened, setOpened] = useState<Announced | null>(null);
  const execute = announced.find(({ id }) => id === opened?.id)?.execute ?? opened?.execute ?? null;
  usePageActions(
    useMemo(
      () =>
        announced
          .filter((each) => isAllowed && each.isReady && each.execute !== null)
          .map((each) => ({ title: `Execute: ${nameWords(each.functionName)}`, run: () => setOpened(each) })),
      [announced, isAllowed],
    ),
  );
  return (
    <>
      {announced.length === 0 ? (
        <Empty title="Nothing waits in the timelock." />
      ) : (
        <SmallTable
          caption="Calls that wait in the timelock"
          columns={['Call', 'Arguments', 'Ready', 'Announced in', 'Id', ...(isAllowed ? ['Action'] : [])]}
          rows={announced.map((each) => ({
            key: each.id,
            cells: [
              <span key="call" className="inline-flex flex-col">
                <span className="font-medium">{nameWords(each.functionName)}</span>
                <span className="text-xs text-muted">
                  {each.contract} on {SIDE_WORDS[each.side]}
                </span>
              </span>,
              <Arguments key="arguments" values={each.arguments} />,
              <Ready key="ready" call={each} />,
              <Hash key="tx" hex={each.txHash} label="transaction" />,
              <Hash key="id" hex={each.id} label="id" />,
              ...(isAllowed ? [<Execute key="execute" call={each} onPress={() => setOpened(each)} />] : []),
            ],
          }))}
        />
      )}
      {execute === null ? null : <ExecuteDialog transaction={execute} roles={roles} onClose={() => setOpened(null)} />}
    </>
  );
}

/** Whether a call can be executed. Its chain decides: the clock of the reader only counts down. */
function Ready({ call: { isReady, readyAt } }: { readonly call: Announced }) {
  const now = useNow();
  const until = Date.parse(readyAt);
  if (isReady) return <Badge label={{ word: 'Ready to execute', tone: 'good' }} />;
  if (until <= now) return <span className="text-muted">waits for its chain, or for the call before it</span>;
  return (
    <span>
      in <Countdown until={until} />
    </span>
  );
}

function Execute({ call, onPress }: { readonly call: Announced; readonly onPress: () => void }) {
  if (call.execute === null) return <span className="text-muted">part of a batch: its account executes it</span>;
  return (
    <Button isSmall look="primary" isDisabled={!call.isReady} onPress={onPress}>
      Execute
    </Button>
  );
}
