import { formatAmount, type Asset, type Side } from '@causeway/protocol';
import type { AlertsResponse } from '@causeway/protocol/admin';
import type { BalanceDifference, LeaseState, OpenOperations, ReadChain, SeenDelivery } from '@causeway/store';

/** Something that needs a person. */
export type Alert = AlertsResponse['alerts'][number];

/** What alerts follow from. Null: the nodes do not agree on it now. */
export interface AlertFacts {
  readonly nowMs: number;
  readonly chains: readonly (ReadChain & { readonly side: Side })[];
  readonly deliveriesHalt: { readonly since: Date; readonly reason: string } | null;
  readonly unknownDeliveries: readonly Pick<SeenDelivery, 'name' | 'operationId' | 'txHash' | 'minedAt'>[];
  readonly lease: LeaseState;
  readonly open: OpenOperations;
  readonly floatDaysLeft: number | null;
  readonly surpluses: readonly { readonly asset: Asset; readonly amount: bigint }[] | null;
  readonly isFloatKnown: boolean;
  readonly refunds: { readonly count: number; readonly oldestSince: Date | null };
  readonly differences: readonly BalanceDifference[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** As ReadingStuck of ops/alerts.yml. */
const READING_STUCK_MS = 3 * MINUTE_MS;
/** As DeliveryWaits of ops/alerts.yml. */
const DELIVERY_WAITS_MS = 30 * MINUTE_MS;
const FLOAT_LOW_DAYS = 3;
/** As FloatEmpty of ops/alerts.yml. */
const FLOAT_EMPTY_DAYS = 0.25;

const handbook = (section: string) => `see docs/operators.md, ${section}`;
/** The first step for each delay that does not end automatically. */
const DELAY_STEPS: Readonly<Record<string, string>> = {
  FLOAT_SHORT: 'fund the wallet with coin for gas, or the float with admin top-up',
  BACKING_SHORT: handbook('Insolvency'),
  COLLATERAL_SHORT: 'find the cause before you fund BridgeLock',
  PAUSED: 'resume the deliveries of the contract when the cause is removed',
  NODE_UNAVAILABLE: 'check the nodes of the destination chain',
  NODE_REFUSED: 'read the message of the node in the log of the relayer; try another node',
  NONCE_TAKEN: 'find out who else has the key of the relayer',
  FEES_ABOVE_CAP: 'wait, or raise the cap',
  NUMBER_USED_UP: handbook('A number that was used up'),
};
/** The delays that no time ends, by the alert of each. */
const CRITICAL_DELAYS: Readonly<Record<string, string>> = {
  BACKING_SHORT: 'MintNotBacked',
  NUMBER_USED_UP: 'NumberUsedUp',
};

/**
 * What needs a person now, worst first, with the codes of ops/alerts.yml where it has them. Pure.
 */
export function alertsOf(facts: AlertFacts): Alert[] {
  const alerts = [...halts(facts), ...money(facts), ...service(facts), ...waiting(facts)];
  return [...alerts.filter(isCritical), ...alerts.filter((each) => !isCritical(each))];
}

const isCritical = ({ severity }: Alert) => severity === 'critical';

function halts({ chains, deliveriesHalt, unknownDeliveries }: AlertFacts): Alert[] {
  return [
    ...unknownDeliveries.map(({ name, operationId, txHash, minedAt }) =>
      critical('UnknownDelivery', `The ${name} in ${txHash} pays no known operation: the key is not ours alone.`, {
        since: minedAt,
        subject: operationId,
        whatToDo: handbook('An unknown delivery'),
      }),
    ),
    ...chains.flatMap(({ side, halt }) =>
      halt === null
        ? []
        : [
            critical('Halted', `The chain ${side} is halted: ${halt.reason}`, {
              since: halt.since,
              subject: side,
              whatToDo: handbook('After a halt'),
            }),
          ],
    ),
    ...(deliveriesHalt === null
      ? []
      : [
          critical('Halted', `The deliveries are halted: ${deliveriesHalt.reason}`, {
            since: deliveriesHalt.since,
            subject: 'deliveries',
            whatToDo: handbook('An unknown delivery'),
          }),
        ]),
  ];
}

function money({ surpluses, isFloatKnown, floatDaysLeft, differences }: AlertFacts): Alert[] {
  const short = (surpluses ?? []).filter(({ amount }) => amount < 0n);
  return [
    ...short.map(({ asset, amount }) =>
      critical('Insolvent', `The partner chain has ${formatAmount(asset, -amount)} ${asset} more than is locked.`, {
        subject: asset,
        whatToDo: handbook('Insolvency'),
      }),
    ),
    ...(isFloatKnown && floatDaysLeft !== null && floatDaysLeft < FLOAT_LOW_DAYS
      ? [
          alert(
            floatDaysLeft < FLOAT_EMPTY_DAYS ? 'critical' : 'warning',
            floatDaysLeft < FLOAT_EMPTY_DAYS ? 'FloatEmpty' : 'FloatLow',
            `The float of XCN lasts for ${floatDaysLeft.toFixed(1)} days at the use of the last week.`,
            { subject: 'XCN', whatToDo: 'run admin top-up --chain partner' },
          ),
        ]
      : []),
    ...differences.map(({ chainId, blockNumber, amount, wallet, foundAt }) =>
      warning(
        'BalanceUnexplained',
        `Block ${blockNumber} of chain ${chainId} changed the wallet by ${amount} wei more than known.`,
        {
          since: foundAt,
          subject: wallet,
          whatToDo: handbook('An unexplained balance'),
        },
      ),
    ),
    ...(surpluses === null || !isFloatKnown
      ? [
          warning('QuorumLost', 'The nodes do not agree on the locked amounts, the supplies or the float now.', {
            whatToDo: 'look at GET /health for the nodes; repair or replace those that are away',
          }),
        ]
      : []),
  ];
}

function service({ chains, lease, nowMs }: AlertFacts): Alert[] {
  const stuck = chains.filter(({ readAt, halt }) => halt === null && nowMs - readAt.getTime() > READING_STUCK_MS);
  return [
    ...(lease.isHeld
      ? []
      : [
          critical('NoActiveRelayer', 'No relayer holds the lease: nothing moves.', {
            since: lease.expiresAt,
            whatToDo: 'start a relayer; check the database',
          }),
        ]),
    ...stuck.map(({ side, readAt }) =>
      critical('ReadingStuck', `The chain ${side} was not read for more than three minutes.`, {
        since: readAt,
        subject: side,
        whatToDo: 'check its nodes, and whether a relayer is active',
      }),
    ),
  ];
}

function waiting({ open, refunds, nowMs }: AlertFacts): Alert[] {
  const isLong = (since: Date) => nowMs - since.getTime() > DELIVERY_WAITS_MS;
  return [
    ...open.byDelay
      .filter(({ oldestSince }) => isLong(oldestSince))
      .map(({ reason, count, oldestSince }) =>
        alert(
          CRITICAL_DELAYS[reason] === undefined ? 'warning' : 'critical',
          CRITICAL_DELAYS[reason] ?? 'DeliveryWaits',
          `${count} deliveries wait as ${reason}, the oldest for more than half an hour.`,
          { since: oldestSince, subject: reason, whatToDo: DELAY_STEPS[reason] ?? handbook('Delay reasons') },
        ),
      ),
    ...(refunds.oldestSince !== null && nowMs - refunds.oldestSince.getTime() > DAY_MS
      ? [
          warning('RefundsWait', `${refunds.count} refunds wait for operators, the oldest for more than a day.`, {
            since: refunds.oldestSince,
            whatToDo: 'decide about them on the page Refunds',
          }),
        ]
      : []),
  ];
}

/** The parts of an alert that differ. */
interface Details {
  readonly since?: Date | null;
  readonly subject?: string;
  readonly whatToDo: string;
}

function alert(severity: Alert['severity'], code: string, sentence: string, details: Details): Alert {
  const { since = null, subject = null, whatToDo } = details;
  const runbook = `docs/runbook.md#${code.toLowerCase()}`;
  return { code, severity, sentence, since: since?.toISOString() ?? null, subject, whatToDo, runbook };
}

function critical(code: string, sentence: string, details: Details): Alert {
  return alert('critical', code, sentence, details);
}

function warning(code: string, sentence: string, details: Details): Alert {
  return alert('warning', code, sentence, details);
}
