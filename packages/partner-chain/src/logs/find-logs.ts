import type { ChainDatabase } from '../db/tables.js';
import { PartnerChainError } from '../errors.js';
import type { PlacedLog } from './log.js';
import { AnyPostings, decodePosition, encodePosition, termKey, TermPostings, type PostingList } from './log-index.js';

/** The filter of eth_getLogs. */
export interface LogQuery {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Any of these contracts; all if empty. */
  readonly addresses: readonly Uint8Array[];
  /** By position: any of these topics; `null` matches any topic. */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** Source of logs: the chain reader. */
interface LogSource {
  readonly database: ChainDatabase;
  log(blockNumber: number, logIndex: number): PlacedLog | null;
  logs(fromBlock: number, toBlock: number): Iterable<PlacedLog>;
}

/** Maximum total data of the logs in one answer, in bytes. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

const EMPTY = new Uint8Array(0);
/** Maximum logs in one answer. */
export const MAX_LOGS = 10_000;

/**
 * Finds the logs of a query in chain order. Each condition is a posting list of the log index. The search skips through
 * the lists together, so blocks without a match cost nothing.
 *
 * @throws PartnerChainError TOO_MANY_RESULTS for more than 10,000 logs, or more than 16 MiB of them.
 */
export function findLogs(source: LogSource, query: LogQuery): PlacedLog[] {
  const conditions = buildConditions(source.database, query);
  const found: PlacedLog[] = [];
  let bytes = 0;
  const matches =
    conditions.length === 0 ? source.logs(query.fromBlock, query.toBlock) : intersect(source, conditions, query);
  for (const log of matches) {
    // A pattern with more positions than the log has topics does not match, even if its last positions match anything.
    if (log.topics.length < query.topics.length) continue;
    bytes += log.data.length;
    if (found.length === MAX_LOGS) {
      throw tooManyResults(`query returned more than ${MAX_LOGS} results`, query, log.blockNumber - 1);
    }
    if (bytes > MAX_LOG_BYTES) {
      throw tooManyResults('response size exceeded: the logs have more than 16 MiB', query, log.blockNumber - 1);
    }
    found.push(log);
  }
  return found;
}

/** Returns a function that matches logs of any block. Its time does not depend on the number of terms. */
export function makeLogMatcher({ addresses, topics }: LogQuery): (log: PlacedLog) => boolean {
  const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  const contracts = addresses.length === 0 ? null : new Set(addresses.map(toText));
  const positions = topics.map((anyOf) => (anyOf === null ? null : new Set(anyOf.map(toText))));
  return (log) =>
    (contracts === null || contracts.has(toText(log.address))) &&
    log.topics.length >= positions.length &&
    positions.every((anyOf, position) => anyOf === null || anyOf.has(toText(log.topics[position] ?? EMPTY)));
}

/**
 * Creates the refusal of a query, in wording from which programs parse the block range to try instead. The range has at
 * least two blocks, because Ponder loops forever on a range of one.
 *
 * @param lastBlock last block of a range that would work.
 */
export function tooManyResults(problem: string, { fromBlock }: LogQuery, lastBlock: number): PartnerChainError {
  const range = [fromBlock, Math.max(lastBlock, fromBlock + 1)].map((number) => `0x${number.toString(16)}`);
  return new PartnerChainError('TOO_MANY_RESULTS', `${problem}. Try with this block range [${range.join(', ')}].`);
}

function buildConditions(database: ChainDatabase, query: LogQuery): PostingList[] {
  const end = encodePosition(query.toBlock + 1, 0);
  const matchAny = (terms: readonly Buffer[]): PostingList =>
    new AnyPostings(terms.map((term) => new TermPostings(database, term, end)));
  const conditions: PostingList[] = [];
  if (query.addresses.length > 0)
    conditions.push(matchAny(query.addresses.map((address) => termKey('address', address))));
  for (const [position, topics] of query.topics.entries()) {
    if (topics !== null) conditions.push(matchAny(topics.map((topic) => termKey(position as 0 | 1 | 2 | 3, topic))));
  }
  return conditions;
}

/** Leapfrog join: repeatedly skips all lists to the greatest position of any list until they agree. */
function* intersect(source: LogSource, conditions: readonly PostingList[], query: LogQuery): Generator<PlacedLog> {
  let position = encodePosition(query.fromBlock, 0);
  for (;;) {
    let agreed = position;
    for (const condition of conditions) {
      const next = condition.seek(agreed);
      if (next === null) return;
      agreed = next;
    }
    if (agreed === position || conditions.length === 1) {
      const { blockNumber, logIndex } = decodePosition(agreed);
      const log = source.log(blockNumber, logIndex);
      if (log !== null) yield log;
      position = agreed + 1;
    } else {
      position = agreed;
    }
  }
}
