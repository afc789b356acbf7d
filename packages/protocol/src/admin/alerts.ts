import type { AlertRule } from './alert-rule.js';
import { ATTESTER_ALERTS } from './attester-alerts.js';
import { ENDLESS_DELAYS } from './delays.js';
import { SERVICE_ALERTS } from './service-alerts.js';
import { WATCHTOWER_ALERTS } from './watchtower-alerts.js';
import { linkToDocs } from '../docs.js';

const HALF_AN_HOUR = { seconds: 1_800 } as const;
const READING_STUCK = { seconds: 180 } as const;
const FLOAT_LOW = { days: 3 } as const;
const FLOAT_EMPTY = { days: 0.25 } as const;
const BLOCKS_BEHIND = { count: 50 } as const;

/** Selects the active relayer: a passive one keeps its last figures of the watch. */
const ON_ACTIVE = 'and on (instance) causeway_relayer_lease_held == 1';
const onActive = (expression: string) => [`${expression} ${ON_ACTIVE}`];
const endless = Object.entries(ENDLESS_DELAYS)
  .filter(([, alert]) => alert === 'DeliveryWaits')
  .map(([reason]) => reason)
  .join('|');

/**
 * Every state that needs a person. `GET /alerts` uses its codes, severities and thresholds, and
 * `scripts/alert-rules.mjs` writes `deploy/alerts.yml` from it. docs/runbook.md has a heading for each code.
 */
