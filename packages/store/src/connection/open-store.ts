import type { AddressBook, Asset } from '@causeway/protocol';
import { Pool, type PoolClient } from 'pg';
import { AdminMemberRepository } from '../admin/member-repository.js';
import { AdminNonceRepository } from '../admin/nonce-repository.js';
import { AdminSessionRepository } from '../admin/session-repository.js';
import { AdminAuditRepository } from '../audit/admin-audit-repository.js';
import { IntentRepository } from '../intents/intent-repository.js';
import { OperationExport } from '../listing/operation-export.js';
import { OperationListing } from '../listing/operation-listing.js';
import { RefundListing } from '../listing/refund-listing.js';
import { LeaseRepository } from '../locks/lease.js';
import { NotificationListener } from '../locks/notification-listener.js';
import { WAKE_UPS, type WakeUp, type WakeUpListener } from '../locks/wake-ups.js';
import { AttestableRepository } from '../operations/attestable-repository.js';
import { ChangeRepository, OPERATION_CHANGES, type ChangeListener } from '../operations/change-repository.js';
import { HistoryRepository } from '../operations/history-repository.js';
import { OperationRepository } from '../operations/operation-repository.js';
import { RelatedRepository } from '../operations/related-repository.js';
import { EventComparison } from '../rebuild/event-comparison.js';
import { RebuildRepository } from '../rebuild/rebuild-repository.js';
import { ReconciliationRepository } from '../rebuild/reconciliation-repository.js';
import { RestoreRepository } from '../rebuild/restore-repository.js';
import { RefundRepository } from '../refunds/refund-repository.js';
import { RequestRepository } from '../requests/request-repository.js';
import { RetentionRepository } from '../watch/retention-repository.js';
import { HaltRepository } from '../scan/halt-repository.js';
import { ReconcileRepository } from '../scan/reconcile-repository.js';
import { ScanRepository } from '../scan/scan-repository.js';
import { CallHistory } from '../transactions/call-history.js';
import { JournalRepository } from '../transactions/journal-repository.js';
import { RetirementRepository } from '../transactions/retirement-repository.js';
import { SweepRepository } from '../transactions/sweep-repository.js';
import { UnjournaledRepository } from '../transactions/unjournaled-repository.js';
import { AuditRepository } from '../watch/audit-repository.js';
import { NotificationRepository } from '../watch/notification-repository.js';
import { OverviewRepository } from '../watch/overview-repository.js';
import { ReservesRepository } from '../watch/reserves-repository.js';
import { QueueRepository } from '../watch/queue-repository.js';
import { VerdictRepository } from '../watch/verdict-repository.js';
import { XcnTotalRepository } from '../watch/xcn-total-repository.js';
import { DatabaseServer } from './database-server.js';
import { claimDeployment, deploymentProblems } from './deployment.js';
import {
  assetProblems,
  databaseProblems,
  IncompatibleDatabaseError,
  primaryProblems,
  readClockDifference,
  readDatabaseState,
  TAKES_WRITES,
} from './inspect-database.js';
import { openPrisma } from './open-prisma.js';
import type { Program } from './program.js';
import { pinSession } from './session.js';

