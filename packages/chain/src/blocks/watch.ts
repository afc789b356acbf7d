import { pad, toEventSelector, type Address, type Hex } from 'viem';
import { bloomBits, bloomMayContain, type BloomBits } from './header.js';

/** The contracts and receivers to watch. Addresses in any case. */
export interface Watch {
  readonly contracts: readonly Address[];
  /** First topics of the events to return, in lower case. Default: all events. */
  readonly topics?: readonly Hex[];
  /** With `topics`: the allowed values of each further topic of these events, in lower case. */
  readonly indexed?: readonly (readonly Hex[])[];
  /** Accounts whose plain transfers of native coin are returned. */
  readonly receivers?: readonly Address[];
  /** ERC-20 transfers to return as well. */
  readonly tokenTransfers?: { readonly tokens: readonly Address[]; readonly to: readonly Address[] };
}

/** The part of a watch that decides about logs. */
type LogMatch = Pick<Watch, 'contracts' | 'topics' | 'indexed' | 'tokenTransfers'>;

/** The fields of a log that a watch matches. */
interface WatchedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
}

/** A filter of `eth_getLogs`, without its blocks. */
interface LogFilter {
  readonly address: Address[];
  readonly topics?: (Hex[] | null)[];
}

/** ERC-20 event with the topics event, sender and receiver. */
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/** Converts addresses to lower case. */
export function lowerCased(addresses: readonly Address[]): ReadonlySet<Address> {
  return new Set(addresses.map((address) => address.toLowerCase() as Address));
}

const matchers = new WeakMap<LogMatch, LogMatcher>();

/** Returns the cached matcher of a watch: its hashes cost as much as the header of a block. */
export function getMatcher(watch: LogMatch): LogMatcher {
  const known = matchers.get(watch);
  if (known !== undefined) return known;
  const matcher = new LogMatcher(watch);
  matchers.set(watch, matcher);
  return matcher;
}

/** Decides which logs a watch returns. */
export class LogMatcher {
  private readonly contracts: ReadonlySet<Hex>;
  private readonly tokens: ReadonlySet<Hex>;
  /** The topics of the receivers of tokens. */
  private readonly receivers: ReadonlySet<Hex>;
  private readonly bits: Readonly<Record<'contracts' | 'tokens' | 'receivers', readonly BloomBits[]>>;

  constructor(private readonly watch: LogMatch) {
    const { tokens, to } = watch.tokenTransfers ?? { tokens: [], to: [] };
    this.contracts = lowerCased(watch.contracts);
    this.tokens = lowerCased(tokens);
    this.receivers = new Set([...lowerCased(to)].map((address) => pad(address)));
    const toBloomBits = (values: ReadonlySet<Hex>) => [...values].map(bloomBits);
    this.bits = {
      contracts: toBloomBits(this.contracts),
      tokens: toBloomBits(this.tokens),
      receivers: toBloomBits(this.receivers),
    };
  }

  /** Returns whether a block with this logs bloom may have matching logs. False is certain. */
  mayHave(bloom: Hex): boolean {
    const mayContainOne = (values: readonly BloomBits[]) => values.some((bits) => bloomMayContain(bloom, bits));
    const { contracts, tokens, receivers } = this.bits;
    return mayContainOne(contracts) || (mayContainOne(receivers) && mayContainOne(tokens));
  }

  /** Returns whether a lower-case log matches. */
  matches({ address, topics: stated }: WatchedLog): boolean {
    const [topic, , to] = stated;
    const { topics, indexed = [] } = this.watch;
    const isOne = (values: readonly Hex[], index: number) => values.includes(stated[index] ?? '0x');
    if (this.contracts.has(address) && (topics === undefined || [topics, ...indexed].every(isOne))) return true;
    return topic === TRANSFER && to !== undefined && this.tokens.has(address) && this.receivers.has(to);
  }

  /** The filters of the requests to nodes. */
  filters(): LogFilter[] {
    const { topics, indexed = [] } = this.watch;
    const events: LogFilter = {
      address: [...this.contracts],
      ...(topics === undefined ? {} : { topics: [topics, ...indexed].map((values) => [...values]) }),
    };
    if (this.tokens.size === 0 || this.receivers.size === 0) return [events];
    return [events, { address: [...this.tokens], topics: [[TRANSFER], null, [...this.receivers]] }];
  }
}
