import type { Fence } from '@causeway/store';
import type pg from 'pg';
import { withRealTimers } from '../environment/virtual-timers.ts';
import type {
  AuditBook,
  CallBook,
  CursorBook,
  DifferenceBook,
  DustBook,
  OperationBook,
  RefundBook,
  TransferBook,
} from './books.ts';
import type { Announced, Announcements } from './listen.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** Rows that the invariants compare after each event that wrote. */
const OFTEN = `
  SELECT xmin::text AS version, id, kind, status, hold_until AS "holdUntil", origin_block_hash AS "originBlockHash",
    delayed_reason AS "delayedReason" FROM operation ORDER BY id;
  SELECT c.id, c.chain_id AS "chainId", c.value, c.nonce, c.purpose, c.state,
    c.refund_id AS "refundId", array_agg(s.tx_hash ORDER BY s.tx_hash) AS hashes
  FROM wallet_call c JOIN signed_transaction s ON s.call_id = c.id GROUP BY c.id ORDER BY c.id;
  SELECT name, token FROM lease`;
/** Rows that the invariants compare at the end. */
const SELDOM = `
  SELECT chain_id AS "chainId", next_block AS "nextBlock", halted_reason AS "haltedReason",
    deliveries_halted_reason AS "deliveriesHaltedReason" FROM chain_cursor ORDER BY chain_id;
  SELECT chain_id AS "chainId", tx_hash AS "txHash", asset, call_index AS "callIndex", payer, amount
  FROM inbound_transfer ORDER BY 1, 2, 3, 4;
  SELECT chain_id AS "chainId", asset, amount FROM dust ORDER BY 1, 2, 3;
  SELECT id, chain_id AS "chainId", asset, payer, amount, status, recipient, paid_amount AS "paidAmount",
    gas_fee AS "gasFee", dust FROM refund ORDER BY id;
  SELECT chain_id AS "chainId", block_number AS "blockNumber", balance FROM wallet_audit ORDER BY 1, 2;
  SELECT chain_id AS "chainId", block_number AS "blockNumber", amount, explanation
  FROM balance_difference ORDER BY 1, 2`;
/** The id of the next transaction that writes, here or in another database of the server. */
const NEXT_WRITE = { name: 'next_write', text: 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid' };

/**
 * The rows of a schedule in PostgreSQL, written by the store's own code. Its calls run one at a time, each as one
 * event. The invariants read the rows as of the last `readChanges`.
 */
export class SimulatedDatabase implements Announcements {
  /** An unchanged operation stays the same object. */
  operations: readonly OperationBook[] = [];
  calls: readonly CallBook[] = [];
  cursors: readonly CursorBook[] = [];
  transfers: readonly TransferBook[] = [];
  dust: readonly DustBook[] = [];
  refunds: readonly RefundBook[] = [];
  audits: readonly AuditBook[] = [];
  differences: readonly DifferenceBook[] = [];
  /** The methods that wrote for a process without the lease. */
  readonly staleWrites: string[] = [];
  readonly listeners = new Set<(wakeUp: Announced) => void>();
  readonly server: SimulatedServer;
  private readonly now: () => number;
  /** The last call with a fence since the last `readChanges`. */
  private fenced: { readonly label: string; readonly fence: Fence; readonly firstWrite: string } | null = null;

  /** @param now epoch milliseconds. */
  constructor(server: SimulatedServer, now: () => number) {
    this.server = server;
    this.now = now;
    server.onAnnounced = (wakeUp) => {
      for (const listener of this.listeners) listener(wakeUp);
    };
  }

  /** Runs a call of the store at the current simulated time. */
  async call<T>(label: string, parameters: readonly unknown[], work: () => Promise<T>): Promise<T> {
    const [fence] = parameters;
    return this.outside(async () => {
      if (isFence(fence)) this.fenced = { label, fence, firstWrite: await this.nextWrite() };
      return work();
    });
  }

  /** Reads the rows that the invariants compare after each event, if a call with a fence has written. */
  async readChanges(): Promise<void> {
    const { fenced } = this;
    if (fenced === null) return;
    this.fenced = null;
    await this.outside(async () => {
      const { label, fence, firstWrite } = fenced;
      if ((await this.nextWrite()) === firstWrite) return;
      const leases = await this.readOften();
      const isHeld = leases.some(({ name, token }) => name === fence.name && token === fence.token);
      if (!isHeld && (await this.server.isWrittenSince(firstWrite))) this.staleWrites.push(label);
    });
  }

  /** Reads all rows. */
  async readAll(): Promise<void> {
    await this.readChanges();
    const [cursors, transfers, dust, refunds, audits, differences] = await this.outside(async () => {
      await this.readOften();
      return this.read(SELDOM);
    });
    this.cursors = cursors as CursorBook[];
    this.transfers = transfers as TransferBook[];
    this.dust = dust as DustBook[];
    this.refunds = (refunds as RefundRow[]).map(withPayment);
    this.audits = audits as AuditBook[];
    this.differences = differences as DifferenceBook[];
  }

  private async readOften(): Promise<readonly LeaseRow[]> {
    const [operations, calls, leases] = await this.read(OFTEN);
    const known = new Map(this.operations.map((row) => [row.id, row as VersionedOperation]));
    this.operations = (operations as VersionedOperation[]).map((row) => {
      const before = known.get(row.id);
      return before?.version === row.version ? before : row;
    });
    this.calls = calls as CallBook[];
    return leases as LeaseRow[];
  }

  private async nextWrite(): Promise<string> {
    const { rows } = await this.server.control.query<{ xid: string }>(NEXT_WRITE);
    return rows[0]?.xid ?? '';
  }

  /** The driver needs real timers; SQL uses the kernel's time. */
  private async outside<T>(work: () => Promise<T>): Promise<T> {
    this.server.setClock(this.now());
    return withRealTimers(work);
  }

  private async read(sql: string): Promise<unknown[][]> {
    const answers = (await this.server.control.query(sql)) as unknown as pg.QueryResult<object>[];
    return answers.map(({ rows }) => rows);
  }
}

interface LeaseRow {
  readonly name: string;
  readonly token: bigint;
}
type VersionedOperation = OperationBook & { readonly version: string };
type RefundRow = Omit<RefundBook, 'payment'> & {
  readonly [K in keyof NonNullable<RefundBook['payment']>]: NonNullable<RefundBook['payment']>[K] | null;
};

function isFence(value: unknown): value is Fence {
  return typeof value === 'object' && value !== null && 'token' in value && 'name' in value;
}

function withPayment({ recipient, paidAmount, gasFee, dust, ...refund }: RefundRow): RefundBook {
  const isPaid = paidAmount !== null && gasFee !== null && dust !== null && recipient !== null;
  return { ...refund, payment: isPaid ? { recipient, paidAmount, gasFee, dust } : null };
}
