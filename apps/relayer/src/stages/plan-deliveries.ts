import type { DestinationAsset } from '@causeway/chain';
import type { Asset, Side } from '@causeway/protocol';
import type { Operation } from '@causeway/store';
import { delayAfterAttempt, computeRefillDelay, type Delay } from '../wallet/delivery-delay.js';

/** How long smaller amounts can overtake an operation of the same asset, counted from when it could be paid. */
const AGE_BOUND_MS = 10 * 60_000;

/** The amounts of one asset that the destination's contract can pay. */
export type AssetFunds = Omit<DestinationAsset, 'mayDeliver'>;

/** The funds that a destination chain can pay at one block, less what the pending calls will take. */
export interface DestinationFunds {
  readonly side: Side;
  readonly isPaused: boolean;
  readonly assets: Readonly<Partial<Record<Asset, AssetFunds>>>;
  /** The wallet's spendable value, in 18-decimal units, for mints of native XCN. */
  readonly spendable: bigint;
}

/** An operation of a pending call. */
interface InFlight {
  readonly operation: Pick<Operation, 'asset' | 'outputAmount' | 'fee'>;
  /** Whether the wallet pays it. It then takes nothing from the float, and its value is in the lane's accounting. */
  readonly isPaidByWallet: boolean;
}

/** Operations that can be delivered together. */
export interface DeliveryGroup {
  readonly operations: readonly Operation[];
  readonly isPaidByWallet: boolean;
}

/** The deliveries to send now, in this order, and those that wait. */
export interface DeliveryPlan {
  readonly groups: readonly DeliveryGroup[];
  readonly delays: readonly (Delay & { readonly operation: Operation })[];
}

/** Subtracts what the pending calls will take, since a node may simulate without them. */
export function lessInFlight(funds: DestinationFunds, inFlight: readonly InFlight[]): DestinationFunds {
  const left = inFlight.reduce((rest, each) => take(rest, each.operation, each.isPaidByWallet), funds);
  return { ...left, spendable: funds.spendable };
}

/**
 * Decides which due operations can be paid now, and groups them. Pure. An operation that cannot be paid delays only
 * itself.
 *
 * Small amounts go first, so that a large one that waits for funds or room delays no other. After ten minutes the
 * oldest goes first, and younger ones leave the refilling room of the outflow limit to it. Otherwise they could take
 * all of it forever.
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

/** Orders aged operations by age before all others, which it orders by asset, amount and age. */
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

/** Intents have no batch function. An operation that made a delivery fail must not make others fail. */
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

/** Whether the contract holds the amount and fee. */
function isHeld({ asset, outputAmount, fee }: Operation, { assets }: Pick<DestinationFunds, 'assets'>): boolean {
  const held = assets[asset]?.held ?? null;
  return held === null || held >= outputAmount + fee;
}

/** The amount that counts against the limit: amount and fee, rounded up to its unit (OutflowLimit.ceilDiv). */
function computeLimitAmount(
  { outputAmount, fee }: Pick<Operation, 'outputAmount' | 'fee'>,
  { unit }: AssetFunds,
): bigint {
  return ((outputAmount + fee + unit - 1n) / unit) * unit;
}

/** Milliseconds until a limit has refilled by this much; null when it never does. */
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

/** Reserves the room for an aged operation that fits into a full limit. */
function keepRoomFor(funds: DestinationFunds, operation: Operation): DestinationFunds {
  const before = funds.assets[operation.asset];
  if (before === undefined) return funds;
  const asked = computeLimitAmount(operation, before);
  if (asked <= before.room || asked > before.capacity) return funds;
  return { ...funds, assets: { ...funds.assets, [operation.asset]: { ...before, room: 0n } } };
}
