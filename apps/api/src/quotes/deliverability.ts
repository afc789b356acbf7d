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

/** The funds of a direction's destination for one asset now, less the operations that wait already. In atomic units. */
export interface DeliveryFunds extends Pick<DestinationAsset, 'room' | 'capacity' | 'windowSeconds' | 'held'> {
  readonly direction: Direction;
  /** Why nothing of the asset is delivered now; null while deliveries run. */
  readonly stoppedBy: UndeliverableReason | null;
}

/** Whether an amount can be delivered now. `deliverableAt`: null when it can, or when the time is unknown. */
export interface Deliverability {
  readonly deliverable: boolean;
  readonly undeliverableReason: UndeliverableReason | null;
  readonly deliverableAt: string | null;
}

/** Deliveries to come, as the database has them. */
interface Pending {
  readonly owed: readonly OwedAmount[];
  readonly isHalted: boolean;
  readonly isRelayerAway: boolean;
}

/** The waiting operations and halts are read every five seconds at most. Nothing is promised by older ones. */
const TIMES = { freshMs: 5_000, patienceMs: 2_000, oldestMs: 15 * 60_000 };

/** Says what can be delivered now, by the contracts, the operations that wait, and the halts of the relayer. */
@Injectable()
export class DeliverabilityService {
  private readonly pending = new LastKnownValue(async () => this.readPending(), TIMES);

  constructor(
    @Inject(STORE) private readonly store: Store,
    private readonly relayerLife: RelayerLife,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Reads what waits already. Without the database, what waited when it answered last, and nothing can be delivered.
   */
  async funds({ destinations, isStale }: KnownValues, asset: Asset, direction: Direction): Promise<DeliveryFunds> {
    // The reason is in the health, and in the log of every request that needs the database.
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
    // An operation moves only while neither of its two chains is halted.
    return { owed, isHalted: deliveries !== null || chains.length > 0, isRelayerAway };
  }
}

/** Why nothing is delivered now. The unknown comes first: the rest may be different by now. */
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

/** The highest amount that could be delivered now. Pure. */
export function availableAmount({ stoppedBy, room, held }: DeliveryFunds, maximum: bigint): bigint {
  if (stoppedBy !== null) return 0n;
  const least = [room, held ?? room, maximum].reduce((a, b) => (a < b ? a : b));
  return least < 0n ? 0n : least;
}

/**
 * Whether an amount, with its fee, could be delivered now, and if not, why and until when. Pure. The outflow limit
 * refills evenly, so its time is known; how long the rest lasts is not.
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

/** Seconds from now to the end of a transfer; null when they are unknown. Pure. */
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
