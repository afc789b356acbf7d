import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { LogQuery } from '../schemas/log-filter.js';
import type { BlockLogs } from './block-logs.js';
import type { ChangedBlock, HeadChanges } from './change-log.js';
import type { LogMatcher } from './log-matcher.js';
import { readLogs } from './read-logs.js';

/** The part of a log filter that decides which logs a poll returns. */
interface PolledFilter {
  readonly query: LogQuery;
  readonly matcher: LogMatcher;
  readonly ip: string;
  /** Number of the newest block when the filter was made. */
  readonly baseline: number;
}

interface PolledLogs {
  readonly logs: readonly unknown[];
  /** Where the next poll continues. */
  readonly cursor: number;
}

/** Logs after which a poll takes no further block; the next poll continues there. */
const ENOUGH_LOGS = 10_000;
/** Blocks of one request when their logs are not in memory. */
const MAX_RANGE = 128;

/**
 * The logs of a filter in a change of the chain: the removed ones first, with `removed: true`, then the new ones in
 * order. Most are in memory; for older blocks the backend is asked, once a poll.
 *
 * @returns null if the removed logs are not known.
 * @throws RpcError of the backend, or -32002 while its chain differs from the one it announced.
 */
export async function collectLogs(
  filter: PolledFilter,
  { removed, added }: HeadChanges,
  end: number,
  { backend, blockLogs }: { readonly backend: Backend; readonly blockLogs: BlockLogs },
): Promise<PolledLogs | null> {
  const logs: unknown[] = [];
  for (const block of removed.filter((each) => isInRange(filter.query, each))) {
    const known = blockLogs.of(block.hash)?.logs;
    if (known === undefined && block.number > filter.baseline) return null;
    for (const log of known?.toReversed() ?? []) {
      if (filter.matcher.matches(log)) logs.push({ ...log.value, removed: true });
    }
  }
  for (const [index, { block, cursor }] of added.entries()) {
    if (!isInRange(filter.query, block)) continue;
    const known = blockLogs.of(block.hash)?.logs;
    if (known === undefined) {
      const missing = added.slice(index, index + MAX_RANGE).filter((each) => blockLogs.of(each.block.hash) === null);
      const run = missing.filter(
        (each, step) => each.block.number === block.number + step && isInRange(filter.query, each.block),
      );
      const blocks = run.map((each) => each.block);
      logs.push(...(await requestLogs(filter, blocks, backend)));
      return { logs, cursor: run.at(-1)?.cursor ?? cursor };
    }
    for (const log of known) if (filter.matcher.matches(log)) logs.push(log.value);
    if (logs.length >= ENOUGH_LOGS) return { logs, cursor };
  }
  return { logs, cursor: end };
}

async function requestLogs(
  { query, ip }: PolledFilter,
  blocks: readonly ChangedBlock[],
  backend: Backend,
): Promise<unknown[]> {
  const expected = new Set<string>(blocks.map(({ hash }) => hash.toLowerCase()));
  const fromBlock = toHex(blocks[0]?.number ?? 0);
  const toBlock = toHex(blocks.at(-1)?.number ?? 0);
  const logs = await readLogs(await backend.request('eth_getLogs', [{ ...query, fromBlock, toBlock }], ip));
  if (logs.some(({ blockHash }) => !expected.has(blockHash))) {
    throw new RpcError('RESOURCE_UNAVAILABLE', 'the chain is being reorganised; poll again');
  }
  return logs.map(({ value }) => value);
}

function isInRange({ fromBlock, toBlock }: LogQuery, { number }: ChangedBlock): boolean {
  const from = fromBlock?.startsWith('0x') === true ? BigInt(fromBlock) : 0n;
  if (BigInt(number) < from) return false;
  if (toBlock === 'earliest') return number === 0;
  return toBlock?.startsWith('0x') !== true || BigInt(number) <= BigInt(toBlock);
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