/** The repositories, one for each kind of data. */
export interface Store {
  readonly scan: ScanRepository;
  readonly operations: OperationRepository;
  readonly attestable: AttestableRepository;
  readonly history: HistoryRepository;
  readonly changes: ChangeRepository;
  readonly listing: OperationListing;
  readonly exports: OperationExport;
  readonly refundListing: RefundListing;
  readonly related: RelatedRepository;
  readonly intents: IntentRepository;
  readonly journal: JournalRepository;
  readonly calls: CallHistory;
  readonly unjournaled: UnjournaledRepository;
  readonly retirements: RetirementRepository;
  readonly sweeps: SweepRepository;
  readonly refunds: RefundRepository;
  readonly requests: RequestRepository;
  readonly retention: RetentionRepository;
  readonly halts: HaltRepository;
  readonly reconcile: ReconcileRepository;
  readonly rebuild: RebuildRepository;
  readonly restore: RestoreRepository;
  readonly reconciliations: ReconciliationRepository;
  readonly comparison: EventComparison;
  readonly lease: LeaseRepository;
  /** Listens for writes of other processes on a separate connection. Call `stop` of the listener before `close`. */
  readonly listen: (onWakeUp: (wakeUp: WakeUp) => void, onError: (error: Error) => void) => WakeUpListener;
  /** Listens for changes of operations. `onChange` is also called after every connect. */
  readonly listenToOperations: (onChange: () => void, onError: (error: Error) => void) => ChangeListener;
  readonly verdicts: VerdictRepository;
  readonly xcnTotals: XcnTotalRepository;
  readonly reserves: ReservesRepository;
  readonly audits: AuditRepository;
  readonly queues: QueueRepository;
  readonly overview: OverviewRepository;
  readonly notifications: NotificationRepository;
  readonly adminAudit: AdminAuditRepository;
  readonly adminSessions: AdminSessionRepository;
  readonly adminNonces: AdminNonceRepository;
  readonly adminMembers: AdminMemberRepository;
  /** For monitoring. */
  readonly server: DatabaseServer;
  /** Milliseconds that a trivial query takes; rejects when the database does not answer. */
  readonly ping: () => Promise<number>;
  /**
   * Rejects with an IncompatibleDatabaseError when this program must not use the database. With `assets`, also when the
   * database has rows of any other asset.
   */
  readonly assertCompatible: (assets?: readonly Asset[]) => Promise<void>;
  /**
   * Rejects with an IncompatibleDatabaseError when the database takes no writes, or its clock is far from this
   * machine's. For the start of a service: both conditions can clear later.
   *
   * @param now the clock of this machine, in epoch milliseconds.
   */
  readonly assertPrimary: (now: () => number) => Promise<void>;
  /** The least possible difference between the database's clock and this machine's, in milliseconds. */
  readonly clockDifference: (now: () => number) => Promise<number>;
  /** Rejects with an IncompatibleDatabaseError when the database belongs to another deployment. */
  readonly assertDeployment: (book: AddressBook) => Promise<void>;
  /** Claims an unclaimed database for this deployment, then behaves as `assertDeployment`. For the relayer. */
  readonly claimDeployment: (book: AddressBook) => Promise<void>;
  /** Whether the database takes writes, so is neither a replica nor read-only. Rejects when it does not answer. */
  readonly takesWrites: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Options of the connection. */
interface StoreOptions {
  /** Its parameter `schema` names the schema of the tables; default `public`. */
  readonly databaseUrl: string;
  /** The `search_path` of sessions. Default: the schema of the tables, after pg_catalog. */
  readonly searchPath?: string;
  readonly maxConnections?: number;
  /**
   * The program that connects, shown in pg_stat_activity and by `causeway-admin upgrade --check`. Default: a command.
   */
  readonly program?: Program;
  /** Called for each new connection, except the lease's, before its first query. */
  readonly onConnect?: (connection: PoolClient) => void;
  /** Called when an idle connection breaks. */
  readonly onIdleError: (error: Error) => void;
}

/**
 * Limits of every session, in milliseconds. A process that freezes inside a transaction holds its locks until the
 * server ends the session. So these limits bound how long a passive relayer waits for it: see docs/decisions/lease.md.
 */
const SESSION_LIMITS = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 5_000 };
/** A lease query is short, and is retried soon. */
const LEASE_LIMITS = { ...SESSION_LIMITS, statement_timeout: 2_000, lock_timeout: 1_000 };
const CONNECT_TIMEOUT_MS = 5_000;
/** Above every server-side limit, so only a silent network reaches it. */
const QUERY_TIMEOUT_MS = 12_000;

