import type { BlockRecord } from '@causeway/store';
import type { Hex } from 'viem';
import type { EventRow } from './rows.ts';

/** A rule of the database that a statement would break. `code`: PostgreSQL's SQLSTATE. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError';
  readonly code: '23000' | '23505' | '23514';

  /** @param code 23505: a second row with the same key. 23514: a CHECK. 23000: a trigger refuses the change. */
  constructor(code: ConstraintError['code'], rule: string) {
    super(`${rule} (SQLSTATE ${code})`);
    this.code = code;
  }
}

/** How to undo what the current transaction has written. */
export class UndoLog {
  private undos: (() => void)[] = [];

  record(undo: () => void): void {
    this.undos.push(undo);
  }

  get isEmpty(): boolean {
    return this.undos.length === 0;
  }

  /** The transaction commits. */
  forget(): void {
    if (this.undos.length > 0) this.undos = [];
  }

  /** The transaction fails: every row is again what it was before. */
  undo(): void {
    for (const undo of this.undos.toReversed()) undo();
    this.undos = [];
  }
}

/** Rows by their primary key. A row is never changed: an update replaces it. */
export class Table<K extends string | number | bigint, R extends object> {
  private readonly byKey = new Map<K, R>();
  private readonly name: string;
  private readonly log: UndoLog;

  constructor(name: string, log: UndoLog) {
    this.name = name;
    this.log = log;
  }

  get(key: K): R | undefined {
    return this.byKey.get(key);
  }

  /** All rows, in any order: a query sorts its result. */
  all(): Iterable<R> {
    return this.byKey.values();
  }

  filter(matches: (row: R) => boolean): R[] {
    const found: R[] = [];
    for (const row of this.byKey.values()) if (matches(row)) found.push(row);
    return found;
  }

  find(matches: (row: R) => boolean): R | undefined {
    for (const row of this.byKey.values()) if (matches(row)) return row;
    return undefined;
  }

  /** @throws ConstraintError when the key exists. */
  insert(key: K, row: R): void {
    if (this.byKey.has(key)) throw new ConstraintError('23505', `${this.name} has a row ${key}`);
    this.put(key, row);
  }

  /** Inserts a row, or replaces the one with its key. */
  put(key: K, row: R): void {
    const before = this.byKey.get(key);
    this.byKey.set(key, row);
    this.log.record(() => (before === undefined ? this.byKey.delete(key) : this.byKey.set(key, before)));
  }

  /** Changes columns of a row that exists. */
  update(key: K, change: Partial<R>): void {
    const before = this.byKey.get(key);
    if (before === undefined) throw new Error(`${this.name} has no row ${key}`);
    this.put(key, { ...before, ...change });
  }

  delete(key: K): void {
    const before = this.byKey.get(key);
    if (before === undefined) return;
    this.byKey.delete(key);
    this.log.record(() => this.byKey.set(key, before));
  }

  deleteWhere(matches: (row: R) => boolean): void {
    for (const [key, row] of this.byKey) if (matches(row)) this.delete(key);
  }
}

/** The stored blocks of each chain, in the order of their numbers: every stage asks for the newest one. */
export class BlockTable {
  private readonly byChain = new Map<number, BlockRecord[]>();
  private readonly log: UndoLog;

  constructor(log: UndoLog) {
    this.log = log;
  }

  find(chainId: number, number: bigint): BlockRecord | undefined {
    const blocks = this.of(chainId);
    const block = blocks[positionOf(blocks, number)];
    return block?.number === number ? block : undefined;
  }

  /** The newest block below a height; of all for null. */
  newest(chainId: number, below: bigint | null): BlockRecord | undefined {
    const blocks = this.of(chainId);
    return blocks[(below === null ? blocks.length : positionOf(blocks, below)) - 1];
  }

  /** The newest block up to a height whose time is not later than this. */
  newestUntil(chainId: number, number: bigint, time: Date): BlockRecord | undefined {
    const blocks = this.of(chainId);
    return blocks.slice(0, positionOf(blocks, number + 1n)).findLast(({ timestamp }) => timestamp <= time);
  }

  /** @throws ConstraintError when the chain has a block of this number. */
  insert(chainId: number, block: BlockRecord): void {
    const blocks = this.of(chainId);
    const position = positionOf(blocks, block.number);
    if (blocks[position]?.number === block.number)
      throw new ConstraintError('23505', `chain_block has block ${block.number} of chain ${chainId}`);
    this.splice(blocks, position, 0, [block]);
  }

  deleteAfter(chainId: number, ancestor: bigint): void {
    const blocks = this.of(chainId);
    const position = positionOf(blocks, ancestor + 1n);
    this.splice(blocks, position, blocks.length - position, []);
  }

  /** Deletes blocks from one number up to another, without that one. */
  deleteBetween(chainId: number, from: bigint, to: bigint, matches: (block: BlockRecord) => boolean): void {
    const blocks = this.of(chainId);
    const [first, end] = [positionOf(blocks, from), positionOf(blocks, to)];
    if (first < end)
      this.splice(
        blocks,
        first,
        end - first,
        blocks.slice(first, end).filter((block) => !matches(block)),
      );
  }

  private of(chainId: number): BlockRecord[] {
    let blocks = this.byChain.get(chainId);
    if (blocks === undefined) this.byChain.set(chainId, (blocks = []));
    return blocks;
  }

  private splice(blocks: BlockRecord[], position: number, count: number, added: readonly BlockRecord[]): void {
    const removed = blocks.splice(position, count, ...added);
    this.log.record(() => blocks.splice(position, added.length, ...removed));
  }
}

/** The place of the first block with this number or a higher one. */
function positionOf(blocks: readonly BlockRecord[], number: bigint): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle] as BlockRecord).number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The events of the bridge, also by the operation or refund that they name. */
export class EventTable {
  private readonly events: Table<string, EventRow>;
  private readonly keysOf: Table<Hex, readonly string[]>;

  constructor(log: UndoLog) {
    this.events = new Table('chain_event', log);
    this.keysOf = new Table('events of an operation', log);
  }

  /** The events with this id. */
  of(operationId: string): EventRow[] {
    return (this.keysOf.get(operationId as Hex) ?? []).flatMap((key) => this.events.get(key) ?? []);
  }

  filter(matches: (event: EventRow) => boolean): EventRow[] {
    return this.events.filter(matches);
  }

  /** @throws ConstraintError when the event is stored. */
  insert(event: EventRow): void {
    const key = keyOf(event);
    this.events.insert(key, event);
    this.keysOf.put(event.operationId, [...(this.keysOf.get(event.operationId) ?? []), key]);
  }

  judge(event: EventRow, verdict: EventRow['verdict']): void {
    this.events.update(keyOf(event), { verdict });
  }

  deleteAfter(chainId: number, ancestor: bigint): void {
    for (const event of this.filter((each) => each.chainId === chainId && each.blockNumber > ancestor)) {
      const key = keyOf(event);
      this.events.delete(key);
      this.keysOf.put(
        event.operationId,
        (this.keysOf.get(event.operationId) ?? []).filter((other) => other !== key),
      );
    }
  }
}

function keyOf({ chainId, txHash, logIndex }: EventRow): string {
  return `${chainId} ${txHash} ${logIndex}`;
}
