import type { LogQuery } from '../schemas/log-query.js';
import { Bloom } from './bloom.js';
import type { ChainLog } from './chain-log.js';

/** One condition: any of these. */
interface Condition {
  /** Which topic, or the address. */
  readonly at: number | 'address';
  readonly anyOf: ReadonlySet<string>;
  /** Bits in a bloom filter of each; null where there are too many for the test to be cheap. */
  readonly bits: readonly (readonly number[])[] | null;
}

/** Alternatives up to which the bloom filter is asked; hashing more costs more than it saves. */
const MOST_BLOOM_TESTS = 16;

/** Tells which logs are meant by contracts and topics, as eth_getLogs does. */
export class LogMatcher {
  /** Addresses and topics it holds, a measure of its memory. */
  readonly terms: number;
  /** What its first condition asks for, each as `address 0x…` or `<position> 0x…`; none without conditions. A log that matches has one of them. */
  readonly firstTerms: readonly string[];
  readonly #conditions: readonly Condition[];
  readonly #positions: number;

  constructor({ address, topics }: Pick<LogQuery, 'address' | 'topics'>) {
    this.#conditions = [
      ...(address === undefined ? [] : [condition('address', address)]),
      ...(topics ?? []).flatMap((anyOf, at) => (anyOf === null ? [] : [condition(at, anyOf)])),
    ];
    this.#positions = topics?.length ?? 0;
    const [first] = this.#conditions;
    this.firstTerms = first === undefined ? [] : [...first.anyOf].map((term) => `${first.at} ${term}`);
    this.terms = this.#conditions.reduce((sum, { anyOf }) => sum + anyOf.size, 0);
  }

  matches(log: ChainLog): boolean {
    return (
      log.topics.length >= this.#positions &&
      this.#conditions.every(({ at, anyOf }) => anyOf.has(at === 'address' ? log.address : (log.topics[at] ?? '')))
    );
  }

  /** False only if no log of the block can match. */
  mayMatchIn(bloom: Bloom): boolean {
    return (
      !bloom.isEmpty &&
      this.#conditions.every(
        ({ bits }) => bits === null || bits.some((ofTerm) => ofTerm.every((bit) => bloom.has(bit))),
      )
    );
  }
}

function condition(at: number | 'address', terms: readonly string[]): Condition {
  const bits = terms.length > MOST_BLOOM_TESTS ? null : terms.map((term) => Bloom.bitsOf(term));
  return { at, anyOf: new Set(terms), bits };
}
