import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@causeway/protocol';
import { openStore, type Operation } from '@causeway/store';

const POLL_MS = 500;
const MOST_AT_A_TIME = 200;
/** The longest amount on one side: 20 digits of ETH and its symbol. */
const AMOUNT_WIDTH = 24;

/**
 * Prints a line whenever a transfer changes its status, until the signal aborts.
 *
 * @throws Error when the database does not answer.
 */
export async function printTransfers(
  databaseUrl: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const store = openStore({ databaseUrl, maxConnections: 1, onIdleError: () => undefined });
  const statuses = new Map<string, string>();
  let since = new Date();
  try {
    while (!signal.aborted) {
      for (const operation of await store.operations.findChangedSince(since, MOST_AT_A_TIME)) {
        since = operation.updatedAt;
        const status = describeStatus(operation);
        if (statuses.get(operation.id) === status) continue;
        statuses.set(operation.id, status);
        print(describeTransfer(operation));
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await store.close();
  }
}

/** One line of at most 80 columns: time, id, amount, direction and status. */
function describeTransfer(operation: Operation): string {
  const { updatedAt, id, amount, asset, direction } = operation;
  const time = updatedAt.toTimeString().slice(0, 8);
  const sum = `${formatAmount(asset, amount)} ${asset}`.padStart(AMOUNT_WIDTH);
  const way = direction === 'ETHEREUM_TO_PARTNER' ? 'in ' : 'out';
  return `${time}  ${id.slice(0, 10)}  ${sum}  ${way}  ${describeStatus(operation)}`;
}

function describeStatus({ status, delayedReason }: Operation): string {
  return status === 'DELAYED' && delayedReason !== null ? `${status} ${delayedReason}` : status;
}
