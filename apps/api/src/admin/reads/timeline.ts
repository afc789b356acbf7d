import type { Side } from '@causeway/protocol';
import type { AdminOperationResponse } from '@causeway/protocol/admin';
import type { AuditRow, CallRecord, Operation, PastDelay, OperationEvent, Refund } from '@causeway/store';
import type { Hex } from 'viem';

type Entry = AdminOperationResponse['timeline'][number];
/** An entry with its time as a Date. */
type Moment = Omit<Entry, 'at' | 'cause' | 'chain' | 'txHash'> &
  Partial<Pick<Entry, 'cause' | 'chain' | 'txHash'>> & {
    readonly at: Date | null;
    /** Start of the delay, on the entry for its end. */
    readonly since?: Date;
  };

/** Everything that the database stores about one operation. */
export interface OperationHistory {
  readonly operation: Operation;
  /** When an intent's transfer was mined; null before that and for other operations. */
  readonly paidAt: Date | null;
  readonly calls: readonly CallRecord[];
  readonly events: readonly OperationEvent[];
  readonly delays: readonly PastDelay[];
  readonly refund: Refund | null;
  /** Audit rows about the operation or its refund. */
  readonly audit: readonly AuditRow[];
}

/** Timeline event names by contract event. Other entries derive from the operation itself. */
const DELIVERIES: Readonly<Record<string, string>> = { Mint: 'MINED', Release: 'MINED', Credited: 'CREDITED' };

/**
 * Builds the history of an operation, oldest first, with the actor and cause of each step. Pure.
 *
 * @param findSide returns the side of a chain id; null for a chain outside the bridge.
 */
export function buildTimeline(history: OperationHistory, findSide: (chainId: number) => Side | null): Entry[] {
  const { calls, events, delays, audit } = history;
  const moments = [
    ...events.flatMap(({ name, minedAt, txHash, chainId }): Moment[] => {
      const event = DELIVERIES[name];
      return event === undefined ? [] : [{ at: minedAt, event, actor: 'chain', chain: findSide(chainId), txHash }];
    }),
    ...ofOperation(history, findSide),
    ...ofDelays(delays, findSide(history.operation.destinationChainId)),
    ...calls.flatMap((call) => ofCall(call, findSide(call.chainId))),
    ...ofRefund(history.refund, findSide),
    ...audit.map(({ at, action, actor, reason, txHash }): Moment => {
      const event = action.toUpperCase().replaceAll('-', '_');
      return { at, event, actor: actor ?? 'relayer', cause: reason, txHash };
    }),
  ];
  const happened = moments.filter((moment): moment is Moment & { at: Date } => moment.at !== null);
  return inOrder(happened).map(({ at, since: _since, cause = null, chain = null, txHash = null, ...rest }) => ({
    at: at.toISOString(),
    ...rest,
    cause,
    chain,
    txHash,
  }));
}

/** Events of the origin, in order. Each precedes the later ones and everything in `AFTER_ORIGIN`. */
const OF_ORIGIN = ['CREATED', 'PAID', 'FINAL', 'HELD', 'RELEASED'];
/** Events of one relayer transaction, in order. */
const OF_TRANSACTION = [
  'SIGNED',
  'REPLACED',
  'CANCELLATION_SIGNED',
  'MINED',
  'CREDITED',
  'REFUND_PAID',
  'SETTLED',
  'CALL_ENDED',
];
/** Events that follow a final origin. Actions of members keep their own time. */
const AFTER_ORIGIN: ReadonlySet<string> = new Set([
  ...OF_TRANSACTION,
  'DELAYED',
  'DELAY_ENDED',
  'CANCELLED',
  'FAILED',
  'REFUND_REQUESTED',
]);

/**
 * Orders moments by time, each after its causes. Times alone are not enough: block times are whole seconds, and the
 * clocks of both chains and the relayer differ.
 */
function inOrder<T extends Moment & { readonly at: Date }>(moments: readonly T[]): T[] {
  const waiting = moments.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const told: T[] = [];
  while (waiting.length > 0) {
    // The earliest moment whose causes are all placed. Causes form no cycle, so one always exists.
    const next = waiting.findIndex((moment) => !waiting.some((other) => isCause(other, moment)));
    told.push(...waiting.splice(Math.max(0, next), 1));
  }
  return told;
}

