import type { AlertCode } from '@causeway/protocol/admin';
import { CHAIN_FAULTS } from './chain-faults.js';
import { DATABASE_FAULTS } from './database-faults.js';
import type { Fault } from './fault.js';
import { MONEY_FAULTS } from './money-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';

/** All faults, in injection order. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...DATABASE_FAULTS, ...CHAIN_FAULTS, ...MONEY_FAULTS];

const CONSOLE = 'it has no rule, since only the console shows it';
const BY_PROMTOOL = 'apps/relayer/test/alerts.test.ts tests its rule';

const BY_WATCHTOWER = 'the fleet has no watchtower; e2e/test/operating/service-alerts.test.ts tests its rule';
const BY_ATTESTERS = 'the fleet has no attesters: e2e/test/operating/real-attesters.test.ts tests their metrics';

const BY_EXPORTERS =
  "the fleet's Prometheus reads our services only; e2e/test/operating/service-alerts.test.ts tests its rule";

/** Alerts without an injected fault, with the reasons. */
export const NOT_INJECTED: Readonly<Partial<Record<AlertCode, string>>> = {
  Paused: CONSOLE,
  ApprovalsWait: CONSOLE,
  RefundsWait: CONSOLE,
  FeesHigh: `it clears only after a day, since it sums a day; ${BY_PROMTOOL}`,
  ReadingBehind: `the relayer reads faster than the development node makes blocks; ${BY_PROMTOOL}`,
  ChainClockAhead: `future blocks need several nodes with the same lie; ${BY_PROMTOOL}`,
  DiskFull: 'the chain would need its own disk; e2e/test/operating/service-alerts.test.ts tests its rule',
  NumberUsedUp: `its repair replaces the relayer's key on both chains: e2e/test/admin/offices.test.ts; ${BY_PROMTOOL}`,
  FloatLow: `the outflow comes from totals stored once an hour; ${BY_PROMTOOL}`,
  FloatEmpty: `as FloatLow; ${BY_PROMTOOL}`,
  AttesterLost: BY_ATTESTERS,
  NoAttesterToSpare: BY_ATTESTERS,
  AttestersTooFew: BY_ATTESTERS,
  AttestersDisagree: BY_ATTESTERS,
  AttesterTwice: BY_ATTESTERS,
  AttesterStalls: BY_ATTESTERS,
  AttesterRecordFails: `${BY_ATTESTERS}; e2e/test/operating/service-alerts.test.ts tests its rule`,
  AttesterRefusesCall: 'as AttesterRecordFails',
  WatchtowerTheft: BY_WATCHTOWER,
  PauseFailed: BY_WATCHTOWER,
  WatchtowerTrustChange: BY_WATCHTOWER,
  WatchtowerUndecided: BY_WATCHTOWER,
  WatchtowerBlind: BY_WATCHTOWER,
  WatchtowerBehind: BY_WATCHTOWER,
  WatchtowerDisagrees: BY_WATCHTOWER,
  WatchtowerRehearsalFailed: BY_WATCHTOWER,
  BackupOld: 'the fleet has no backups; e2e/test/operating/service-alerts.test.ts tests its rule',
  WalArchiveStuck: 'as BackupOld',
  BalancerDown: BY_EXPORTERS,
  BalancerFull: BY_EXPORTERS,
  DatabaseDisk: BY_EXPORTERS,
  ReconcileFirst: 'the drills older-backup, promoted-replica and former-primary begin with it',
  Watchdog: BY_EXPORTERS,
};
