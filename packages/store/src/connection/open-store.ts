import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { IntentRepository } from '../intents/intent-repository.js';
import { LeaseRepository } from '../locks/lease.js';
import { HistoryRepository } from '../operations/history-repository.js';
import { OperationRepository } from '../operations/operation-repository.js';
import { HaltRepository } from '../scan/halt-repository.js';
import { ReconcileRepository } from '../scan/reconcile-repository.js';
import { ScanRepository } from '../scan/scan-repository.js';
import { JournalRepository } from '../transactions/journal-repository.js';
import { RetirementRepository } from '../transactions/retirement-repository.js';
import { SweepRepository } from '../transactions/sweep-repository.js';

/** The repositories, one for each kind of data. */
export interface Store {
  readonly scan: ScanRepository;
  readonly operations: OperationRepository;
  readonly history: HistoryRepository;
  readonly intents: IntentRepository;
  readonly journal: JournalRepository;
  readonly retirements: RetirementRepository;
  readonly sweeps: SweepRepository;
  readonly halts: HaltRepository;
  readonly reconcile: ReconcileRepository;
  readonly lease: LeaseRepository;
  /** Milliseconds a trivial query takes; rejects when the database does not answer. */
  readonly ping: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** How to connect. The pool calls `onIdleError` when an unused connection breaks. */
interface StoreOptions {
  readonly databaseUrl: string;
  readonly maxConnections?: number;
  readonly onIdleError: (error: Error) => void;
}

/** Opens one pool of connections. The ORM and the prepared statements of the polled queries share it. */
export function openStore(options: StoreOptions): Store {
  const pool = new Pool({
    connectionString: options.databaseUrl,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
  });
  // Without a listener a broken idle connection would end the process. The pool replaces it automatically.
  pool.on('error', options.onIdleError);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 5_000, timeout: 30_000 },
  });
  return {
    scan: new ScanRepository(prisma),
    operations: new OperationRepository(prisma, pool),
    history: new HistoryRepository(pool),
    intents: new IntentRepository(prisma),
    journal: new JournalRepository(prisma),
    retirements: new RetirementRepository(prisma, pool),
    sweeps: new SweepRepository(prisma),
    halts: new HaltRepository(prisma),
    reconcile: new ReconcileRepository(pool),
    lease: new LeaseRepository(pool),
    ping: async () => {
      const startedAt = performance.now();
      await pool.query('SELECT 1');
      return Math.round(performance.now() - startedAt);
    },
    close: async () => {
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}
