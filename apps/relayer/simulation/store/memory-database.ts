import type { RequestTerms } from '@causeway/protocol/admin';
import {
  FenceLostError,
  type AdminRequest,
  type BalanceDifference,
  type Fence,
  type FinalBlocks,
  type Refund,
  type WalletState,
  type XcnTotals,
} from '@causeway/store';
import type {
  CallRow,
  CursorRow,
  DustRow,
  IntentRow,
  OperationRow,
  RetirementRow,
  SweepRow,
  TransferRow,
} from './rows.ts';
import type { Announced } from '../database/listen.ts';
import { BlockTable, EventTable, Table, UndoLog } from './table.ts';

/** The row of a lease. Times in epoch milliseconds. */
interface LeaseRow {
  readonly holder: string;
  readonly token: bigint;
  readonly expiresAtMs: number;
}

/** A row of `balance_difference`. */
interface DifferenceRow extends BalanceDifference {
  readonly explanation: string | null;
}

/**
 * The rows of a simulated PostgreSQL, and its clock. They outlive every process. A transaction is a synchronous
 * function, so none sees another one unfinished, and no lock is needed.
 */
export class MemoryDatabase {
  /** Epoch milliseconds. */
  readonly now: () => number;
  private readonly log = new UndoLog();
  readonly leases = new Table<string, LeaseRow>('lease', this.log);
  readonly cursors = new Table<number, CursorRow>('chain_cursor', this.log);
  readonly blocks = new BlockTable(this.log);
  readonly events = new EventTable(this.log);
  /** By `keyOfTransfer`. */
  readonly transfers = new Table<string, TransferRow>('inbound_transfer', this.log);
  readonly dust = new Table<string, DustRow>('dust', this.log);
  readonly operations = new Table<string, OperationRow>('operation', this.log);
  readonly intents = new Table<string, IntentRow>('intent', this.log);
  readonly calls = new Table<bigint, CallRow>('wallet_call', this.log);
  readonly retirements = new Table<bigint, RetirementRow>('retirement', this.log);
  readonly sweeps = new Table<bigint, SweepRow>('sweep', this.log);
  readonly refunds = new Table<string, Refund>('refund', this.log);
  readonly requests = new Table<string, AdminRequest & { readonly terms: RequestTerms }>('admin_request', this.log);
  /** By chain, wallet and block. */
  readonly audits = new Table<string, WalletState & { readonly chainId: number; readonly wallet: string }>(
    'wallet_audit',
    this.log,
  );
  readonly differences = new Table<string, DifferenceRow>('balance_difference', this.log);
  /** By partner block. */
  readonly xcnTotals = new Table<bigint, FinalBlocks & XcnTotals & { readonly at: Date }>('xcn_total', this.log);
  /** The connections that listen. */
  readonly listeners = new Set<(wakeUp: Announced) => void>();
  private readonly announced = new Set<Announced>();
  /** The methods that wrote for a process that has lost the lease. */
  readonly staleWrites: string[] = [];
  private lastId = 0n;

  /** @param now epoch milliseconds. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** Commits what `work` writes, and announces it; when it throws, nothing of it is left. */
  transaction<T>(work: () => T): T {
    try {
      const result = work();
      this.log.forget();
      if (this.announced.size > 0) this.announce();
      return result;
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /** Undoes what the present transaction has written so far. */
  undo(): void {
    this.log.undo();
    this.announced.clear();
  }

  private announce(): void {
    const announced = [...this.announced];
    this.announced.clear();
    for (const wakeUp of announced) for (const listener of this.listeners) listener(wakeUp);
  }

  /** Wakes the relayers when the present transaction commits. Equal ones arrive once. */
  wake(wakeUp: Announced): void {
    this.announced.add(wakeUp);
  }

  date(): Date {
    return new Date(this.now());
  }

  /** A number that no row has yet. One of a transaction that fails is not used again. */
  nextId(): bigint {
    this.lastId += 1n;
    return this.lastId;
  }

  /**
   * Every write of the pipeline begins with it. An expired lease that nobody took over still allows them.
   *
   * @throws FenceLostError when another process took the lease over.
   */
  assertFence(fence: Fence): void {
    if (this.leases.get(fence.name)?.token !== fence.token) throw new FenceLostError(fence);
  }

  /** Remembers a write with a fence that is not the newest: `assertFence` should have refused it. */
  noteWriter(label: string, fence: unknown): void {
    if (this.log.isEmpty || typeof fence !== 'object' || fence === null || !('token' in fence)) return;
    const { name, token } = fence as Fence;
    if (this.leases.get(name)?.token !== token) this.staleWrites.push(label);
  }

  /** Whether a chain is halted, of these or of all. */
  isHalted(...chainIds: readonly number[]): boolean {
    for (const { chainId, haltedAt } of this.cursors.all())
      if (haltedAt !== null && (chainIds.length === 0 || chainIds.includes(chainId))) return true;
    return false;
  }

  /** Whether a chain of an operation is halted. */
  isHaltedFor(operationId: string): boolean {
    const operation = this.operations.get(operationId);
    return operation !== undefined && this.isHalted(operation.originChainId, operation.destinationChainId);
  }

  /** Whether a chain, or the deliveries, are halted: then nothing is signed. */
  isSendingHalted(): boolean {
    for (const { haltedAt, deliveriesHaltedAt } of this.cursors.all())
      if (haltedAt !== null || deliveriesHaltedAt !== null) return true;
    return false;
  }
}

/** What a query sorts by. */
type Column = bigint | number | string | Date | null;

/** The order of two values of a column. Nulls come first. */
export function compare<T extends Column>(a: T, b: T): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return a < b ? -1 : Number(a > b);
}

/** Sorts by columns, the first one first. */
export function sortedBy<R>(found: readonly R[], columns: (row: R) => readonly Column[]): R[] {
  if (found.length < 2) return [...found];
  const keyed = found.map((row) => ({ row, key: columns(row) }));
  keyed.sort((a, b) => {
    for (const [index, column] of a.key.entries()) {
      const order = compare<Column>(column, b.key[index] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}
