import { useState } from 'react';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Button, Empty, Hash, SmallTable, Time } from '@causeway/ui/components';
import { nameWords, SIDE_WORDS } from '@causeway/ui/format';
import { Arguments } from './decoded-transaction.js';

/** Changes shown initially. */
const FIRST_SHOWN = 20;

/** The changes to the contracts' parameters, newest first. */
export function ContractHistory({ history }: Pick<ContractsResponse, 'history'>) {
  const [isWhole, setWhole] = useState(false);
  if (history.length === 0) return <Empty title="No changes since the deployment." />;
  const shown = isWhole ? history : history.slice(0, FIRST_SHOWN);
  return (
    <>
      <SmallTable
        caption="Changes to the contracts' parameters"
        columns={['Time', 'Event', 'Chain', 'Values', 'Transaction']}
        rows={shown.map((each, index) => ({
          key: `${each.txHash} ${each.event} ${index}`,
          cells: [
            each.at === null ? `block ${each.blockNumber}` : <Time key="at" at={each.at} isShort />,
            <span key="event" className="font-medium">
              {nameWords(each.event)}
            </span>,
            SIDE_WORDS[each.side],
            <Arguments key="values" values={each.arguments} />,
            <Hash key="tx" hex={each.txHash} label="transaction" />,
          ],
        }))}
      />
      {shown.length === history.length ? null : (
        <div className="border-t border-line p-3">
          <Button isSmall onPress={() => setWhole(true)}>
            Show all {history.length}
          </Button>
        </div>
      )}
    </>
  );
}
