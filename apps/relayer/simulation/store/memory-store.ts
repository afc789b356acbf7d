import type { Store, WakeUp } from '@causeway/store';
import { haltRepository } from './halt-repository.ts';
import { intentRepository } from './intent-repository.ts';
import { journalRepository } from './journal-repository.ts';
import { leaseRepository } from './lease-repository.ts';
import { listenInSteps } from '../database/listen.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { operationRepository } from './operation-repository.ts';
import { refundRepository } from './refund-repository.ts';
import { requestRepository } from './request-repository.ts';
import { scanRepository } from './scan-repository.ts';
import type { Step } from '../step.ts';
import { inSteps } from './steps.ts';
import { retirementRepository, sweepRepository } from './upkeep.ts';
import { auditRepository, verdictRepository, xcnTotalRepository } from './watch-repositories.ts';

/**
 * The store of one process: the repositories of `@causeway/store` on a database in memory. Each method is one step, and
 * writes nothing when it throws. A method that is not simulated rejects.
 *
 * @param monotonicMs the monotonic clock of the process, for `lease.assertHeld`. By default the clock of the database.
 */
export function memoryStore(database: MemoryDatabase, step: Step, monotonicMs: () => number = database.now): Store {
  const repositories = {
    scan: scanRepository(database),
    operations: operationRepository(database),
    journal: journalRepository(database),
    intents: intentRepository(database),
    retirements: retirementRepository(database),
    sweeps: sweepRepository(database),
    refunds: refundRepository(database),
    requests: requestRepository(database),
    halts: haltRepository(database),
    audits: auditRepository(database),
    verdicts: verdictRepository(database),
    xcnTotals: xcnTotalRepository(database),
    history: {},
    related: {},
    reconcile: {},
    rebuild: {},
    restore: {},
    // No schedule restores an old copy, so the journal has every transaction.
    unjournaled: { unknownNonces: () => [], paymentsTo: () => [] },
    queues: {},
  };
  const store = {
    ...Object.fromEntries(
      Object.entries(repositories).map(([name, methods]) => [name, inSteps(name, methods, database, step)]),
    ),
    lease: leaseRepository(database, step, monotonicMs),
    listen: (onWakeUp: (wakeUp: WakeUp) => void, onError: (error: Error) => void) =>
      listenInSteps(database, step, onWakeUp, onError),
    ping: () => step('ping', () => 0),
    assertCompatible: async () => undefined,
    close: async () => undefined,
  };
  // The classes of the store have private members, so no other object has their types.
  return store as unknown as Store;
}
