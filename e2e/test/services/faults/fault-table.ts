import type { AlertCode } from '@causeway/protocol/admin';
import { CHAIN_FAULTS } from './chain-faults.js';
import { DATABASE_FAULTS } from './database-faults.js';
import type { Fault } from './fault.js';
import { MONEY_FAULTS } from './money-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';

/** Every fault, in the order in which they are injected. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...DATABASE_FAULTS, ...CHAIN_FAULTS, ...MONEY_FAULTS];

const CONSOLE = 'only the console shows it: it has no rule';
const BY_PROMTOOL = 'apps/relayer/test/alerts.test.ts shows its rule';

const BY_ATTESTERS = 'the fleet has no attesters: e2e/test/operating/real-attesters.test.ts has their figures';

/** The alerts for which no fault is injected here, with the reasons. */
export const NOT_INJECTED: Readonly<Partial<Record<AlertCode, string>>> = {
  Paused: CONSOLE,
  ApprovalsWait: CONSOLE,
  RefundsWait: CONSOLE,
  FeesHigh: `it is over after a day, since it is the sum of a day; ${BY_PROMTOOL}`,
  ReadingBehind: `the relayer reads faster than the development node makes blocks; ${BY_PROMTOOL}`,
  ChainClockAhead: `blocks of the future need several nodes that lie alike; ${BY_PROMTOOL}`,
  DiskFull: 'the chain needs a disk of its own to fill; e2e/test/operating/service-alerts.test.ts shows its rule',
  NumberUsedUp: `its cure replaces the relayer's key on both chains: e2e/test/admin/offices.test.ts; ${BY_PROMTOOL}`,
  FloatLow: `the outflow is known from totals that are stored once an hour; ${BY_PROMTOOL}`,
  FloatEmpty: `as FloatLow; ${BY_PROMTOOL}`,
  AttesterLost: BY_ATTESTERS,
  NoAttesterToSpare: BY_ATTESTERS,
  AttestersTooFew: BY_ATTESTERS,
  AttestersDisagree: BY_ATTESTERS,
  AttesterTwice: BY_ATTESTERS,
  AttesterStalls: BY_ATTESTERS,
  AttesterRecordFails: `${BY_ATTESTERS}; e2e/test/operating/service-alerts.test.ts shows its rule`,
  AttesterRefusesCall: 'as AttesterRecordFails',
};
