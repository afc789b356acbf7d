import { getCoin, type Asset, type Side } from '@causeway/protocol';
import {
  ALERTS,
  getRunbook,
  type AlertSeverity,
  type AlertsResponse,
  type ConsoleAlertCode,
} from '@causeway/protocol/admin';
import type { BalanceDifference, LeaseState, OpenOperations, ReadChain, WatchedEvent } from '@causeway/store';
import type { PauseRow } from '../../contracts/contract-state.js';
import { amountWithUnit, getSideName, waitingDeliveries } from './waiting-deliveries.js';

type Alert = AlertsResponse['alerts'][number];
type AlertWithoutLink = Omit<Alert, 'runbook'>;

/** How many items wait for people, and since when. */
interface Waiting {
  readonly count: number;
  readonly oldestSince: Date | null;
}

/** The facts that alerts are computed from. Null: the nodes do not agree on it now. */
export interface AlertFacts {
  readonly nowMs: number;
  readonly chains: readonly (ReadChain & { readonly side: Side })[];
  readonly deliveriesHalt: { readonly since: Date; readonly reason: string } | null;
  readonly pauses: readonly PauseRow[] | null;
  readonly unknownDeliveries: readonly Pick<WatchedEvent, 'name' | 'operationId' | 'txHash' | 'minedAt'>[];
  readonly lease: LeaseState;
  readonly open: Pick<OpenOperations, 'byDelay'>;
  /** Native XCN that BridgeMint can deliver, in atomic units. */
  readonly float: bigint | null;
  /** Null also when the float is not used. */
  readonly floatDaysLeft: number | null;
  readonly surpluses: readonly { readonly asset: Asset; readonly amount: bigint }[] | null;
  readonly refunds: Waiting;
  readonly approvals: Waiting;
  readonly differences: readonly (BalanceDifference & { readonly side: Side })[];
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const ORDER: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

/**
 * Computes the conditions that need a person now, worst first, with the codes, severities and thresholds of `ALERTS`.
 * Pure.
 *
 * @param docsUrl see `linkToDocs`.
 */
export function computeAlerts(facts: AlertFacts, docsUrl?: string): Alert[] {
  const alerts = [...halts(facts), ...money(facts), ...service(facts), ...waiting(facts)];
  const sorted = ORDER.flatMap((severity) => alerts.filter((each) => each.severity === severity));
  return sorted.map((each) => ({ ...each, runbook: getRunbook(each.code, docsUrl) }));
}

function describeUnknown(name: string): string {
  return name === 'Reopened' || name === 'IdReopened'
    ? 'reopens something already paid: the contract would pay it again.'
    : 'pays an unknown operation: someone else may have the key.';
}

function halts({ chains, deliveriesHalt, unknownDeliveries, pauses }: AlertFacts): AlertWithoutLink[] {
  return [
    ...unknownDeliveries.map(({ name, operationId, txHash, minedAt }) =>
      alert('UnknownDelivery', `The ${name} in ${txHash} ${describeUnknown(name)}`, {
        since: minedAt,
        subject: operationId,
        whatToDo: 'pause both contracts if they are not paused, then find out who sent it',
      }),
    ),
    ...chains.flatMap(({ side, halt }) =>
      halt === null
        ? []
        : [
            alert('Halted', `The chain ${side} is halted: ${halt.reason}`, {
              since: halt.since,
              subject: side,
              whatToDo: 'compare the blocks that the reason names with nodes of other providers, then resume',
            }),
          ],
    ),
    ...(deliveriesHalt === null
      ? []
      : [
          alert('Halted', `Deliveries are halted: ${deliveriesHalt.reason}`, {
            since: deliveriesHalt.since,
            subject: 'deliveries',
            whatToDo: 'find and remove the cause that the reason names, then resume the deliveries',
          }),
        ]),
    ...(pauses ?? []).filter(({ isPaused }) => isPaused).map(toPaused),
  ];
}

function toPaused({ side, what, direction, until }: PauseRow): AlertWithoutLink {
  const contract = side === 'ethereum' ? 'BridgeLock' : 'BridgeMint';
  const way = direction === 'ETHEREUM_TO_PARTNER' ? 'from Ethereum to the partner chain' : 'back to Ethereum';
  const beginnings = side === 'ethereum' ? 'deposits' : 'withdrawals';
  const end = until === null ? 'until its admin ends the pause' : `until ${until}`;
  const sentence = `${contract} on ${getSideName(side)} is paused: ${what === 'deliveries' ? what : beginnings} ${way} stop ${end}.`;
  return alert('Paused', sentence, {
    subject: `${contract} ${direction}`,
    whatToDo: 'see who paused it under Fees and limits, History; the admin runs unpause once the cause is removed',
  });
}

function money({ surpluses, float, floatDaysLeft, pauses, differences }: AlertFacts): AlertWithoutLink[] {
  const short = (surpluses ?? []).filter(({ amount }) => amount < 0n);
  const { FloatLow, FloatEmpty } = ALERTS;
  return [
    ...short.map(({ asset, amount }) =>
      alert('Insolvent', `The partner chain has ${amountWithUnit(asset, -amount)} more than is locked.`, {
        subject: asset,
        whatToDo: 'compare the sums with other nodes; find what was minted or released wrongly; restore it',
      }),
    ),
    ...(float !== null && floatDaysLeft !== null && floatDaysLeft < FloatLow.threshold.days
      ? [
          alert(
            floatDaysLeft < FloatEmpty.threshold.days ? 'FloatEmpty' : 'FloatLow',
            `The float of ${amountWithUnit('XCN', float)} lasts for ${floatDaysLeft.toFixed(1)} days at last week's rate of use.`,
            { subject: 'XCN', whatToDo: 'run causeway-admin top-up --chain partner' },
          ),
        ]
      : []),
    ...differences.map(({ side, blockNumber, amount, wallet, foundAt }) => {
      const coin = getCoin(side);
      const difference = `${amountWithUnit(coin, amount < 0n ? -amount : amount)} ${amount < 0n ? 'less' : 'more'}`;
      const sentence = `After block ${blockNumber} of ${getSideName(side)}, the relayer wallet has ${difference} than its transfers and transactions explain.`;
      const whatToDo = 'inspect the block in an explorer that shows internal calls, then run relayer explain';
      return alert('BalanceUnexplained', sentence, { since: foundAt, subject: wallet, whatToDo });
    }),
    ...(surpluses === null || float === null || pauses === null
      ? [
          alert(
            'QuorumLost',
            'The nodes do not agree on the locked amounts, the supplies, the float or the pauses now.',
            { whatToDo: 'read GET /health; repair or replace unavailable nodes' },
          ),
        ]
      : []),
  ];
}

function service({ chains, lease, approvals, nowMs }: AlertFacts): AlertWithoutLink[] {
  const { seconds } = ALERTS.ReadingStuck.threshold;
  const stuck = chains.filter(({ readAt, halt }) => halt === null && nowMs - readAt.getTime() > seconds * SECOND_MS);
  return [
    ...(lease.isHeld
      ? []
      : [
          alert('NoActiveRelayer', 'No relayer holds the lease; no operation advances.', {
            since: lease.expiresAt,
            whatToDo: 'start a relayer; check the database',
          }),
        ]),
    ...stuck.map(({ side, readAt }) =>
      alert('ReadingStuck', `The chain ${side} has not been read for more than ${seconds / 60} minutes.`, {
        since: readAt,
        subject: side,
        whatToDo: 'check its nodes, and whether a relayer is active',
      }),
    ),
    ...(approvals.count === 0
      ? []
      : [
          alert('ApprovalsWait', `${describeCount(approvals.count, 'request')} for approval.`, {
            since: approvals.oldestSince,
            whatToDo: 'read each on the Approvals page; sign it before it expires, or let it expire',
          }),
        ]),
  ];
}

function waiting({ open, float, refunds, nowMs }: AlertFacts): AlertWithoutLink[] {
  const isOld =
    refunds.oldestSince !== null && nowMs - refunds.oldestSince.getTime() > ALERTS.RefundsWait.threshold.days * DAY_MS;
  return [
    ...waitingDeliveries(open.byDelay, float, nowMs).map(({ code, sentence, ...details }) =>
      alert(code, sentence, details),
    ),
    ...(refunds.count === 0
      ? []
      : [
          alert(
            'RefundsWait',
            `${describeCount(refunds.count, 'refund')} for an operator decision${isOld ? ', the oldest more than a day old' : ''}.`,
            {
              since: refunds.oldestSince,
              whatToDo: 'decide them on the Refunds page',
              severity: isOld ? 'warning' : ALERTS.RefundsWait.severity,
            },
          ),
        ]),
  ];
}

/** The parts that differ between alerts. */
interface Details {
  readonly since?: Date | null;
  readonly subject?: string;
  readonly whatToDo: string;
  /** Overrides the severity in `ALERTS`. */
  readonly severity?: AlertSeverity;
}

function alert(code: ConsoleAlertCode, sentence: string, details: Details): AlertWithoutLink {
  const { since = null, subject = null, whatToDo, severity = ALERTS[code].severity } = details;
  return {
    code,
    severity,
    sentence,
    since: since?.toISOString() ?? null,
    subject,
    whatToDo,
  };
}

function describeCount(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} waits` : `${count} ${noun}s wait`;
}
