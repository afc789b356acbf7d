import { setTimeout as sleep } from 'node:timers/promises';
import { FAILURE_REASONS, formatAmount } from '@causeway/protocol';
import { openStore, type LeaseState, type Operation, type Store } from '@causeway/store';

const POLL_MS = 500;
const MOST_AT_A_TIME = 200;
/** The longest amount on one side: 20 digits of ETH and its symbol. */
const AMOUNT_WIDTH = 24;
const WIDTH = 80;
const INDENT = ' '.repeat(10);

/**
 * Prints a line whenever a transfer changes its status or another relayer becomes active, until the signal aborts.
 *
 * @throws Error when the database does not answer.
 */
export async function printTransfers(
  databaseUrl: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const store = openStore({ databaseUrl, maxConnections: 1, onIdleError: () => undefined });
  const feed = new TransferFeed(store, print);
  try {
    while (!signal.aborted) {
      await feed.read();
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await store.close();
  }
}

class TransferFeed {
  private readonly statuses = new Map<string, string>();
  private since = new Date();
  private token = 0n;

  constructor(
    private readonly store: Pick<Store, 'operations' | 'overview'>,
    private readonly print: (line: string) => void,
  ) {}

  async read(): Promise<void> {
    const lease = await this.store.overview.lease('relayer');
    if (lease.isHeld && lease.token !== this.token) {
      this.token = lease.token;
      this.print(describeHolder(lease, new Date()));
    }
    for (const operation of await this.store.operations.findChangedSince(this.since, MOST_AT_A_TIME)) {
      this.since = operation.updatedAt;
      const before = this.statuses.get(operation.id);
      const status = [operation.status, ...describeCause(operation)].join(' ');
      if (before === status) continue;
      this.statuses.set(operation.id, status);
      for (const line of describeTransfer(operation, before === undefined)) this.print(line);
    }
  }
}

/** Names the active relayer: its holder is its name, its process id and a random part. */
export function describeHolder({ holder }: Pick<LeaseState, 'holder'>, at: Date): string {
  const [name = '', pid = ''] = holder?.split(':') ?? [];
  return `${localTime(at)} ${name} (process ${pid}) is active`;
}

/**
 * Describes a transfer in lines of at most 80 columns: time, short id, amount, direction and status, then the cause of
 * a delay or a failure.
 *
 * @param isNew adds the whole id, for copying.
 */
export function describeTransfer(operation: Operation, isNew: boolean): string[] {
  const { updatedAt, id, amount, asset, direction, status } = operation;
  const sum = `${formatAmount(asset, amount)} ${asset}`.padStart(AMOUNT_WIDTH);
  const way = direction === 'ETHEREUM_TO_PARTNER' ? 'in ' : 'out';
  const line = `${localTime(updatedAt)} ${id.slice(0, 10)} ${sum} ${way} ${status}`;
  return [line, ...(isNew ? [`${INDENT}${id}`] : []), ...wrap(describeCause(operation).join(': '))];
}

/** The code of its delay or failure, and the description of a failure. */
function describeCause({ status, delayedReason, failureReason }: Operation): string[] {
  if (status === 'DELAYED' && delayedReason !== null) return [delayedReason];
  return status === 'FAILED' && failureReason !== null ? [failureReason, FAILURE_REASONS[failureReason]] : [];
}

/** Local time with the offset from UTC, such as 20:58:01+01:00. */
function localTime(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const distance = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = distance.map((part) => `${part}`.padStart(2, '0')).join(':');
  return `${at.toTimeString().slice(0, 8)}${minutes < 0 ? '-' : '+'}${zone}`;
}

/** Wraps a text into indented lines. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${INDENT}${word}`);
  }
  return lines;
}