export const ALERTS = {
  UnknownDelivery: {
    about: 'the money',
    severity: 'critical',
    summary: "A delivery by the relayer's key pays something that is not owed",
    prometheus: { expression: onActive('causeway_relayer_unknown_deliveries > 0') },
  },
  Insolvent: {
    about: 'the money',
    severity: 'critical',
    summary: 'More {{ $labels.asset }} is outstanding on the partner chain than is locked on Ethereum',
    prometheus: { expression: onActive('causeway_relayer_backing_margin < 0'), for: '1m' },
  },
  MintNotBacked: {
    about: 'the money',
    severity: 'critical',
    summary: 'A mint waits because the locked collateral does not cover it',
    prometheus: { expression: ['max (causeway_relayer_queue_operations{reason="BACKING_SHORT"}) > 0'], for: '1m' },
  },
  NumberUsedUp: {
    about: 'the money',
    severity: 'critical',
    summary: 'A final delivery with other terms used up the number of an operation',
    prometheus: { expression: ['max (causeway_relayer_queue_operations{reason="NUMBER_USED_UP"}) > 0'] },
  },
  Halted: {
    about: 'the money',
    severity: 'critical',
    summary: 'Processing is halted for {{ $labels.what }}',
    prometheus: { expression: ['max by (what) (causeway_relayer_halted) == 1'] },
  },
  BalanceUnexplained: {
    about: 'the money',
    severity: 'warning',
    summary: "The wallet's balance changed by an amount that its transfers and transactions do not explain",
    prometheus: { expression: onActive('causeway_relayer_unexplained_differences > 0') },
  },
  AccountWaits: {
    about: 'the money',
    severity: 'warning',
    summary: "Nodes or mirrors do not explain the wallet's balance, so payments by smart accounts and expiries wait",
    threshold: { seconds: 300 },
    prometheus: { expression: onActive('causeway_relayer_account_waiting_seconds > 300') },
  },
  DeliveriesUnjudged: {
    about: 'the money',
    severity: 'critical',
    summary: 'The watch cannot judge deliveries on {{ $labels.chain }}',
    threshold: { seconds: 600 },
    prometheus: {
      expression: [
        `(causeway_relayer_oldest_unjudged_seconds > 600 ${ON_ACTIVE})`,
        `unless on () (max (causeway_relayer_blocks_behind) > ${BLOCKS_BEHIND.count})`,
      ],
      for: '5m',
    },
  },
  NoActiveRelayer: {
    about: 'the service',
    severity: 'critical',
    summary: 'No relayer holds the lease',
    prometheus: { expression: ['(sum (causeway_relayer_lease_held) or vector (0)) == 0'], for: '1m' },
  },
  ReconcileFirst: {
    about: 'the service',
    severity: 'critical',
    summary: 'The chains have transactions of the wallet that the database lacks; relayers wait and pay nothing',
    prometheus: { expression: ['max (causeway_relayer_reconciling) == 1'] },
  },
  DatabaseDown: {
    about: 'the service',
    severity: 'critical',
    summary: 'The database does not answer {{ $labels.instance }}',
    prometheus: { expression: ['causeway_relayer_database_up == 0'], for: '1m' },
  },
  StageFailing: {
    about: 'the service',
    severity: 'warning',
    summary: 'Most runs of the stage {{ $labels.stage }} fail',
    prometheus: {
      expression: [
        'max by (stage) (increase(causeway_relayer_stage_failures_total[5m]))',
        '> 0.5 * max by (stage) (increase(causeway_relayer_stage_runs_total[5m])) > 0',
      ],
      for: '5m',
    },
  },
  NotificationsStuck: {
    about: 'the service',
    severity: 'warning',
    summary: 'The channel {{ $labels.channel }} accepts no notifications',
    threshold: { seconds: 600 },
    prometheus: { expression: onActive('causeway_relayer_notifications_oldest_seconds > 600'), for: '5m' },
  },
  Paused: {
    about: 'the service',
    severity: 'warning',
    summary: 'A contract is paused, so deposits, withdrawals or deliveries stop',
  },
  ApprovalsWait: {
    about: 'the service',
    severity: 'info',
    summary: "Operators' requests wait for approvals",
  },
  ReadingStuck: {
    about: 'the chains',
    severity: 'critical',
    summary: 'The relayer has stopped reading {{ $labels.chain }}',
    threshold: READING_STUCK,
    prometheus: {
      expression: [`min by (chain) (causeway_relayer_cursor_age_seconds) > ${READING_STUCK.seconds}`],
      for: '1m',
    },
  },
  ReadingBehind: {
    about: 'the chains',
    severity: 'warning',
    summary: 'The relayer is behind the head of {{ $labels.chain }} and does not catch up',
    threshold: BLOCKS_BEHIND,
    prometheus: {
      expression: [
        `min by (chain) (causeway_relayer_blocks_behind) > ${BLOCKS_BEHIND.count}`,
        'and min by (chain) (delta(causeway_relayer_blocks_behind[5m])) >= 0',
      ],
      for: '10m',
    },
  },
  ChainClockAhead: {
    about: 'the chains',
    severity: 'critical',
    summary: 'The newest block of {{ $labels.chain }} is more than a minute in the future, so no hold ends',
    prometheus: { expression: ['max by (chain) (causeway_relayer_block_ahead_seconds) > 60'] },
  },
  NodeUnusable: {
    about: 'the chains',
    severity: 'warning',
    summary: 'The node {{ $labels.node }} of {{ $labels.chain }} is not used',
    prometheus: { expression: ['min by (chain, node) (causeway_relayer_node_usable) == 0'], for: '5m' },
  },
  QuorumLost: {
    about: 'the chains',
    severity: 'critical',
    summary: 'Too few nodes of {{ $labels.chain }} agree',
    prometheus: {
      expression: [
        'sum by (instance, chain) (causeway_relayer_node_usable)',
        '< on (instance, chain) max by (instance, chain) (causeway_relayer_quorum)',
      ],
      for: '1m',
    },
  },
  DeliveryWaits: {
    about: 'the operations',
    severity: 'warning',
    summary: 'Deliveries wait because of {{ $labels.reason }}',
    threshold: HALF_AN_HOUR,
    prometheus: {
      expression: [
        `max by (reason) (causeway_relayer_queue_oldest_seconds{stage="deliver"}) > ${HALF_AN_HOUR.seconds}`,
        `or max by (reason) (causeway_relayer_queue_operations{stage="deliver", reason=~"${endless}"}) > 0`,
      ],
      for: '5m',
    },
  },
  FinalityWaits: {
    about: 'the operations',
    severity: 'warning',
    summary: 'An origin does not become final',
    threshold: HALF_AN_HOUR,
    prometheus: {
      expression: [`max (causeway_relayer_queue_oldest_seconds{stage="finalize"}) > ${HALF_AN_HOUR.seconds}`],
      for: '5m',
    },
  },
  RefundsWait: {
    about: 'the operations',
    severity: 'info',
    summary: 'Refunds wait for a decision by operators',
    // A warning from then on: the money of a payer has waited for a day.
    threshold: { days: 1 },
  },
  TransactionStuck: {
    about: 'the operations',
    severity: 'critical',
    summary: 'A transaction of the relayer on {{ $labels.chain }} does not become final',
    threshold: { seconds: 1_200 },
    prometheus: { expression: ['max by (chain) (causeway_relayer_pending_oldest_seconds) > 1200'], for: '5m' },
  },
  TransactionsReplaced: {
    about: 'the operations',
    severity: 'warning',
    summary: 'Pending transactions on {{ $labels.chain }} were replaced over 10 times',
    threshold: { count: 10 },
    prometheus: { expression: ['max by (chain) (causeway_relayer_pending_replacements) > 10'], for: '5m' },
  },
  ManyAttempts: {
    about: 'the operations',
    severity: 'warning',
    summary: 'A delivery was attempted over 20 times because of {{ $labels.reason }}',
    threshold: { count: 20 },
    prometheus: { expression: ['max by (stage, reason) (causeway_relayer_queue_attempts) > 20'], for: '5m' },
  },
  FloatLow: {
    about: 'the wallet',
    severity: 'warning',
    summary: `The float of XCN lasts for less than ${FLOAT_LOW.days} days`,
    threshold: FLOAT_LOW,
    prometheus: { expression: onActive(`causeway_relayer_float_days_left < ${FLOAT_LOW.days}`), for: '5m' },
  },
  FloatEmpty: {
    about: 'the wallet',
    severity: 'critical',
    summary: `The float of XCN lasts for less than ${FLOAT_EMPTY.days * 24} hours`,
    threshold: FLOAT_EMPTY,
    prometheus: { expression: onActive(`causeway_relayer_float_days_left < ${FLOAT_EMPTY.days}`), for: '5m' },
  },
  GasLow: {
    about: 'the wallet',
    severity: 'warning',
    summary: 'The relayer wallet has little coin left for gas on {{ $labels.chain }}',
    prometheus: {
      expression: [
        '(causeway_relayer_wallet_balance{chain="ethereum"} < 0.5 or causeway_relayer_wallet_balance{chain="partner"} < 1000)',
        ON_ACTIVE,
      ],
      for: '5m',
    },
  },
  FeesHigh: {
    about: 'the wallet',
    severity: 'warning',
    summary: 'The relayer wallet paid over 2 ETH for gas on Ethereum within a day',
    prometheus: { expression: onActive('causeway_relayer_fees_last_day{chain="ethereum"} > 2'), for: '5m' },
  },
  ...ATTESTER_ALERTS,
  ...WATCHTOWER_ALERTS,
  ...SERVICE_ALERTS,
} as const satisfies Readonly<Record<string, AlertRule>>;

/** The name of an alert, in the console and in Prometheus. */
export type AlertCode = keyof typeof ALERTS;

/** An alert that the console can show. Only Prometheus watches attesters, watchtowers, processes and machines. */
export type ConsoleAlertCode = Exclude<
  AlertCode,
  keyof typeof SERVICE_ALERTS | keyof typeof ATTESTER_ALERTS | keyof typeof WATCHTOWER_ALERTS
>;

/** Returns the link to the runbook section of an alert or notification. See `linkToDocs`. */
export function getRunbook(code: string, docsUrl?: string): string {
  return linkToDocs(`runbook.md#${code.toLowerCase()}`, docsUrl);
}
