import type { Fence } from '@causeway/store';
import type pg from 'pg';
import { withRealTimers } from '../environment/virtual-timers.ts';
import type {
  AuditBook,
  Books,
  CallBook,
  CursorBook,
  DifferenceBook,
  DustBook,
  OperationBook,
  ReadRows,
  RefundBook,
  TransferBook,
} from './books.ts';
import type { Announced } from './listen.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** Rows that the invariants compare after each event that has written. */
const OFTEN = `
  SELECT xmin::text AS version, id, kind, status, hold_until AS "holdUntil", origin_block_hash AS "originBlockHash",
    delayed_reason AS "delayedReason" FROM operation ORDER BY id;
  SELECT c.xmin::text || ' ' || count(*) AS version, c.id, c.chain_id AS "chainId", c.value, c.nonce, c.state,
    c.refund_id AS "refundId", jsonb_agg(jsonb_build_object('hash', s.tx_hash) ORDER BY s.tx_hash) AS transactions
  FROM wallet_call c JOIN signed_transaction s ON s.call_id = c.id GROUP BY c.id ORDER BY c.id;
  SELECT name, token FROM lease`;
/** Rows that they compare at the end. */
const SELDOM = [
  [
    'cursors',
    `SELECT chain_id AS "chainId", next_block AS "nextBlock", halted_reason AS "haltedReason",
     deliveries_halted_reason AS "deliveriesHaltedReason" FROM chain_cursor ORDER BY chain_id`,
  ],
  [
    'transfers',
    `SELECT chain_id AS "chainId", tx_hash AS "txHash", asset, call_index AS "callIndex", payer, amount
     FROM inbound_transfer ORDER BY 1, 2, 3, 4`,
  ],
  ['dust', 'SELECT chain_id AS "chainId", asset, amount FROM dust ORDER BY 1, 2, 3'],
  [
    'refunds',
    `SELECT id, chain_id AS "chainId", asset, payer, amount, status, recipient, paid_amount AS "paidAmount",
     gas_fee AS "gasFee", dust FROM refund ORDER BY id`,
  ],
  ['audits', `SELECT chain_id AS "chainId", block_number AS "blockNumber", balance FROM wallet_audit ORDER BY 1, 2`],
  [
    'differences',
    `SELECT chain_id AS "chainId", block_number AS "blockNumber", amount, explanation
     FROM balance_difference ORDER BY 1, 2`,
  ],
] as const;
const LAST_WRITE = {
  name: 'last_write',
  text: 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid',
};

/** The rows of a schedule in PostgreSQL, under the store's own code. One call of it runs at a time, as one event. */
export class SqlDatabase implements Books {
  readonly operations = new VersionedTable<OperationBook>();
  readonly calls = new VersionedTable<CallBook>();
  readonly cursors = new ReadTable<CursorBook>();
  readonly transfers = new ReadTable<TransferBook>();
  readonly dust = new ReadTable<DustBook>();
  readonly refunds = new ReadTable<RefundBook>();
  readonly audits = new ReadTable<AuditBook>();
  readonly differences = new ReadTable<DifferenceBook>();
  readonly staleWrites: string[] = [];
  readonly listeners = new Set<(wakeUp: Announced) => void>();
  readonly server: SimulatedServer;
  private readonly now: () => number;
  private lastXid: string | null = null;
  private isAsked = false;
  /** The last call that began with a fence, since the last look. */
  private fenced: { readonly label: string; readonly fence: Fence } | null = null;

  /** @param now epoch milliseconds. */
  constructor(server: SimulatedServer, now: () => number) {
    this.server = server;
    this.now = now;
    server.onAnnounced = (wakeUp) => {
      for (const listener of this.listeners) listener(wakeUp);
    };
  }

  /** Runs a call of the store at the present moment. */
  async call<T>(label: string, parameters: readonly unknown[], work: () => Promise<T>): Promise<T> {
    const [first] = parameters;
    this.isAsked = true;
    if (isFence(first)) this.fenced = { label, fence: first };
    return this.outside(work);
  }

  /** Reads what the invariants compare after each event, if it has changed. */
  async look(): Promise<void> {
    if (!this.isAsked) return;
    this.isAsked = false;
    await this.outside(async () => {
      const { rows } = await this.server.control.query<{ xid: string }>(LAST_WRITE);
      if (rows[0]?.xid === this.lastXid) return;
      this.lastXid = rows[0]?.xid ?? null;
      const [operations, calls, leases] = await this.read(OFTEN);
      this.operations.replace(operations as Versioned<OperationBook>[]);
      this.calls.replace(calls as Versioned<CallBook>[]);
      const { fenced } = this;
      const lease = (leases as { name: string; token: bigint }[]).find(({ name }) => name === fenced?.fence.name);
      if (fenced !== null && lease?.token !== fenced.fence.token) this.staleWrites.push(fenced.label);
    });
    this.fenced = null;
  }

  /** Reads everything. */
  async lookAtAll(): Promise<void> {
    await this.look();
    const tables = await this.outside(async () => this.read(SELDOM.map(([, sql]) => sql).join(';')));
    for (const [index, [name]] of SELDOM.entries()) {
      const rows = tables[index] as unknown[];
      (this[name] as ReadTable<unknown>).rows =
        name === 'refunds' ? rows.map((row) => withPayment(row as RefundRow)) : rows;
    }
  }

  /** The driver has real timers, and SQL the time of the kernel. */
  private async outside<T>(work: () => Promise<T>): Promise<T> {
    this.server.setClock(this.now());
    return withRealTimers(work);
  }

  private async read(sql: string): Promise<unknown[][]> {
    const answers = (await this.server.control.query(sql)) as unknown as pg.QueryResult<object>[];
    return answers.map(({ rows }) => rows);
  }
}

type Versioned<R> = R & { readonly version: string };
type RefundRow = Omit<RefundBook, 'payment'> & {
  readonly [K in keyof NonNullable<RefundBook['payment']>]: NonNullable<RefundBook['payment']>[K] | null;
};

/** The rows of a table as they were read last. */
class ReadTable<R> implements ReadRows<R> {
  rows: readonly R[] = [];

  readonly all = () => this.rows;
  readonly filter = (matches: (row: R) => boolean) => this.rows.filter(matches);
  readonly find = (matches: (row: R) => boolean) => this.rows.find(matches);
}

/** Rows of which each stays the same object as long as PostgreSQL has the same version of it. */
class VersionedTable<R extends { readonly id: unknown }> extends ReadTable<R> {
  private known = new Map<R['id'], Versioned<R>>();

  replace(found: readonly Versioned<R>[]): void {
    const rows = found.map((row) => {
      const before = this.known.get(row.id);
      return before?.version === row.version ? before : row;
    });
    this.known = new Map(rows.map((row) => [row.id, row]));
    this.rows = rows;
  }
}

function isFence(value: unknown): value is Fence {
  return typeof value === 'object' && value !== null && 'token' in value && 'name' in value;
}

function withPayment({ recipient, paidAmount, gasFee, dust, ...refund }: RefundRow): RefundBook {
  const isPaid = paidAmount !== null && gasFee !== null && dust !== null && recipient !== null;
  return { ...refund, payment: isPaid ? { recipient, paidAmount, gasFee, dust } : null };
}
