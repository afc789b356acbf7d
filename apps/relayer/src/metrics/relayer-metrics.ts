import { assetInfo, type Asset } from '@causeway/protocol';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { formatUnits } from 'viem';

/** An asset's collateral and supply, in atomic units. */
interface BackingFigures {
  readonly asset: Asset;
  readonly locked: bigint;
  readonly outstanding: bigint;
}

/**
 * The process's metrics registry, and the figures that the watch writes. Amounts are in whole coins, since Prometheus
 * counts in floating point: use them for alerts and charts, never for accounting. The collector adds the figures that
 * are read at every scrape.
 */
@Injectable()
export class RelayerMetrics {
  readonly registry = new Registry();

  readonly deliveries = this.counter('deliveries_total', 'Deliveries on a chain that match the operation they pay', [
    'chain',
  ]);
  readonly feesLastDay = this.gauge(
    'fees_last_day',
    'Native coin that final transactions of the wallet paid for gas in the last 24 hours',
    ['chain'],
  );
  readonly unknownDeliveries = this.gauge(
    'unknown_deliveries',
    'Deliveries without an operation or with wrong terms, and reopened paid numbers, that no operator has accepted',
  );
  readonly unexplainedDifferences = this.gauge(
    'unexplained_differences',
    'Blocks whose change of the wallet balance neither the relayer nor an operator has explained',
  );
  private readonly accountWaiting = this.gauge(
    'account_waiting_seconds',
    'How long accounting for the wallet has waited for mirrors or for old state of nodes; 0 when it does not wait',
  );
  readonly walletBalance = this.gauge('wallet_balance', 'Native coin of the relayer wallet', ['chain']);
  readonly float = this.gauge('float_xcn', 'XCN in BridgeMint that is available for mints');
  readonly floatDaysLeft = this.gauge('float_days_left', 'Days that the float lasts at the outflow of the last week');
  readonly notificationFailures = this.counter(
    'notification_failures_total',
    'Attempts to send a notification that the channel did not accept, since the start',
    ['channel'],
  );
  readonly attesterDissents = this.counter(
    'attester_dissents_total',
    'Items that an attester refused and another accepted, since the start',
    ['attester'],
  );
  private readonly notificationsPending = this.gauge(
    'notifications_pending',
    'Messages in the outbox that the channel has not accepted',
    ['channel'],
  );
  private readonly notificationsOldest = this.gauge(
    'notifications_oldest_seconds',
    'How long the oldest of these messages has waited; 0 when there is none',
    ['channel'],
  );
  private readonly locked = this.gauge('locked', 'Amount held by BridgeLock, less fees and credits', ['asset']);
  private readonly outstanding = this.gauge('outstanding', 'Amount owed to holders on the partner chain', ['asset']);
  private readonly backingMargin = this.gauge(
    'backing_margin',
    'Locked less outstanding, computed exactly before conversion to floating point',
    ['asset'],
  );
  private readonly oldestUnjudged = this.gauge(
    'oldest_unjudged_seconds',
    'Age of the oldest delivery that waits for its verdict; 0 when none does',
    ['chain'],
  );

  /** Sets the figures of an asset's backing. */
  backing({ asset, locked, outstanding }: BackingFigures): void {
    const whole = (amount: bigint) => Number(formatUnits(amount, assetInfo(asset).decimals));
    this.locked.set({ asset }, whole(locked));
    this.outstanding.set({ asset }, whole(outstanding));
    this.backingMargin.set({ asset }, whole(locked - outstanding));
  }

  /** Sets how long the oldest delivery of a chain has waited for its verdict, in milliseconds; null when none waits. */
  unjudgedFor(chain: string, ageMs: number | null): void {
    this.oldestUnjudged.set({ chain }, Math.max(0, ageMs ?? 0) / 1_000);
  }

  /** Sets how long the wallet's account has waited for mirrors, in milliseconds. */
  accountWaitsFor(waitingMs: number): void {
    this.accountWaiting.set(waitingMs / 1_000);
  }

  /** Sets how many notifications wait for a channel, and how long the oldest has waited, in milliseconds. */
  notificationsWait(channel: string, pending: number, oldestMs: number): void {
    this.notificationsPending.set({ channel }, pending);
    this.notificationsOldest.set({ channel }, oldestMs / 1_000);
  }

  /** Adds a gauge that the collector sets before each scrape, or that `read` sets at each scrape. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    read?: (gauge: Gauge<L>) => Promise<void>,
  ): Gauge<L> {
    const gauge: Gauge<L> = new Gauge({
      name: `causeway_relayer_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      ...(read === undefined ? {} : { collect: async () => read(gauge) }),
    });
    return gauge;
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    const full = `causeway_relayer_${name}`;
    return new Counter({ name: full, help, labelNames: [...labelNames], registers: [this.registry] });
  }
}