/** Opens the pool that the ORM and the prepared statements share. */
export function openStore({
  databaseUrl,
  searchPath,
  program,
  maxConnections = 10,
  onConnect,
  onIdleError,
}: StoreOptions): Store {
  const connectionString = pinSession(databaseUrl, { searchPath, program });
  const server = { connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const pool = new Pool({ ...server, query_timeout: QUERY_TIMEOUT_MS, ...SESSION_LIMITS, max: maxConnections });
  // Connects on the first use of the lease.
  const leasePool = new Pool({ ...server, query_timeout: QUERY_TIMEOUT_MS, ...LEASE_LIMITS, max: 1 });
  // Without a listener a broken idle connection would end the process. The pool replaces it automatically.
  for (const opened of [pool, leasePool]) opened.on('error', onIdleError);
  if (onConnect !== undefined) pool.on('connect', onConnect);
  const prisma = openPrisma(pool, databaseUrl);
  const assertDeployment = async (book: AddressBook) => {
    const problems = await deploymentProblems(pool, book);
    if (problems.length > 0) throw new IncompatibleDatabaseError(problems);
  };
  return {
    scan: new ScanRepository(prisma, pool),
    operations: new OperationRepository(prisma, pool),
    attestable: new AttestableRepository(prisma, pool),
    history: new HistoryRepository(pool),
    changes: new ChangeRepository(pool),
    listing: new OperationListing(pool),
    exports: new OperationExport(pool),
    refundListing: new RefundListing(prisma, pool),
    related: new RelatedRepository(pool),
    intents: new IntentRepository(prisma),
    journal: new JournalRepository(prisma),
    calls: new CallHistory(prisma),
    unjournaled: new UnjournaledRepository(prisma, pool),
    retirements: new RetirementRepository(prisma, pool),
    sweeps: new SweepRepository(prisma),
    refunds: new RefundRepository(prisma),
    requests: new RequestRepository(prisma),
    retention: new RetentionRepository(prisma),
    halts: new HaltRepository(prisma, pool),
    reconcile: new ReconcileRepository(pool),
    rebuild: new RebuildRepository(prisma, pool),
    restore: new RestoreRepository(prisma, pool),
    reconciliations: new ReconciliationRepository(prisma),
    comparison: new EventComparison(prisma),
    lease: new LeaseRepository(leasePool),
    listen: (onWakeUp, onError) => new NotificationListener(server, WAKE_UPS, onWakeUp, onError),
    listenToOperations: (onChange, onError) => new NotificationListener(server, OPERATION_CHANGES, onChange, onError),
    verdicts: new VerdictRepository(prisma, pool),
    xcnTotals: new XcnTotalRepository(prisma, pool),
    reserves: new ReservesRepository(prisma),
    audits: new AuditRepository(prisma, pool),
    queues: new QueueRepository(pool),
    overview: new OverviewRepository(pool),
    notifications: new NotificationRepository(prisma, pool),
    adminAudit: new AdminAuditRepository(prisma, pool),
    adminSessions: new AdminSessionRepository(prisma, pool),
    adminNonces: new AdminNonceRepository(pool),
    adminMembers: new AdminMemberRepository(pool),
    server: new DatabaseServer(pool),
    ping: async () => {
      const startedAt = performance.now();
      await pool.query('SELECT 1');
      return Math.round(performance.now() - startedAt);
    },
    assertCompatible: async (assets) => {
      const found = databaseProblems(await readDatabaseState(pool, prisma));
      const problems = found.length > 0 || assets === undefined ? found : await assetProblems(pool, assets);
      if (problems.length > 0) throw new IncompatibleDatabaseError(problems);
    },
    assertPrimary: async (now) => {
      const problems = await primaryProblems(pool, now);
      if (problems.length > 0) throw new IncompatibleDatabaseError(problems);
    },
    clockDifference: (now) => readClockDifference(pool, now),
    assertDeployment,
    claimDeployment: async (book) => {
      await claimDeployment(pool, book);
      await assertDeployment(book);
    },
    takesWrites: async () => {
      const { rows } = await pool.query<{ takes: boolean }>(`SELECT ${TAKES_WRITES} AS takes`);
      return rows[0]?.takes === true;
    },
    close: async () => {
      await prisma.$disconnect();
      for (const opened of [pool, leasePool]) if (!opened.ended) await opened.end();
    },
  };
}
