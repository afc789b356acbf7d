import type { DestinationAsset } from '@causeway/chain';
import {
  estimateSeconds,
  pickAsset,
  type Asset,
  type Direction,
  type TimingTerms,
  type UndeliverableReason,
} from '@causeway/protocol';
import type { OwedAmount, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { LastKnownValue } from '../last-known-value.js';
import type { KnownValues } from '../on-chain-parameters.js';
import { RelayerLife } from '../relayer-life.js';

/** Funds for one asset at a direction's destination, less the waiting operations. In atomic units. */
export interface DeliveryFunds extends Pick<DestinationAsset, 'room' | 'capacity' | 'windowSeconds' | 'held'> {
  readonly direction: Direction;
  /** Why the asset is not delivered now; null while deliveries run. */
  readonly stoppedBy: UndeliverableReason | null;
  /** Whether operators have halted a chain or all deliveries. */
  readonly isHalted: boolean;
}

/** Whether an amount can be delivered now. `deliverableAt` is null when it can, or when the time is unknown. */
export interface Deliverability {
  readonly deliverable: boolean;
  readonly undeliverableReason: UndeliverableReason | null;
  readonly deliverableAt: string | null;
}

/** Pending deliveries, from the database. */
interface Pending {
  readonly owed: readonly OwedAmount[];
  readonly isHalted: boolean;
  readonly isRelayerAway: boolean;
}

/** Waiting operations and halts are read at most every five seconds. Older values promise no delivery. */
const TIMES = { freshMs: 5_000, patienceMs: 2_000, oldestMs: 15 * 60_000 };

/** Determines what can be delivered now from the contracts, the waiting operations and the halts. */
@Injectable()
export class DeliverabilityService {
  private readonly pending = new LastKnownValue(async () => this.readPending(), TIMES);

  constructor(
    @Inject(STORE) private readonly store: Store,
    private readonly relayerLife: RelayerLife,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Reads the funds less the waiting operations. Without the database it uses the last known operations and reports
   * that nothing can be delivered.
   */
  async funds({ destinations, isStale }: KnownValues, asset: Asset, direction: Direction): Promise<DeliveryFunds> {
    // Health, and the logs of requests that need the database, show the reason.
    const known = await this.pending.latest().catch(() => null);
    const { owed = [], isHalted = false, isRelayerAway = false } = known?.value ?? {};
    const isUnknown = known === null || known.ageMs > TIMES.freshMs;
    const { paused, assets } = destinations[direction];
    const { mayDeliver, room, capacity, windowSeconds, held } = pickAsset(assets, asset);
    const { ethereum, partner } = this.configuration.addressBook;
    const chainId = direction === 'ETHEREUM_TO_PARTNER' ? partner.chainId : ethereum.chainId;
    const waiting = owed.find((each) => each.chainId === chainId && each.asset === asset)?.amount ?? 0n;
    return {
      direction,
      stoppedBy: findReason({ isStale, isUnknown, isPaused: paused || isHalted || !mayDeliver, isRelayerAway }),
      isHalted,
      room: room - waiting,
      capacity,
      windowSeconds,
      held: held === null ? null : held - waiting,
    };
  }

  private async readPending(): Promise<Pending> {
    const [owed, deliveries, chains, isRelayerAway] = await Promise.all([
      this.store.queues.owed(),
      this.store.halts.deliveries(),
      this.store.halts.list(),
      this.relayerLife.isAway(),
    ]);
    // An operation advances only while neither of its two chains is halted.
    return { owed, isHalted: deliveries !== null || chains.length > 0, isRelayerAway };
  }
}

/** Returns why nothing is delivered now. Stale inputs come first, because the other facts may have changed. */
function findReason(stop: {
  readonly isStale: boolean;
  readonly isUnknown: boolean;
  readonly isPaused: boolean;
  readonly isRelayerAway: boolean;
}): UndeliverableReason | null {
  if (stop.isStale) return 'CHAIN_AWAY';
  if (stop.isUnknown) return 'DATABASE_AWAY';
  if (stop.isPaused) return 'PAUSED';
  return stop.isRelayerAway ? 'RELAYER_AWAY' : null;
}

/** Returns the highest amount that could be delivered now. Pure. */
export function availableAmount({ stoppedBy, room, held }: DeliveryFunds, maximum: bigint): bigint {
  if (stoppedBy !== null) return 0n;
  const least = [room, held ?? room, maximum].reduce((a, b) => (a < b ? a : b));
  return least < 0n ? 0n : least;
}

/**
 * Computes whether an amount, including its fee, could be delivered now, and if not, why and until when. Pure. The
 * outflow limit refills evenly, so its time is known; other reasons last an unknown time.
 */
export function computeDeliverability(funds: DeliveryFunds, amount: bigint, nowMs: number): Deliverability {
  const { direction, stoppedBy, room, capacity, windowSeconds, held } = funds;
  const no = (undeliverableReason: UndeliverableReason, waitMs: number | null = null) => ({
    deliverable: false,
    undeliverableReason,
    deliverableAt: waitMs === null ? null : new Date(nowMs + waitMs).toISOString(),
  });
  if (stoppedBy !== null) return no(stoppedBy);
  if (held !== null && amount > held)
    return no(direction === 'ETHEREUM_TO_PARTNER' ? 'FLOAT_SHORT' : 'COLLATERAL_SHORT');
  if (amount > capacity) return no('OUTFLOW_LIMIT');
  if (amount > room) return no('OUTFLOW_LIMIT', Number(((amount - room) * windowSeconds * 1_000n) / capacity) + 1_000);
  return { deliverable: true, undeliverableReason: null, deliverableAt: null };
}

/** Estimates the seconds until a transfer ends; null when unknown. Pure. */
export function estimateTransfer(
  { direction }: DeliveryFunds,
  { deliverable, deliverableAt }: Deliverability,
  timing: TimingTerms,
  nowMs: number,
): number | null {
  const usual = estimateSeconds(direction, timing);
  if (deliverable) return usual;
  if (deliverableAt === null) return null;
  const { ethereumConfirmations, partnerConfirmations, blockSeconds } = timing;
  const delivery =
    direction === 'ETHEREUM_TO_PARTNER'
      ? partnerConfirmations * blockSeconds.partner
      : ethereumConfirmations * blockSeconds.ethereum;
  return Math.max(usual, Math.ceil((Date.parse(deliverableAt) - nowMs) / 1_000 + delivery));
}
