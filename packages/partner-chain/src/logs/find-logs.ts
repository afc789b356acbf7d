import { ChainError } from '../errors/chain-error.js';
import type { ChainReader } from '../storage/chain-reader.js';
import type { PlacedLog } from './log.js';
import { termKey } from './log-terms.js';
import { AnyPostings, placeOfPosition, positionOf, TermPostings, type Postings } from './postings.js';

/** Which logs are asked for (eth_getLogs). */
export interface LogQuery {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Any of these contracts; all when empty. */
  readonly addresses: readonly Uint8Array[];
  /** By position: any of these topics; `null` for whatever. */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** The most bytes of data the logs of one answer have together. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** The most logs one answer holds. */
export const MAX_LOGS = 10_000;

/**
 * The logs that a query asks for, in the chain's order. Each condition is a rising list of places in the index; the lists are skipped through together, so
 * blocks without a match cost nothing.
 *
 * @throws ChainError INVALID_PARAMS for more than 10,000 logs, or more than 16 MiB of them.
 */
export function findLogs(reader: ChainReader, query: LogQuery): PlacedLog[] {
  const conditions = conditionsOf(reader, query);
  const found: PlacedLog[] = [];
  let bytes = 0;
  const matches =
    conditions.length === 0 ? reader.logs(query.fromBlock, query.toBlock) : intersect(reader, conditions, query);
  for (const log of matches) {
    // A pattern with more positions than the log has topics does not match it, though its last positions take anything.
    if (log.topics.length < query.topics.length) continue;
    if (found.length === MAX_LOGS) {
      throw new ChainError('INVALID_PARAMS', `more than ${MAX_LOGS} logs match; ask for a narrower range of blocks`);
    }
    bytes += log.data.length;
    if (bytes > MAX_LOG_BYTES) {
      throw new ChainError(
        'INVALID_PARAMS',
        'the logs that match are longer than 16 MiB together; ask for a narrower range of blocks',
      );
    }
    found.push(log);
  }
  return found;
}

function conditionsOf({ database }: ChainReader, query: LogQuery): Postings[] {
  const end = positionOf(query.toBlock + 1, 0);
  const anyOf = (terms: readonly Buffer[]): Postings =>
    new AnyPostings(terms.map((term) => new TermPostings(database, term, end)));
  const conditions: Postings[] = [];
  if (query.addresses.length > 0) conditions.push(anyOf(query.addresses.map((address) => termKey('address', address))));
  for (const [position, topics] of query.topics.entries()) {
    if (topics !== null) conditions.push(anyOf(topics.map((topic) => termKey(position as 0 | 1 | 2 | 3, topic))));
  }
  return conditions;
}

/** Leaps from the greatest of the lists' places to the next until all of them stand at the same. */
function* intersect(reader: ChainReader, conditions: readonly Postings[], query: LogQuery): Generator<PlacedLog> {
  let position = positionOf(query.fromBlock, 0);
  for (;;) {
    let agreed = position;
    for (const condition of conditions) {
      const next = condition.seek(agreed);
      if (next === null) return;
      agreed = next;
    }
    if (agreed === position || conditions.length === 1) {
      const { blockNumber, logIndex } = placeOfPosition(agreed);
      const log = reader.log(blockNumber, logIndex);
      if (log !== null) yield log;
      position = agreed + 1;
    } else {
      position = agreed;
    }
  }
}
