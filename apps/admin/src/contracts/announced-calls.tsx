import { useMemo, useState } from 'react';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Badge, Button, Countdown, Empty, Hash, SmallTable, useNow } from '@causeway/ui/components';
import { nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { usePageActions } from '../components/page-actions.js';
import { useMay } from '../session/session.js';
import { Arguments } from './decoded-transaction.js';
import { ExecuteDialog } from './execute-dialog.js';

type Announced = ContractsResponse['announced'][number];

/** The pending calls of the timelocks, each with a button that executes it once it is ready. */
export function AnnouncedCalls({ announced, roles }: Pick<ContractsResponse, 'announced' | 'roles'>) {
  const isAllowed = useMay('operator');
  // An executed call leaves the list, but its dialog stays and shows the result.
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
        <Empty title="No calls are pending in the timelock." />
      ) : (
        <SmallTable
          caption="Pending calls in the timelock"
          columns={['Call', 'Arguments', 'Ready', 'Scheduled in', 'Id', ...(isAllowed ? ['Action'] : [])]}
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

/** Shows whether a call can be executed. Its chain decides; the reader's clock only counts down. */
function Ready({ call: { isReady, readyAt } }: { readonly call: Announced }) {
  const now = useNow();
  const until = Date.parse(readyAt);
  if (isReady) return <Badge label={{ word: 'Ready to execute', tone: 'good' }} />;
  if (until <= now) return <span className="text-muted">waiting for its chain, or for an earlier call</span>;
  return (
    <span>
      in <Countdown until={until} />
    </span>
  );
}

function Execute({ call, onPress }: { readonly call: Announced; readonly onPress: () => void }) {
  if (call.execute === null)
    return <span className="text-muted">part of a batch, which the owner executes as a whole</span>;
  return (
    <Button isSmall look="primary" isDisabled={!call.isReady} onPress={onPress}>
      Execute
    </Button>
  );
}
