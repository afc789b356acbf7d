import type { BridgeOperationResponse } from '@causeway/sdk';
import { Badge, Button, Card, Empty, Loaded, Time } from '@causeway/ui/components';
import { groupDigits, STATUS_LABELS } from '@causeway/ui/format';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSettings } from '../settings/context.js';
import { FIND } from '../words/find.js';
import { getSide } from './kinds.js';

/** Transfers, newest first, each a link to its page, with a button for more. */
export function TransferList({
  title,
  query,
  none,
  actions,
}: {
  readonly title: string;
  readonly query: UseInfiniteQueryResult<readonly BridgeOperationResponse[]>;
  readonly none: string;
  readonly actions?: ReactNode;
}) {
  return (
    <Card title={title} actions={actions} isFlush>
      <Loaded query={query}>
        {(operations) =>
          operations.length === 0 && !query.hasNextPage ? (
            <Empty title={none} />
          ) : (
            <ul aria-label={title} className="divide-y divide-line">
              {operations.map((operation) => (
                <Row key={operation.id} operation={operation} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {query.hasNextPage ? (
        <div className="flex justify-center border-t border-line p-3">
          <Button onPress={() => void (query.isFetchingNextPage || query.fetchNextPage())}>{FIND.more}</Button>
        </div>
      ) : null}
    </Card>
  );
}

function Row({ operation }: { readonly operation: BridgeOperationResponse }) {
  const settings = useSettings();
  const { id, asset, amountFormatted, status, originChainId, destinationChainId, createdAt } = operation;
  const name = (chainId: number) => settings[getSide(settings, chainId)].name;
  return (
    <li>
      <Link
        to="/transfer/$id"
        params={{ id }}
        className="grid grid-cols-2 items-center gap-x-4 gap-y-1 px-4 py-3 -outline-offset-2 hover:bg-sunken sm:grid-cols-[1fr_1fr_auto_5rem]"
      >
        <span className="min-w-0 font-medium wrap-anywhere tabular-nums">
          {groupDigits(amountFormatted)} {asset}
        </span>
        <span className="text-muted max-sm:order-last">
          {name(originChainId)} → {name(destinationChainId)}
        </span>
        <span className="justify-self-end sm:justify-self-start">
          <Badge label={STATUS_LABELS[status]} />
        </span>
        <span className="justify-self-end text-xs text-muted max-sm:order-last">
          <Time at={createdAt} isShort />
        </span>
      </Link>
    </li>
  );
}
