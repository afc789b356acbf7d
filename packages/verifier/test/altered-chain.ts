import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import type { Address, Hex } from 'viem';
import { createDecoder, type DecodedEvent } from '../src/blocks/events.js';
import type { ExplainedIntent, Ledger, PlacedLog, Side } from '../src/index.js';
import { answer, makeRandom, type Facts } from './generated-chain.js';
import { encodeEvent, type EventArguments } from './generated/event-encoder.js';

/** A log with its chain. */
export type Entry = readonly [side: Side, log: PlacedLog];

interface Transfer {
  readonly sender: Address;
  readonly amount: bigint;
}

const decode = createDecoder(bridgeLockAbi, bridgeMintAbi, adminTimelockAbi, sentinelAbi);

/** The end of a chain, to be altered. `early`: some of its older entries. */
export class AlteredChain {
  readonly entries: Entry[];
  readonly intents: Facts['intents'];
  readonly payers: Facts['payers'];
  readonly refunds: Facts['refunds'];
  private readonly changedIntents = new Map<Hex, ExplainedIntent | null>();
  private readonly changedRefunds = new Map<Hex, Transfer | null>();
  private readonly random: () => number;
  private count = 0;

  constructor(
    tail: readonly Entry[],
    private readonly early: readonly Entry[],
    readonly base: Ledger,
    { intents, payers, refunds }: Facts,
    seed: number,
  ) {
    this.intents = { get: (id) => toChanged(this.changedIntents, intents, id) };
    this.payers = payers;
    this.refunds = { get: (id) => toChanged(this.changedRefunds, refunds, id) };
    this.entries = [...tail];
    this.random = makeRandom(seed);
  }

  /** Applies the entries to a fork of the ledger at their start. */
  check(): Ledger {
    const ledger = this.base.fork();
    for (const [side, log] of this.entries) {
      ledger.apply(side, log);
      answer(ledger, this);
    }
    return ledger;
  }

  findIntent(id: Hex): ExplainedIntent | null {
    return this.intents.get(id) ?? null;
  }

  explainIntent(id: Hex, terms: ExplainedIntent | null): void {
    this.changedIntents.set(id, terms);
  }

  explainRefund(id: Hex, transfer: Transfer | null): void {
    this.changedRefunds.set(id, transfer);
  }

  /** Any place of an event of the first half, so that what follows from it is read too. */
  pick(event: Kind): number {
    const half = this.entries.slice(0, Math.ceil(this.entries.length / 2));
    const places = half.flatMap((entry, place) => (event.is(toEvent(entry), this) ? [place] : []));
    const place = places[Math.floor(this.random() * places.length)];
    if (place === undefined) throw new Error(`the chain has no ${event.name}`);
    return place;
  }

  pickEarly(event: Kind): Entry {
    const entry = this.early.find((one) => event.is(toEvent(one), this));
    if (entry === undefined) throw new Error(`the chain began without ${event.name}`);
    return entry;
  }

  argsAt(place: number): DecodedEvent['args'] {
    return toEvent(this.entries[place] as Entry).args;
  }

  edit(place: number, changes: EventArguments): void {
    const [side, log] = this.entries[place] as Entry;
    const { name, args } = toEvent([side, log]);
    this.entries[place] = [side, { ...log, ...encodeEvent(name, { ...args, ...changes }) }];
  }

  remove(place: number): void {
    this.entries.splice(place, 1);
  }

  /** A copy of an entry, in another transaction, right after a place or at the end. */
  repeat([side, log]: Entry, place = this.entries.length): void {
    this.entries.splice(place + 1, 0, [side, { ...log, transactionHash: this.takeHash() }]);
  }

  /** Adds the events of one transaction. */
  add(side: Side, events: readonly (readonly [Address, string, EventArguments])[], place = 0): void {
    const transactionHash = this.takeHash();
    const blockNumber = this.entries[0]?.[1].blockNumber ?? 0n;
    const logs = events.map(([address, name, args], logIndex): Entry => {
      return [side, { address, ...encodeEvent(name, args), logIndex, blockNumber, transactionHash }];
    });
    this.entries.splice(place, 0, ...logs);
  }

  private takeHash(): Hex {
    this.count += 1;
    return `0xaa${this.count.toString(16).padStart(62, '0')}`;
  }
}

function toChanged<T>(
  changed: ReadonlyMap<Hex, T | null>,
  facts: { get(id: Hex): T | undefined },
  id: Hex,
): T | undefined {
  return changed.has(id) ? (changed.get(id) ?? undefined) : facts.get(id);
}

/** A kind of event. */
export interface Kind {
  readonly name: string;
  readonly is: (event: DecodedEvent, chain: AlteredChain) => boolean;
}

export function toEvent([, log]: Entry): DecodedEvent {
  return decode(log) ?? { name: '', args: {} };
}

export function toKind(
  name: string,
  test: (args: DecodedEvent['args'], chain: AlteredChain) => boolean = () => true,
): Kind {
  return { name, is: (event, chain) => event.name === name && test(event.args, chain) };
}
