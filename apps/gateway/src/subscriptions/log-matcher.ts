import type { LogQuery } from '../schemas/log-filter.js';
import { Bloom } from './bloom.js';

/** A log of a block, ready to be matched. Shared: do not modify. */
export interface ChainLog {
  /** In lower case, like the topics. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: number;
  /** As the backend answered it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Characters of JSON. */
  readonly size: number;
}

/** One condition: the address, or the topic at a position, is any of these. */
interface Condition {
  readonly at: number | 'address';
  readonly anyOf: ReadonlySet<string>;
  /** The bits of each in a bloom filter; null where there are too many for a cheap test. */
  readonly bits: readonly (readonly number[])[] | null;
}

/** Alternatives up to which the bloom filter is tested; hashing more of them costs more than it saves. */
const MAX_BLOOM_TESTS = 16;

/** Matches logs by contracts and topics, as eth_getLogs does. */
export class LogMatcher {
  /** The number of addresses and topics, a measure of memory. */
  readonly terms: number;
  /**
   * The alternatives of the first condition, as `address 0x…` or `<position> 0x…`. Every matching log has one of them.
   */
  readonly firstTerms: readonly string[];
  private readonly conditions: readonly Condition[];
  private readonly positions: number;

  constructor({ address, topics }: Pick<LogQuery, 'address' | 'topics'>) {
    this.conditions = [
      ...(address === undefined ? [] : [condition('address', address)]),
      ...(topics ?? []).flatMap((anyOf, at) => (anyOf === null ? [] : [condition(at, anyOf)])),
    ];
    this.positions = topics?.length ?? 0;
    const [first] = this.conditions;
    this.firstTerms = first === undefined ? [] : [...first.anyOf].map((term) => `${first.at} ${term}`);
    this.terms = this.conditions.reduce((sum, { anyOf }) => sum + anyOf.size, 0);
  }

  matches(log: ChainLog): boolean {
    return (
      log.topics.length >= this.positions &&
      this.conditions.every(({ at, anyOf }) => anyOf.has(at === 'address' ? log.address : (log.topics[at] ?? '')))
    );
  }

  /** False only if no log of the block can match. */
  mayMatchIn(bloom: Bloom): boolean {
    return (
      !bloom.isEmpty &&
      this.conditions.every(({ bits }) => bits === null || bits.some((ofTerm) => ofTerm.every((bit) => bloom.has(bit))))
    );
  }
}

function condition(at: number | 'address', terms: readonly string[]): Condition {
  const bits = terms.length > MAX_BLOOM_TESTS ? null : terms.map((term) => Bloom.bitsOf(term));
  return { at, anyOf: new Set(terms), bits };
}

/**
 * An inverted index of matchers by the alternatives of their first condition, so that a log is not compared with all.
 */
export class LogIndex<Owner extends { readonly matcher: LogMatcher | null }> {
  private readonly byTerm = new Map<string, Set<Owner>>();
  private readonly unconditional = new Set<Owner>();

  add(owner: Owner): void {
    const terms = termsOf(owner);
    if (terms.length === 0) this.unconditional.add(owner);
    for (const term of terms) {
      const known = this.byTerm.get(term);
      if (known === undefined) this.byTerm.set(term, new Set([owner]));
      else known.add(owner);
    }
  }

  delete(owner: Owner): void {
    this.unconditional.delete(owner);
    for (const term of termsOf(owner)) {
      const known = this.byTerm.get(term);
      known?.delete(owner);
      if (known?.size === 0) this.byTerm.delete(term);
    }
  }

  /** The owners whose matcher matches the log. */
  matching(log: ChainLog): Owner[] {
    const terms = [`address ${log.address}`, ...log.topics.map((topic, at) => `${at} ${topic}`)];
    const candidates = [this.unconditional, ...terms.map((term) => this.byTerm.get(term) ?? [])];
    return candidates.flatMap((owners) => [...owners].filter(({ matcher }) => matcher?.matches(log) === true));
  }
}

function termsOf({ matcher }: { readonly matcher: LogMatcher | null }): readonly string[] {
  return matcher?.firstTerms ?? [];
}