function isCause(cause: Moment, effect: Moment & { readonly at: Date }): boolean {
  // Signing ends the delay in one step, but the relayer and the database record it with different clocks.
  if (cause.since !== undefined) return effect.event === 'SIGNED' && cause.since < effect.at;
  const [before, after] = [OF_ORIGIN.indexOf(cause.event), OF_ORIGIN.indexOf(effect.event)];
  if (before >= 0) return after >= 0 ? before < after : before === 0 || AFTER_ORIGIN.has(effect.event);
  const [first, second] = [OF_TRANSACTION.indexOf(cause.event), OF_TRANSACTION.indexOf(effect.event)];
  return first >= 0 && first < second && (cause.txHash ?? null) !== null && cause.txHash === effect.txHash;
}

function ofOperation(
  { operation, paidAt, refund }: OperationHistory,
  findSide: (chainId: number) => Side | null,
): Moment[] {
  const { kind, createdAt, finalizedAt, holdUntil, holdReleasedAt, expiredAt } = operation;
  const [origin, destination] = [findSide(operation.originChainId), findSide(operation.destinationChainId)];
  const originTx: Hex | null = operation.origin?.txHash ?? null;
  const isIntent = kind === 'INTENT';
  const { settlement, requiredConfirmations, failureReason } = operation;
  const isHeld = holdUntil !== null;
  return [
    { at: createdAt, event: 'CREATED', actor: 'sender', chain: origin, txHash: isIntent ? null : originTx },
    { at: paidAt, event: 'PAID', actor: 'sender', chain: origin, txHash: originTx },
    {
      at: finalizedAt,
      event: 'FINAL',
      actor: 'chain',
      cause: `${requiredConfirmations} confirmations`,
      chain: origin,
      txHash: originTx,
    },
    { at: isHeld ? finalizedAt : null, event: 'HELD', actor: 'relayer', cause: `until ${holdUntil?.toISOString()}` },
    { at: isHeld ? holdReleasedAt : null, event: 'RELEASED', actor: 'relayer', cause: 'the hold ended' },
    {
      at: settlement?.settledAt ?? null,
      event: 'SETTLED',
      actor: 'chain',
      cause: settlement?.credited === true ? 'as a credit, which the recipient claims' : null,
      chain: destination,
      txHash: settlement?.txHash ?? null,
    },
    { at: expiredAt, event: 'EXPIRED', actor: 'relayer', cause: 'no transfer came in time' },
    {
      at: failureReason === null ? null : (refund?.createdAt ?? operation.updatedAt),
      event: 'FAILED',
      actor: 'relayer',
      cause: failureReason,
    },
  ];
}

/** Lists each delay reason, and the end of the last reason of a delay. */
function ofDelays(delays: readonly PastDelay[], chain: Side | null): Moment[] {
  return delays.flatMap(({ reason, since, endedAt }, index): Moment[] => {
    const goesOn = delays[index + 1]?.since.getTime() === endedAt?.getTime();
    const end = { at: goesOn ? null : endedAt, event: 'DELAY_ENDED', since };
    return [
      { at: since, event: 'DELAYED', actor: 'relayer', cause: reason, chain },
      { ...end, actor: 'relayer', cause: reason, chain },
    ];
  });
}

function ofCall(call: CallRecord, chain: Side | null): Moment[] {
  const { nonce, purpose, state, cancelledAt, endedAt, txHash } = call;
  const uses = `${purpose === 'REFUND' ? 'pays the refund' : 'delivers it'} with nonce ${nonce}`;
  return [
    ...call.transactions.map((transaction, index): Moment => {
      const { createdAt: at, hash, isCancellation } = transaction;
      const [event, cause] = isCancellation
        ? ['CANCELLATION_SIGNED', `uses up nonce ${nonce}`]
        : index === 0
          ? ['SIGNED', uses]
          : ['REPLACED', `higher fees for nonce ${nonce}`];
      return { at, event, actor: 'relayer', cause, chain, txHash: hash };
    }),
    { at: cancelledAt, event: 'CANCELLED', actor: 'relayer', cause: `nonce ${nonce} must pay nothing`, chain },
    { at: endedAt, event: 'CALL_ENDED', actor: 'chain', cause: state, chain, txHash },
  ];
}

function ofRefund(refund: Refund | null, findSide: (chainId: number) => Side | null): Moment[] {
  if (refund === null) return [];
  const { createdAt, settledAt, txHash, chainId, recipient } = refund;
  return [
    { at: createdAt, event: 'REFUND_REQUESTED', actor: 'relayer' },
    {
      at: settledAt,
      event: 'REFUND_PAID',
      actor: 'relayer',
      cause: `to ${recipient}`,
      chain: findSide(chainId),
      txHash,
    },
  ];
}
