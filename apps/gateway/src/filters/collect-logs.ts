import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { BlockLogs } from '../subscriptions/block-logs.js';
import { readLogs } from '../subscriptions/read-logs.js';
import type { LogFilter } from './filter.js';
import type { JournalChange } from './head-journal.js';
import type { JournalBlock } from './journal-block.js';

/** What a poll of a log filter answers. */
export interface CollectedLogs {
  readonly logs: readonly unknown[];
  /** Where the next poll goes on. */
  readonly cursor: number;
}

/** Logs from which on a poll takes no further block; the next poll goes on there. */
const ENOUGH_LOGS = 10_000;
/** Blocks that are asked for at once when their logs are not at hand. */
const WIDEST_RANGE = 128;

/**
 * The logs of a change that a filter wants: those taken back first, with `removed: true`, then the new ones in order. Most are at hand; for older blocks
 * the backend is asked, once a poll.
 *
 * @returns null when it is not known what was taken back.
 * @throws RpcError of the backend, or -32002 while its chain is not the one it told of.
 */
export async function collectLogs(
  filter: LogFilter,
  { removed, added }: JournalChange,
  end: number,
  { backend, blockLogs }: { readonly backend: Backend; readonly blockLogs: BlockLogs },
): Promise<CollectedLogs | null> {
  const logs: unknown[] = [];
  for (const block of removed.filter((each) => isInRange(filter, each))) {
    const known = blockLogs.of(block.hash)?.logs;
    if (known === undefined && block.number > filter.baseline) return null;
    for (const log of known?.toReversed() ?? []) {
      if (filter.matcher.matches(log)) logs.push({ ...log.value, removed: true });
    }
  }
  for (const [index, { block, cursor }] of added.entries()) {
    if (!isInRange(filter, block)) continue;
    const known = blockLogs.of(block.hash)?.logs;
    if (known === undefined) {
      const missing = added.slice(index, index + WIDEST_RANGE).filter((each) => blockLogs.of(each.block.hash) === null);
      const run = missing.filter(
        (each, step) => each.block.number === block.number + step && isInRange(filter, each.block),
      );
      logs.push(
        ...(await askFor(
          filter,
          run.map((each) => each.block),
          backend,
        )),
      );
      return { logs, cursor: run.at(-1)?.cursor ?? cursor };
    }
    for (const log of known) if (filter.matcher.matches(log)) logs.push(log.value);
    if (logs.length >= ENOUGH_LOGS) return { logs, cursor };
  }
  return { logs, cursor: end };
}

async function askFor({ query, ip }: LogFilter, blocks: readonly JournalBlock[], backend: Backend): Promise<unknown[]> {
  const expected = new Set<string>(blocks.map(({ hash }) => hash.toLowerCase()));
  const fromBlock = toHex(blocks[0]?.number ?? 0);
  const toBlock = toHex(blocks.at(-1)?.number ?? 0);
  const logs = await readLogs(await backend.request('eth_getLogs', [{ ...query, fromBlock, toBlock }], ip));
  if (logs.some(({ blockHash }) => !expected.has(blockHash))) {
    throw new RpcError('RESOURCE_UNAVAILABLE', 'the chain is being reorganised; poll again');
  }
  return logs.map(({ value }) => value);
}

function isInRange({ query: { fromBlock, toBlock } }: LogFilter, { number }: JournalBlock): boolean {
  const from = fromBlock?.startsWith('0x') === true ? BigInt(fromBlock) : 0n;
  if (BigInt(number) < from) return false;
  if (toBlock === 'earliest') return number === 0;
  return toBlock?.startsWith('0x') !== true || BigInt(number) <= BigInt(toBlock);
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
