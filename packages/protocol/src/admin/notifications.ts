import type { AlertSeverity } from './alert-rule.js';
import { ALERTS } from './alerts.js';

/** A cause of notifications. The text is completed by "begins when" and "ends when". */
export interface NotificationRule {
  readonly severity: AlertSeverity;
  readonly begins: string;
  /** Null for an event, which has no end. */
  readonly ends: string | null;
}

/**
 * The one list of causes that notify people by mail, chat and pager: those that the database itself knows by a write.
 * Triggers of the store's migrations write them. A code that is an alert has its name and severity; a cause that only a
 * figure or a time shows is left to Prometheus. docs/runbook.md has a heading for each code.
 */
export const NOTIFICATIONS = {
  Halted: {
    severity: ALERTS.Halted.severity,
    begins: 'a chain or the deliveries are halted: by the watch, the reader or an operator',
    ends: 'they are resumed',
  },
  UnknownDelivery: {
    severity: ALERTS.UnknownDelivery.severity,
    begins: 'the watch finds a delivery that pays what no operation is owed, or an opening of what was paid',
    ends: 'an operator has accepted all of the chain',
  },
  NumberUsedUp: {
    severity: ALERTS.NumberUsedUp.severity,
    begins: 'a final delivery with other terms used up the number of an operation',
    ends: 'no operation to that chain waits for its number',
  },
  BalanceUnexplained: {
    severity: ALERTS.BalanceUnexplained.severity,
    begins: "the wallet's balance on a chain changed by more or less than is known",
    ends: 'an operator has explained all blocks of the chain',
  },
  UnnamedPayment: {
    severity: 'warning',
    begins: 'the wallet paid something that its journal does not contain',
    ends: 'an operator has named all such payments of the chain',
  },
  ApprovalsWait: {
    severity: ALERTS.ApprovalsWait.severity,
    begins: 'a request of an operator waits for signatures',
    ends: 'it is signed, refused or expired',
  },
  RefundsWait: {
    severity: ALERTS.RefundsWait.severity,
    begins: 'a refund waits for the decision of operators',
    ends: 'none waits any more',
  },
  MembersChanged: {
    severity: 'warning',
    begins: 'a member of the console is added or removed, or gets another role',
    ends: null,
  },
} as const satisfies Readonly<Record<string, NotificationRule>>;

/** The code of a notification. */
export type NotificationCode = keyof typeof NOTIFICATIONS;
