import type { AgreedReceipt, CallEnd } from '@causeway/chain';
import type { DelayReason, Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallOutcome, Operation } from '@causeway/store';
import { isAddressEqual, parseEventLogs, type Address, type Hex, type Log } from 'viem';
import { delayAfterAttempt, delayAfterRevert, type Delay } from './delivery-delay.js';

/** Reasons of a skip, in the order of the contracts' enum `SkipReason`. */
const SKIP_REASONS = ['NONE', 'ALREADY_DELIVERED', 'NOT_DELIVERABLE', 'OVER_LIMIT', 'FUNDS_SHORT'] as const;

/** The result of a batch, read from its receipt. */
interface BatchResult {
  /** Ids of the operations that the batch paid. */
  readonly paid: ReadonlySet<Hex>;
  /** Why operations were skipped, by their numbers. */
  readonly skipped: ReadonlyMap<bigint, (typeof SKIP_REASONS)[number]>;
}

/** An operation of an ended call. `reverts` counts its earlier reverted calls. */
type EndedOperation = Pick<Operation, 'id' | 'originNonce' | 'attempts'> & { readonly reverts: number };

/** Reads the events of the bridge contract from a receipt. */
function batchResult({ logs }: Pick<AgreedReceipt, 'logs'>, bridge: Address): BatchResult {
  const ours = logs.filter(({ address }) => isAddressEqual(address, bridge)) as Log[];
  const releases = parseEventLogs({ abi: bridgeLockAbi, eventName: ['Release', 'Skipped'], logs: ours });
  const mints = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Mint', logs: ours });
  const paid = new Set<Hex>(mints.map(({ args }) => args.depositId));
  const skipped = new Map<bigint, (typeof SKIP_REASONS)[number]>();
  for (const event of releases) {
    if (event.eventName === 'Release') paid.add(event.args.withdrawId);
    else skipped.set(event.args.nonce, SKIP_REASONS[event.args.reason] ?? 'NONE');
  }
  return { paid, skipped };
}

/** Converts the end of a call to what the journal stores. */
export function toOutcome(end: CallEnd): CallOutcome {
  if (end.kind === 'taken') return { state: 'TAKEN' };
  const { hash: txHash, block, feePaid } = end.receipt;
  const state = { succeeded: 'SUCCEEDED', reverted: 'REVERTED', cancelled: 'CANCELLED' } as const;
  return { state: state[end.kind], txHash, block, feePaid };
}

/**
 * Lists the operations that an ended call did not pay, and when each is due again.
 *
 * @param end `void`: the call reverted because its attestation was invalid by then.
 */
export function unpaidOperations(
  end: CallEnd | { readonly kind: 'void' },
  operations: readonly EndedOperation[],
  bridge: { readonly side: Side; readonly address: Address },
  nowMs: number,
): (Delay & { readonly operationId: Hex })[] {
  if (end.kind !== 'succeeded') {
    const { kind } = end;
    return operations.map(({ id, reverts }) => ({ operationId: id, ...getEndDelay(kind, reverts, nowMs) }));
  }
  const { paid, skipped } = batchResult(end.receipt, bridge.address);
  return operations
    .filter(({ id }) => !paid.has(id))
    .map(({ id, originNonce, reverts, attempts }) => {
      const reason = getSkipReason(originNonce === null ? undefined : skipped.get(originNonce), bridge.side);
      const delay =
        reason === 'DESTINATION_REVERTED'
          ? delayAfterRevert(nowMs, reverts + 1)
          : delayAfterAttempt(reason, nowMs, attempts);
      return { operationId: id, ...delay };
    });
}

function getEndDelay(kind: 'reverted' | 'void' | 'cancelled' | 'taken', reverts: number, nowMs: number): Delay {
  if (kind === 'reverted') return delayAfterRevert(nowMs, reverts + 1);
  // The next attempt asks the attesters again.
  if (kind === 'void') return { reason: 'ATTESTERS_UNAVAILABLE', nextAttemptAt: new Date(nowMs) };
  // The next attempt checks the origin first.
  return delayAfterAttempt(kind === 'taken' ? 'NONCE_TAKEN' : 'ORIGIN_NOT_CONFIRMED', nowMs, 1);
}

function getSkipReason(skip: (typeof SKIP_REASONS)[number] | undefined, side: Side): DelayReason {
  if (skip === 'OVER_LIMIT') return 'OUTFLOW_LIMIT';
  if (skip === 'FUNDS_SHORT') return side === 'partner' ? 'FLOAT_SHORT' : 'COLLATERAL_SHORT';
  return 'DESTINATION_REVERTED';
}
