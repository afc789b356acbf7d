import type { AlertSeverity } from './alert-rule.js';
import { ALERTS } from './alerts.js';

/** A cause of notifications. Its texts complete "begins when" and "ends when". */
export interface NotificationRule {
  readonly severity: AlertSeverity;
  readonly begins: string;
  /** Null for an event, which has no end. */
  readonly ends: string | null;
}

/**
 * Every cause that notifies people by mail, chat and pager. Triggers of the store's migrations write notifications, so
 * each cause is a write to the database. A code that is also an alert shares its name and severity. Prometheus raises
 * the causes that depend on a figure or a duration. docs/runbook.md has a heading for each code.
 */
export const NOTIFICATIONS = {
  Halted: {
    severity: ALERTS.Halted.severity,
    begins: 'the watch, the reader or an operator halts a chain or the deliveries',
    ends: 'an operator resumes it',
  },
  UnknownDelivery: {
    severity: ALERTS.UnknownDelivery.severity,
    begins: 'the watch finds a delivery that is not owed, or the reopening of a paid number or id',
    ends: 'an operator has accepted all such events of the chain',
  },
  NumberUsedUp: {
    severity: ALERTS.NumberUsedUp.severity,
    begins: 'a final delivery with other terms used up the number of an operation',
    ends: 'no operation to that chain waits for its number',
  },
  BalanceUnexplained: {
    severity: ALERTS.BalanceUnexplained.severity,
    begins: "the wallet's balance on a chain changed by an unexplained amount",
    ends: 'an operator has explained all such blocks of the chain',
  },
  UnnamedPayment: {
    severity: 'warning',
    begins: 'the wallet paid without a record in its journal',
    ends: 'an operator has named all such payments of the chain',
  },
  ApprovalsWait: {
    severity: ALERTS.ApprovalsWait.severity,
    begins: "an operator's request waits for signatures",
    ends: 'it is signed, refused or expired',
  },
  RefundsWait: {
    severity: ALERTS.RefundsWait.severity,
    begins: 'a refund waits for a decision by operators',
    ends: 'no refund waits',
  },
  MembersChanged: {
    severity: 'warning',
    begins: 'a member of the console is added, removed or given another role',
    ends: null,
  },
} as const satisfies Readonly<Record<string, NotificationRule>>;

/** The code of a notification. */
export type NotificationCode = keyof typeof NOTIFICATIONS;
