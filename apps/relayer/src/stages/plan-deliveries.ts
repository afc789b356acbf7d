import type { DestinationAsset } from '@causeway/chain';
import type { Asset, Side } from '@causeway/protocol';
import type { Operation } from '@causeway/store';
import { delayAfterAttempt, computeRefillDelay, type Delay } from '../wallet/delivery-delay.js';

/** How long smaller amounts may overtake an operation of the same asset, since it may be paid. */
const AGE_BOUND_MS = 10 * 60_000;

/** The amounts of one asset that the contract of the destination lets out. */
export type AssetFunds = Omit<DestinationAsset, 'mayDeliver'>;

/** The funds that a destination chain can pay at one block, less those that the calls in flight will take. */
export interface DestinationFunds {
  readonly side: Side;
  readonly isPaused: boolean;
  readonly assets: Readonly<Partial<Record<Asset, AssetFunds>>>;
  /** The value that may leave the wallet, in 18-decimal units: for mints of native XCN. */
  readonly spendable: bigint;
}

/** An operation in flight. */
interface InFlight {
  readonly operation: Pick<Operation, 'asset' | 'outputAmount' | 'fee'>;
  /** Whether the wallet pays it: then it takes nothing of the float. The books of the lane have its value. */
  readonly isPaidByWallet: boolean;
}

/** Operations that may be delivered together. */
export interface DeliveryGroup {
  readonly operations: readonly Operation[];
  readonly isPaidByWallet: boolean;
}

/** The deliveries to send now, in this order, and those that wait. */
export interface DeliveryPlan {
  readonly groups: readonly DeliveryGroup[];
  readonly delays: readonly (Delay & { readonly operation: Operation })[];
}

/** Subtracts what the calls in flight will take: a node may simulate without them. */
export function lessInFlight(funds: DestinationFunds, inFlight: readonly InFlight[]): DestinationFunds {
  const left = inFlight.reduce((rest, each) => take(rest, each.operation, each.isPaidByWallet), funds);
  return { ...left, spendable: funds.spendable };
}

/**
 * Decides which due operations can be paid now, and groups them. Pure. One that cannot be paid delays only itself.
 *
 * Small amounts go first, so that a large one that waits for funds or room holds up no other. After ten minutes the
 * oldest goes first, and younger ones leave it the refilling room of the outflow limit. Else they could always
 * take it.
 */
export function planDeliveries(due: readonly Operation[], funds: DestinationFunds, nowMs: number): DeliveryPlan {
  let left = funds;
  const delays: (Delay & { operation: Operation })[] = [];
  const alone: DeliveryGroup[] = [];
  const together: { contract: Operation[]; wallet: Operation[] } = { contract: [], wallet: [] };
  for (const operation of due.toSorted(byAgeAndSize(nowMs))) {
    const delay = computeDelay(operation, left, nowMs);
    if (delay !== null) {
      delays.push({ operation, ...delay });
      if (isAged(operation, nowMs)) left = keepRoomFor(left, operation);
      continue;
    }
    const isPaidByWallet = !isHeld(operation, left);
    left = take(left, operation, isPaidByWallet);
    if (mustBeAlone(operation)) alone.push({ operations: [operation], isPaidByWallet });
    else together[isPaidByWallet ? 'wallet' : 'contract'].push(operation);
  }
  const groups = [
    { operations: together.contract, isPaidByWallet: false },
    { operations: together.wallet, isPaidByWallet: true },
    ...alone,
  ];
  return { groups: groups.filter(({ operations }) => operations.length > 0), delays };
}

/** Orders aged operations by age before all others; these by amount, then by age. Amounts of one asset only compare. */
function byAgeAndSize(nowMs: number): (a: Operation, b: Operation) => number {
  const since = ({ holdReleasedAt }: Operation) => holdReleasedAt?.getTime() ?? 0;
  return (a, b) => {
    const [agedA, agedB] = [isAged(a, nowMs), isAged(b, nowMs)];
    if (agedA !== agedB) return agedA ? -1 : 1;
    if (!agedA && a.asset !== b.asset) return a.asset < b.asset ? -1 : 1;
    if (!agedA && a.outputAmount !== b.outputAmount) return a.outputAmount < b.outputAmount ? -1 : 1;
    return since(a) - since(b) || (a.id < b.id ? -1 : 1);
  };
}

/** Intents have no batch function, and an operation that made trouble must not make it for others. */
function mustBeAlone({ kind, delayedReason }: Operation): boolean {
  return kind === 'INTENT' || delayedReason === 'DESTINATION_REVERTED' || delayedReason === 'NODE_REFUSED';
}

function isAged({ holdReleasedAt }: Operation, nowMs: number): boolean {
  return holdReleasedAt !== null && nowMs - holdReleasedAt.getTime() > AGE_BOUND_MS;
}

function computeDelay(operation: Operation, { side, isPaused, assets, spendable }: DestinationFunds, nowMs: number) {
  const { asset, outputAmount, attempts } = operation;
  const funds = assets[asset];
  if (isPaused) return delayAfterAttempt('PAUSED', nowMs, attempts);
  if (funds === undefined) throw new Error(`The funds of ${asset} were not read`);
  const asked = computeLimitAmount(operation, funds);
  if (asked > funds.room) return computeRefillDelay(nowMs, refillMs(asked - funds.room, funds));
  if (isHeld(operation, { assets })) return null;
  if (side === 'ethereum') return delayAfterAttempt('COLLATERAL_SHORT', nowMs, attempts);
  return spendable >= outputAmount ? null : delayAfterAttempt('FLOAT_SHORT', nowMs, attempts);
}

/** Whether the contract holds what it would pay. */
function isHeld({ asset, outputAmount, fee }: Operation, { assets }: Pick<DestinationFunds, 'assets'>): boolean {
  const held = assets[asset]?.held ?? null;
  return held === null || held >= outputAmount + fee;
}

/** The amount that the limit counts: amount and fee, rounded up to its unit (OutflowLimit.ceilDiv). */
function computeLimitAmount(
  { outputAmount, fee }: Pick<Operation, 'outputAmount' | 'fee'>,
  { unit }: AssetFunds,
): bigint {
  return ((outputAmount + fee + unit - 1n) / unit) * unit;
}

/** When a limit has refilled so much; null when it never does. */
function refillMs(missing: bigint, { capacity, windowSeconds }: AssetFunds): number | null {
  return capacity === 0n ? null : Number((missing * windowSeconds * 1_000n) / capacity) + 1_000;
}

function take(
  funds: DestinationFunds,
  operation: Pick<Operation, 'asset' | 'outputAmount' | 'fee'>,
  isPaidByWallet: boolean,
): DestinationFunds {
  const before = funds.assets[operation.asset];
  if (before === undefined) return funds;
  const { outputAmount, fee } = operation;
  const held = before.held === null || isPaidByWallet ? before.held : before.held - outputAmount - fee;
  const after = { ...before, room: before.room - computeLimitAmount(operation, before), held };
  const spendable = isPaidByWallet ? funds.spendable - outputAmount : funds.spendable;
  return { ...funds, spendable, assets: { ...funds.assets, [operation.asset]: after } };
}

/** Younger operations leave the room to an aged one that a full refill will let through. */
function keepRoomFor(funds: DestinationFunds, operation: Operation): DestinationFunds {
  const before = funds.assets[operation.asset];
  if (before === undefined) return funds;
  const asked = computeLimitAmount(operation, before);
  if (asked <= before.room || asked > before.capacity) return funds;
  return { ...funds, assets: { ...funds.assets, [operation.asset]: { ...before, room: 0n } } };
}
